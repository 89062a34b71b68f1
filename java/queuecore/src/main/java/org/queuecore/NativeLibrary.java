package org.queuecore;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds and loads {@code libqueuecore_jni.so}, and with it {@code libqueuecore.so}. In this order:
 *
 * <ol>
 * <li>the system property {@value #PATH_PROPERTY}: the file, or the folder it stands in; nothing else is tried then;</li>
 * <li>{@code java.library.path};</li>
 * <li>the class path, at {@code /native/<os>-<arch>/}, as the classifier jar has them: both libraries are copied into a
 *     temporary folder of this process.</li>
 * </ol>
 *
 * <p>The JNI library looks for {@code libqueuecore.so.0.1} beside itself and where the system looks. If the process has it
 * loaded already (a broker's plugin in C++, say), that one is used, so that all languages share their meters.
 *
 * <p>Java 24 and later warn about programs that load native code unless they are started with
 * {@code --enable-native-access=ALL-UNNAMED}, or with {@code =org.queuecore} if the jar stands on the module path.
 */
public final class NativeLibrary {
    /** The property with the file to load, or its folder. */
    public static final String PATH_PROPERTY = "org.queuecore.library.path";
    private static final String JNI_NAME = "queuecore_jni";
    /** The name that the JNI library asks the system for: the soname of the version that it was built with. */
    private static final String CORE_FILE = "libqueuecore.so.0.1";

    private static String origin;

    private NativeLibrary() {
    }

    /**
     * Loads the libraries, unless they are loaded. The first use of a {@link MemoryUsage} does so by itself.
     *
     * @throws UnsatisfiedLinkError with all that was tried, if they are not found or do not fit
     */
    public static synchronized void load() {
        if (origin != null) {
            return;
        }
        String given = System.getProperty(PATH_PROPERTY);
        if (given != null) {
            origin = loadGiven(Path.of(given));
            return;
        }
        List<String> tried = new ArrayList<>();
        try {
            loadFromLibraryPath();
            origin = "java.library.path";
            return;
        } catch (UnsatisfiedLinkError | UncheckedIOException notThere) {
            tried.add("java.library.path: " + notThere.getMessage());
        }
        String folder = "/native/" + platform() + "/";
        try {
            if (loadResources(folder)) {
                origin = "class path:" + folder;
                return;
            }
            tried.add("class path: no " + folder + System.mapLibraryName(JNI_NAME));
        } catch (UnsatisfiedLinkError | UncheckedIOException failed) {
            tried.add("class path, " + folder + ": " + failed.getMessage());
        }
        throw new UnsatisfiedLinkError("queuecore's native libraries were not loaded. Put queuecore-<version>-" + platform()
                + ".jar on the class path, or set -D" + PATH_PROPERTY + "=<folder>. Tried " + String.join("; ", tried));
    }

    /**
     * Where the library came from: a path, {@code java.library.path}, or {@code class path:} and a folder.
     *
     * @return the origin, or null before it is loaded
     */
    public static synchronized String origin() {
        return origin;
    }

    /**
     * The version of the loaded {@code libqueuecore.so}, which this loads if need be.
     *
     * @return for example {@code 0.1.0}
     */
    public static String version() {
        int version = Region.LIBRARY_VERSION;
        return (version >> 16) + "." + (version >> 8 & 0xff) + "." + (version & 0xff);
    }

    /**
     * The name of this platform in jars and folders.
     *
     * @return for example {@code linux-x86_64}
     */
    public static String platform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String family = os.startsWith("linux") ? "linux" : os.startsWith("mac") ? "macos" : os.replace(' ', '_');
        return family + "-" + (arch.equals("amd64") ? "x86_64" : arch);
    }

    private static String loadGiven(Path given) {
        Path file = (Files.isDirectory(given) ? given.resolve(System.mapLibraryName(JNI_NAME)) : given).toAbsolutePath();
        try {
            loadFile(file);
        } catch (UnsatisfiedLinkError | UncheckedIOException failed) {
            UnsatisfiedLinkError told = new UnsatisfiedLinkError(
                    "-D" + PATH_PROPERTY + "=" + given + ": " + failed.getMessage());
            told.initCause(failed);
            throw told;
        }
        return file.toString();
    }

    private static void loadFromLibraryPath() {
        try {
            System.loadLibrary(JNI_NAME);
        } catch (UnsatisfiedLinkError failed) {
            for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
                Path file = Path.of(folder, System.mapLibraryName(JNI_NAME));
                if (isTaken(failed) && Files.exists(file)) {
                    loadFile(file.toAbsolutePath());
                    return;
                }
            }
            throw failed;
        }
    }

    private static void loadFile(Path file) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError failed) {
            if (!isTaken(failed)) {
                throw failed;
            }
            try (InputStream jni = Files.newInputStream(file)) {
                loadCopies(jni, null);
            } catch (IOException again) {
                throw new UncheckedIOException(again);
            }
        }
    }

    /** One file serves one class loader: another application of this virtual machine has it, so this one takes a copy. */
    private static boolean isTaken(UnsatisfiedLinkError failed) {
        return String.valueOf(failed.getMessage()).contains("already loaded in another classloader");
    }

    /** Loads both libraries from the class path. False if it has none. */
    private static boolean loadResources(String folder) {
        String jniFile = System.mapLibraryName(JNI_NAME);
        try (InputStream jni = resource(folder + jniFile); InputStream core = resource(folder + CORE_FILE)) {
            if (jni == null || core == null) {
                return false;
            }
            loadCopies(jni, core);
            return true;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** If this is a module of its own, its class finds what is in its jar, and its class loader what is in the natives'. */
    private static InputStream resource(String path) {
        InputStream own = NativeLibrary.class.getResourceAsStream(path);
        ClassLoader loader = NativeLibrary.class.getClassLoader();
        return own != null || loader == null ? own : loader.getResourceAsStream(path.substring(1));
    }

    /** Copies the libraries to where one finds the other, and loads them. Without the core, one is loaded already. */
    private static void loadCopies(InputStream jni, InputStream core) throws IOException {
        Path own = Files.createTempDirectory("queuecore-");
        Path coreCopy = own.resolve(CORE_FILE);
        Path jniCopy = own.resolve(System.mapLibraryName(JNI_NAME));
        try {
            if (core != null) {
                Files.copy(core, coreCopy);
            }
            Files.copy(jni, jniCopy);
            System.load(jniCopy.toString());
        } finally {
            // Once they are loaded, the system needs the files no more.
            Files.deleteIfExists(jniCopy);
            Files.deleteIfExists(coreCopy);
            Files.deleteIfExists(own);
        }
    }
}
