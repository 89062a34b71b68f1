package org.queuecore.activemq;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * A broker's installation: the folders of the binary distribution, made of the jars on this test's class path.
 *
 * <pre>
 * bin/activemq.jar     the starter, which puts lib/ into a class loader of its own
 * conf/activemq.xml
 * data/
 * lib/*.jar
 * </pre>
 */
final class Installation {
    private static final String STARTER = "org/apache/activemq/console/Main";

    private final Path home;

    Installation(Path home) throws IOException {
        this.home = home;
        for (String folder : List.of("bin", "conf", "data", "lib")) {
            Files.createDirectories(home.resolve(folder));
        }
        for (String entry : System.getProperty("surefire.test.class.path").split(File.pathSeparator)) {
            String name = Path.of(entry).getFileName().toString();
            if (entry.endsWith(".jar") && !name.startsWith("junit") && !name.startsWith("queuecore")) {
                addToLib(Path.of(entry));
            }
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, STARTER.replace('/', '.'));
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(home.resolve("bin/activemq.jar")), manifest)) {
            for (String part : List.of(STARTER + ".class", STARTER + "$1.class")) {
                jar.putNextEntry(new JarEntry(part));
                try (InputStream in = Installation.class.getClassLoader().getResourceAsStream(part)) {
                    in.transferTo(jar);
                }
            }
        }
        configure(resource("/activemq.xml"));
    }

    static String resource(String name) throws IOException {
        try (InputStream in = Installation.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    Path home() {
        return home;
    }

    void configure(String activemqXml) throws IOException {
        Files.writeString(home.resolve("conf/activemq.xml"), activemqXml);
    }

    /** Puts a jar where the broker takes its jars from. */
    void addToLib(Path jar) throws IOException {
        Files.copy(jar, home.resolve("lib").resolve(jar.getFileName()));
    }

    /** The command that {@code bin/activemq console} ends up with. */
    List<String> command(List<String> activemqOpts) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
        command.addAll(activemqOpts);
        for (String folder : List.of("home", "base")) {
            command.add("-Dactivemq." + folder + "=" + home);
        }
        for (String folder : List.of("conf", "data")) {
            command.add("-Dactivemq." + folder + "=" + home.resolve(folder));
        }
        command.add("-Dactivemq.classpath=" + home.resolve("conf"));
        command.addAll(List.of("-jar", home.resolve("bin/activemq.jar").toString(), "start"));
        return command;
    }
}
