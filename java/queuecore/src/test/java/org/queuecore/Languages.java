package org.queuecore;

import java.nio.file.Path;

/** Threads in C++ and Rust; the natives stand in {@code bindings/jni-languages}. Each answers a {@code qc_status}. */
final class Languages {
    static {
        String folder = System.getProperty("queuecore.native.dir");
        System.load(Path.of(folder, "libqueuecore_languages.so").toAbsolutePath().toString());
    }

    private Languages() {
    }

    /**
     * Does operations of all kinds at random, on this thread; {@code left[0]} gets what they left behind together. In C++, or
     * else in Rust.
     */
    static native int mix(boolean cpp, long handle, long seed, long operations, long[] left);

    /** Counts more, or less if it is negative, on a new thread. */
    static native int add(boolean cpp, long handle, long change);

    /** Waits without end, on a new thread, until the meter is below a percent. */
    static native int waitForSpace(boolean cpp, long handle, int percent);

    /** Has two processors count in turns until the meter has a stripe for each. */
    static native int grow(long handle);
}
