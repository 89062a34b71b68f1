package org.queuecore.activemq;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.logging.LogManager;

/** Starts as a broker's own script does: the broker's classes are in a class loader that the main class makes. */
final class Launcher {
    /** A log manager that is chosen in the main method, as application servers do. */
    public static final class Logs extends LogManager {
    }

    private Launcher() {
    }

    /**
     * Uses the broker's meter from there.
     *
     * @param arguments the broker's jars, as a class path; and "isolated" to keep the system's class path away from them
     * @throws Exception if that does not work
     */
    public static void main(String[] arguments) throws Exception {
        System.setProperty("java.util.logging.manager", Logs.class.getName());
        System.out.println("logs go to " + LogManager.getLogManager().getClass().getSimpleName());
        String[] files = arguments[0].split(File.pathSeparator);
        URL[] classPath = new URL[files.length];
        for (int i = 0; i < files.length; i++) {
            classPath[i] = new File(files[i]).toURI().toURL();
        }
        boolean isolated = arguments.length > 1;
        ClassLoader above = isolated ? ClassLoader.getPlatformClassLoader() : Launcher.class.getClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classPath, above)) {
            Class<?> type = loader.loadClass("org.apache.activemq.usage.MemoryUsage");
            Object parent = type.getConstructor(type, String.class).newInstance(null, "parent");
            type.getMethod("setLimit", long.class).invoke(parent, 1000L);
            Object child = type.getConstructor(type, String.class, float.class).newInstance(parent, "child", 0.5f);
            type.getMethod("start").invoke(parent);
            type.getMethod("increaseUsage", long.class).invoke(child, 250L);
            type.getMethod("decreaseUsage", long.class).invoke(child, -150L);
            System.out.println(child);
            System.out.println(type.getMethod("getUsage").invoke(parent) + " of " + type.getMethod("getLimit").invoke(parent));
        }
    }
}
