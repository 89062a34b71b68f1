package org.queuecore;

/**
 * The natives of {@link Cursor} and {@link CursorGroup}. {@code handle} is a cursor or a group, {@code mailbox} that of its
 * meter's tree, at which the caller looks afterwards, {@code notes} what is to be discarded, {@code desk} the address of the
 * {@link Desk} where further answers are left, {@code base} and {@code capacity} a {@link CursorBatch}. A failure is an
 * exception, as for {@link Native}.
 */
final class NativeCursor {
    static {
        NativeLibrary.load();
    }

    private NativeCursor() {
    }

    /** Called by native code, from inside a pull or a browse: the address of a page that the store has filled; 0 if it threw. */
    static long fetch(Cursor cursor, long after, long upTo, int maxMessages, long maxBytes) {
        return cursor.fetch(after, upTo, maxMessages, maxBytes);
    }

    /** Writes what a {@link CursorPolicy} is by default, in its order. */
    static native void policyDefaults(long[] into);

    /**
     * Makes a cursor. {@code settings} are accounting, most entries, most open writes, and its number; {@code made} gets handle
     * and notes.
     */
    static native void create(long usage, long mailbox, long group, long[] settings, long[] policy, long[] made);

    /** Ends a cursor. Its notes stay. */
    static native void destroy(long handle, long mailbox);

    static native void releaseNotes(long notes, long mailbox);

    /** How many notes wait. */
    static native int noted(long notes, long mailbox);

    /** Takes notes: sequence, user and size of each. Answers how many. */
    static native int takeDiscards(long notes, long[] into);

    static native void open(long handle, long mailbox, long count, long bytes, long lastSequence);

    static native boolean push(
            long handle, long mailbox, long token, long sequence, long user, int sizeBytes, int priority, int write);

    static native void committed(long handle, long mailbox, long token, long sequence);

    /** Leaves user, bytes, and whether it was in memory; as {@link #ack} and {@link #remove} do. */
    static native void aborted(long handle, long mailbox, long desk, long token);

    static native void ack(long handle, long mailbox, long desk, long sequence);

    static native void requeue(long handle, long mailbox, long sequence);

    static native void park(long handle, long mailbox, long sequence);

    static native void remove(long handle, long mailbox, long desk, long sequence, int storedBytes);

    /** Leaves the figures of {@link Purged}. */
    static native void purge(long handle, long mailbox, long desk, long upTo, int maxMessages);

    /** Leaves the figures of {@link Dropped}. */
    static native void dropCache(long handle, long mailbox, long desk);

    static native void setPolicy(long handle, long mailbox, long[] policy);

    static native void getPolicy(long handle, long mailbox, long[] into);

    static native void setMarks(long handle, long mailbox, int low, int high);

    static native void refresh(long handle, long mailbox);

    /** Leaves the figures of {@code struct qc_cursor_stats}; the first two, of 32 bits each, as the entry. */
    static native void stats(long handle, long mailbox, long desk);

    /** Writes where the sections of a batch stand, and the bytes of a batch and of a page. */
    static native void layout(int capacity, long[] into);

    /** Writes the fields of {@link CursorLayout}. */
    static native void fields(long[] into);

    static native int pushBatch(long handle, long mailbox, long base, int capacity, int from, int count);

    static native int committedBatch(long handle, long mailbox, long base, int capacity, int from, int count);

    static native int ackBatch(long handle, long mailbox, long base, int capacity, int from, int count);

    /** Answers how many notes wait. {@code cursor} is the {@link Cursor} that {@link #fetch} is called for. */
    static native int pull(
            long handle, long mailbox, long notes, Object cursor, int demand, int round, long base, int capacity);

    /** Leaves where to go on and whether there is more. Answers how many notes wait. */
    static native int browse(
            long handle, long mailbox, long notes, Object cursor, long desk, long after, long page, int capacity);

    static native long groupCreate(long parent, long mailbox, boolean dividesLimit, long maxLentBytes);

    static native void groupDestroy(long handle, long mailbox);

    /** Writes the figures of {@link CursorGroupStats}. */
    static native void groupStats(long handle, long[] into);
}
