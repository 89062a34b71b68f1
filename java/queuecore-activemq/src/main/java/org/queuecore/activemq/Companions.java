package org.queuecore.activemq;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.queuecore.NativeLibrary;

/**
 * Puts classes of the agent's jar beside the broker's, as far as the broker's class loader does not see them or would see the
 * wrong ones. Used by {@link Agent} only.
 *
 * <pre>
 * the broker's class loader is    it gets
 * the agent's                     nothing
 * one below it (bin/activemq,     BrokerMeter and what goes with it, which speak of the broker's classes: it would find the
 * a web application)              agent's own, which stand above and do not see them
 * one of another tree (OSGi)      all of org.queuecore besides, with native libraries of its own
 * </pre>
 */
final class Companions {
    private static final String LIBRARY = "org/queuecore/";
    private static final String ADAPTER = "org/queuecore/activemq/";
    /** Of the adapter's classes those that the broker never sees, with those nested in them. All others go there. */
    private static final Set<String> AGENTS_OWN =
            Set.of("Agent", "Companions", "Constructed", "IsFullWithoutLock", "QueuecoreMemoryUsage");

    private final ClassLoader loader;
    private final ProtectionDomain domain;
    private final Method define;

    private Companions(Instrumentation instrumentation, ClassLoader loader, ProtectionDomain domain)
            throws ReflectiveOperationException {
        this.loader = loader;
        this.domain = domain;
        Set<Module> mine = Set.of(Companions.class.getModule());
        instrumentation.redefineModule(
                Object.class.getModule(), Set.of(), Map.of(), Map.of("java.lang", mine), Set.of(), Map.of());
        define = ClassLoader.class.getDeclaredMethod(
                "defineClass", String.class, byte[].class, int.class, int.class, ProtectionDomain.class);
        define.setAccessible(true);
    }

    /**
     * Puts them there.
     *
     * @param instrumentation the virtual machine's
     * @param loader of the broker's classes
     * @param domain of the broker's classes
     */
    static void put(Instrumentation instrumentation, ClassLoader loader, ProtectionDomain domain) {
        if (loader == Companions.class.getClassLoader()) {
            return;
        }
        try {
            Companions companions = new Companions(instrumentation, loader, domain);
            if (!companions.seesTheLibrary()) {
                companions.defineAll(classesIn(LIBRARY));
                companions.loadNatives();
            }
            companions.defineAll(classesIn(ADAPTER));
        } catch (ReflectiveOperationException | IOException | URISyntaxException failed) {
            throw new IllegalStateException("the meter's classes could not be put beside the broker's", failed);
        }
    }

    private boolean seesTheLibrary() {
        try {
            Class.forName(NativeLibrary.class.getName(), false, loader);
            return true;
        } catch (ClassNotFoundException notThere) {
            return false;
        }
    }

    /** The classes of a folder of the agent's jar, the folders in it aside. */
    private static List<String> classesIn(String folder) throws IOException, URISyntaxException {
        Path file = Path.of(Companions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> names = new ArrayList<>();
        try (JarFile jar = new JarFile(file.toFile())) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (name.startsWith(folder) && name.endsWith(".class") && name.lastIndexOf('/') == folder.length() - 1) {
                    String simple = name.substring(folder.length(), name.length() - ".class".length());
                    if (!folder.equals(ADAPTER) || !AGENTS_OWN.contains(simple.replaceFirst("\\$.*", ""))) {
                        names.add(folder.replace('/', '.') + simple);
                    }
                }
            }
        }
        return names;
    }

    /** Defines them in an order in which each finds what it is derived from. */
    private void defineAll(List<String> names) throws ReflectiveOperationException, IOException {
        Deque<String> left = new ArrayDeque<>(names);
        int putOff = 0;
        while (!left.isEmpty()) {
            String name = left.removeFirst();
            byte[] bytes = bytesOf(name);
            try {
                define.invoke(loader, name, bytes, 0, bytes.length, domain);
                putOff = 0;
            } catch (InvocationTargetException failed) {
                left.addLast(name);
                if (!(failed.getCause() instanceof NoClassDefFoundError) || ++putOff > left.size()) {
                    throw failed;
                }
            }
        }
    }

    private static byte[] bytesOf(String name) throws IOException {
        try (InputStream in = Companions.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }

    /** The library's classes there find no resources of the agent's jar, so the JNI library is handed to them as a file. */
    private void loadNatives() throws ReflectiveOperationException, IOException {
        Method load = Class.forName(NativeLibrary.class.getName(), true, loader).getMethod("load");
        String name = System.mapLibraryName("queuecore_jni");
        String before = System.getProperty(NativeLibrary.PATH_PROPERTY);
        try (InputStream jni = Companions.class.getResourceAsStream("/native/" + NativeLibrary.platform() + "/" + name)) {
            if (before != null || jni == null) {
                load.invoke(null);
                return;
            }
            Path folder = Files.createTempDirectory("queuecore-");
            Path copy = folder.resolve(name);
            try {
                Files.copy(jni, copy);
                System.setProperty(NativeLibrary.PATH_PROPERTY, copy.toString());
                load.invoke(null);
            } finally {
                System.clearProperty(NativeLibrary.PATH_PROPERTY);
                Files.deleteIfExists(copy);
                Files.deleteIfExists(folder);
            }
        }
    }
}
