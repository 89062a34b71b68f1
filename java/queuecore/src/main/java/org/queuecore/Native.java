package org.queuecore;

import java.nio.ByteBuffer;

/**
 * The calls into {@code libqueuecore_jni.so}, which registers them when it is loaded. {@code handle} is a tracker and
 * {@code mailbox} its tree's mailbox, as {@link #create} gave them; the caller looks at the mailbox afterwards
 * ({@link Tree#deliver}). A failure is an exception, of one type for each status of the library.
 */
final class Native {
    static {
        NativeLibrary.load();
    }

    private Native() {
    }

    /** Opens the region of so many bytes, or finds it open. */
    static native ByteBuffer openRegion(long bytes);

    /** Writes the region's address and the layout of a tracker, in the order of {@link Region}'s fields. */
    static native void layout(long[] into);

    /** Throws what a call throws that ends with this status. For tests. */
    static native void fail(int status);

    /** Panics in native code. For tests. */
    static native void panic();

    /**
     * Makes a tracker: a root if {@code parent} is 0, else a child in the tree of the mailbox. {@code settings} are limit,
     * share in parts per million, step, event capacity, most stripes, tag and number of the tree; {@code made} gets handle,
     * hold, offset in the region, mailbox, and offset of the word that says how much waits in it.
     */
    static native void create(long parent, long mailbox, long[] settings, long[] made);

    static native long destroy(long handle, long mailbox);

    static native void releaseHold(long hold, long mailbox);

    static native void releaseMailbox(long mailbox);

    /** Answers the number of the processor that it ran on, for {@link Processors}. */
    static native int increase(long handle, long mailbox, long amount);

    /** Answers as {@link #increase} does. */
    static native int decrease(long handle, long mailbox, long amount);

    /** Answers as {@link #increase} does if it fits; if not, the complement of that number, which is negative. */
    static native int tryReserve(long handle, long mailbox, long amount);

    static native int percent(long handle, long mailbox);

    static native boolean isFull(long handle, long mailbox);

    static native boolean isFullAt(long handle, long mailbox, int percent);

    static native boolean isOverMark(long handle, long mailbox);

    static native long usage(long handle, long mailbox);

    static native long usageExact(long handle, long mailbox);

    static native long limit(long handle, long mailbox);

    static native void setUsage(long handle, long mailbox, long usage);

    static native void setLimit(long handle, long mailbox, long limit);

    static native void setShare(long handle, long mailbox, int sharePpm);

    static native void setMinDelta(long handle, long mailbox, int percent);

    static native void setMarks(long handle, long mailbox, int low, int high);

    static native void clearMarks(long handle, long mailbox);

    static native void start(long handle, long mailbox);

    static native void stop(long handle, long mailbox);

    /** Has percent steps put into the mailbox from now on. */
    static native void listen(long handle, long mailbox);

    static native void clearEvents(long handle, long mailbox);

    /**
     * Has a notice put into the mailbox once every level is below a percent, and writes into {@code asked} what {@link #takeBack}
     * needs, a ticket first; false if that is so now.
     */
    static native boolean notifyWhenBelow(long handle, long mailbox, int percent, long notice, long[] asked);

    /** Whether what has a ticket still waits: it has not come up to now. */
    static native boolean isInLine(long handle, long mailbox, long ticket);

    /**
     * Counts more now (0); or stands in line for it (1), writes into {@code asked} what {@link #takeBack} needs, and has a
     * notice put into the mailbox when it is counted; or is refused, as the tracker is stopped (2).
     */
    static native int reserve(long handle, long mailbox, long amount, long notice, long[] asked);

    /** Takes a reservation or a notice out of the line; false if it is not in it: then its notice came, or will in a moment. */
    static native boolean takeBack(long handle, long mailbox, long[] asked);

    /** Writes the figures of {@code struct qc_usage_stats}, in their order. */
    static native void stats(long handle, long mailbox, long[] into);

    /**
     * Takes steps, or else notices, two numbers each: a tracker's tag, and old and new percent; or a notice's number and its
     * reason. Answers how many there are.
     */
    static native int poll(long mailbox, boolean steps, long[] into);

    /** Waits until a thread that did not come from Java filled a mailbox. Answers its tree's number. */
    static native long waitForForeign();

    /** The address of a direct buffer of at least so many bytes, which is aligned for longs. */
    static native long addressOf(ByteBuffer buffer, long len);

    /** Where the value stands on a {@link Desk}, and with that the bytes before it. */
    static native int deskValue();
}
