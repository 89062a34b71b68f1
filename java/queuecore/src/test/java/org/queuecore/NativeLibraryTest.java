package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the library comes from, and that the virtual machine's own checks find nothing to complain of. */
class NativeLibraryTest {
    private static final String CLASS_PATH = "class path:/native/" + NativeLibrary.platform() + "/";

    private static void good(Child.Outcome outcome, String origin) {
        assertEquals(0, outcome.code(), outcome.said());
        assertTrue(outcome.said().contains("origin " + origin + "\n"), outcome.said());
        assertTrue(outcome.said().contains("version 0.1."), outcome.said());
        assertTrue(outcome.said().endsWith("done\n"), outcome.said());
        clean(outcome);
    }

    /** What {@code -Xcheck:jni} says of natives that break the rules. */
    private static void clean(Child.Outcome outcome) {
        for (String complaint : new String[] {"WARNING in native method", "WARNING: JNI", "FATAL ERROR", "panicked at"}) {
            String said = outcome.said().replace("panicked at bindings/jni/src/opening.rs", "");
            assertFalse(said.contains(complaint), outcome.said());
        }
    }

    @Test
    void comesFromTheClassPathOfItself() throws Exception {
        good(Child.run(true), CLASS_PATH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void comesFromTheModulePathOrTheClassPathIfTheJarIsAModule(boolean asModule, @TempDir Path folder) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Automatic-Module-Name", "org.queuecore");
        Path library = jar(folder.resolve("library.jar"), Path.of(System.getProperty("queuecore.classes")), manifest);
        manifest.getMainAttributes().putValue("Automatic-Module-Name", "org.queuecore.natives");
        Path natives = jar(folder.resolve("natives.jar"), Child.natives(), manifest);
        String patch = "org.queuecore=" + System.getProperty("queuecore.test.classes");
        good(Child.outcome(List.of(
                "-p", asModule ? library + ":" + natives : library.toString(), "-cp", asModule ? "" : natives.toString(),
                "--patch-module", patch, "-m", "org.queuecore/" + Child.class.getName())), CLASS_PATH);
    }

    private static Path jar(Path file, Path classes, Manifest manifest) throws IOException {
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file), manifest);
                Stream<Path> content = Files.walk(classes)) {
            for (Path one : content.filter(Files::isRegularFile).toList()) {
                jar.putNextEntry(new JarEntry(classes.relativize(one).toString()));
                Files.copy(one, jar);
            }
        }
        return file;
    }

    @Test
    void comesFromTheFolderThatThePropertyNames() throws Exception {
        good(Child.run(true, "-Dorg.queuecore.library.path=" + Child.staged()), Child.staged() + "/libqueuecore_jni.so");
    }

    @Test
    void comesFromTheFileThatThePropertyNames() throws Exception {
        String file = Child.staged() + "/libqueuecore_jni.so";
        good(Child.run(false, "-Dorg.queuecore.library.path=" + file), file);
    }

    @Test
    void comesFromTheLibraryPath() throws Exception {
        good(Child.run(true, "-Djava.library.path=" + Child.staged()), "java.library.path");
    }

    @Test
    void thePropertyAloneCounts() throws Exception {
        Child.Outcome outcome = Child.run(true, "-Dorg.queuecore.library.path=/nowhere");
        assertEquals(1, outcome.code(), outcome.said());
        assertTrue(outcome.said().contains("UnsatisfiedLinkError: -Dorg.queuecore.library.path=/nowhere: "), outcome.said());
    }

    @Test
    void saysAllThatWasTried() throws Exception {
        Child.Outcome outcome = Child.run(false, "-Djava.library.path=/nowhere");
        assertEquals(1, outcome.code(), outcome.said());
        assertTrue(outcome.said().contains("no queuecore_jni in java.library.path"), outcome.said());
        assertTrue(outcome.said().contains("class path: no /native/"), outcome.said());
    }

    @Test
    void twoLibrariesThatAreNotOfOneReleaseAreRefused(@TempDir Path folder) throws Exception {
        Files.copy(Child.staged().resolve("libqueuecore_jni.so"), folder.resolve("libqueuecore_jni.so"));
        Child.Outcome outcome = Child.run(false, "-Dorg.queuecore.library.path=" + folder);
        assertEquals(1, outcome.code(), outcome.said());
        assertTrue(outcome.said().contains("libqueuecore.so.0.1"), outcome.said());
    }

    @ParameterizedTest
    @ValueSource(strings = {"unsafe", "buffer", "ffm"})
    void reachesTheRegionEachWay(String way) throws Exception {
        Child.Outcome outcome = Child.run(true, "-Dorg.queuecore.memory=" + way);
        if (way.equals("ffm") && Runtime.version().feature() < 22) {
            assertEquals(1, outcome.code(), outcome.said());
            assertTrue(outcome.said().contains("ffm does not work here"), outcome.said());
            return;
        }
        good(outcome, CLASS_PATH);
        assertTrue(outcome.said().contains("way " + way + "\n"), outcome.said());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1048576", "2147418112"})
    void theRegionMayBeSmallOrLarge(String bytes) throws Exception {
        good(Child.run(true, "-Dorg.queuecore.region.bytes=" + bytes), CLASS_PATH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1048575", "2147483648", "-1"})
    void aRegionOutOfRangeIsRefused(String bytes) throws Exception {
        Child.Outcome outcome = Child.run(true, "-Dorg.queuecore.region.bytes=" + bytes);
        assertEquals(1, outcome.code(), outcome.said());
        assertTrue(outcome.said().contains("QC_ERR_INVALID_ARGUMENT: a region of "), outcome.said());
    }
}
