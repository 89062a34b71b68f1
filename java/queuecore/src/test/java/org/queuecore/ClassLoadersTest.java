package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Two applications of one virtual machine that bring the library each: each has its own copy. */
class ClassLoadersTest {
    @Test
    void eachHasACopyFromTheClassPath() throws Exception {
        countWithTwo();
    }

    @Test
    void eachHasACopyOfOneFile() throws Exception {
        System.setProperty(NativeLibrary.PATH_PROPERTY, Child.staged().toString());
        try {
            countWithTwo();
        } finally {
            System.clearProperty(NativeLibrary.PATH_PROPERTY);
        }
    }

    private static void countWithTwo() throws Exception {
        URL[] classPath = {
            Path.of(System.getProperty("queuecore.classes")).toUri().toURL(),
            Child.staged().getParent().getParent().toUri().toURL()
        };
        try (URLClassLoader first = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
                URLClassLoader second = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            Class<?> one = first.loadClass("org.queuecore.MemoryUsage");
            Class<?> other = second.loadClass("org.queuecore.MemoryUsage");
            assertNotSame(one, other);
            count(one, 5);
            count(other, 7);
            count(one, 9);
        }
    }

    private static void count(Class<?> type, long bytes) throws Exception {
        try (AutoCloseable usage = (AutoCloseable) type.getConstructor(String.class).newInstance("own")) {
            type.getMethod("setLimit", long.class).invoke(usage, 1_000L);
            for (int i = 0; i < 100; i++) {
                type.getMethod("increaseUsage", long.class).invoke(usage, bytes);
            }
            assertEquals(100 * bytes, type.getMethod("getUsage").invoke(usage));
            assertEquals((int) bytes * 10, type.getMethod("getPercentUsage").invoke(usage));
        }
    }
}
