package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The agent on the command line of a process whose broker is in a class loader of its own. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StandaloneIT {
    /** Runs {@link Launcher} with the broker's jars of this test, and answers what it said. */
    private static String launched(String... options) throws Exception {
        return launched(List.of(options), List.of());
    }

    private static String launched(List<String> options, List<String> arguments) throws Exception {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("surefire.test.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(".jar")) {
                jars.add(entry);
            }
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xcheck:jni", "-javaagent:" + System.getProperty("queuecore.agent")));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("queuecore.test.classes"), Launcher.class.getName()));
        command.add(String.join(File.pathSeparator, jars));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertFalse(JniComplaints.in(said), said);
        return said;
    }

    private static void keepsItsOwn(String said) {
        assertTrue(said.contains("400 of 1000") && !said.contains("by queuecore"), said);
    }

    @Test
    void theBrokersClassesMayBeInAnotherClassLoader() throws Exception {
        String said = launched();
        assertTrue(said.contains("Usage(parent:child) percentUsage=80%, usage=400, limit=500"), said);
        assertTrue(said.contains("by queuecore"), said);
        assertTrue(said.contains("400 of 1000"), said);
        assertTrue(said.contains("logs go to Logs\n"), said);
    }

    @Test
    void withoutTheLibrariesTheBrokerKeepsItsOwnMetersAndSaysSo() throws Exception {
        String said = launched("-Dorg.queuecore.library.path=/nowhere");
        assertTrue(said.contains("queuecore: the broker keeps its own meters: -Dorg.queuecore.library.path=/nowhere: "), said);
        keepsItsOwn(said);
    }

    @Test
    void withoutTheMemoryItKeepsThemToo() throws Exception {
        String said = launched("-Dorg.queuecore.region.bytes=1");
        assertTrue(said.contains("queuecore: the broker keeps its own meters: ") && said.contains("a region of 1 bytes"), said);
        keepsItsOwn(said);
    }

    @Test
    void theBrokersClassLoaderMayHideTheAgents() throws Exception {
        String said = launched(List.of(), List.of("isolated"));
        assertTrue(said.contains("Usage(parent:child) percentUsage=80%, usage=400, limit=500"), said);
        assertTrue(said.contains("400 of 1000") && said.contains("by queuecore"), said);
    }

    @Test
    void twiceOnTheCommandLineIsOnce() throws Exception {
        String said = launched("-javaagent:" + System.getProperty("queuecore.agent"));
        assertTrue(said.contains("queuecore: the agent is on the command line twice; once is enough"), said);
        assertTrue(said.contains("400 of 1000") && said.contains("by queuecore"), said);
        assertFalse(said.contains("could not be rewritten"), said);
    }
}
