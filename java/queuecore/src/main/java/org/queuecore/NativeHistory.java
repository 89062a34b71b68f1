package org.queuecore;

import java.nio.ByteBuffer;

/**
 * The natives of {@link History} and {@link HistoryGroup}. {@code handle} is a history or a group, {@code desk} the address of
 * the {@link Desk} where further answers are left, a key its two halves, {@code base} and {@code capacity} a {@link
 * HistoryBatch}. A failure is an exception, as for {@link Native}.
 */
final class NativeHistory {
    static {
        NativeLibrary.load();
    }

    private NativeHistory() {
    }

    /** Writes what {@link HistoryOptions} are by default, in its order. */
    static native void defaults(long[] into);

    static native long create(long[] settings, long group);

    static native void destroy(long handle);

    /** Answers the outcome, and leaves the entry. */
    static native int insert(long handle, long desk, long high, long low, int valueLen, long at, long now);

    static native int readmit(long handle, long desk, long high, long low, int valueLen, long at, long now);

    static native void forget(long handle, long entry);

    static native void forgetKey(long handle, long high, long low);

    static native int erase(long handle, long entry, long now);

    static native int eraseKey(long handle, long high, long low, long now);

    static native long find(long handle, long high, long low);

    static native int contains(long handle, long high, long low, long now);

    static native long first(long handle);

    static native long last(long handle);

    static native long next(long handle, long entry);

    static native long prev(long handle, long entry);

    static native long nextFrom(long handle, long high, long low);

    /** Leaves the halves of the key and the insert time. */
    static native void entryInfo(long handle, long desk, long entry);

    static native void getValue(long handle, long desk, long entry, int valueLen);

    static native void setValue(long handle, long desk, long entry, int valueLen);

    static native long liveLen(long handle);

    static native long historyLen(long handle);

    /** Writes where the sections of a batch stand, in the order of {@link HistoryBatch}'s fields. */
    static native void batchLayout(int capacity, int valueSize, long[] into);

    static native int insertBatch(long handle, long base, int capacity, int from, int count, int valueSize, long now);

    static native int readmitBatch(long handle, long base, int capacity, int from, int count, int valueSize, long now);

    static native int containsBatch(long handle, long base, int capacity, int from, int count, long now);

    static native int eraseBatch(long handle, long base, int capacity, int from, int count, long now);

    /** Answers how many live entries it has shown. */
    static native int walk(long handle, long base, int capacity, long after);

    /** Answers how many entries it has shown; less one and negative if the iteration is over. */
    static native int iterNext(long handle, long base, int capacity);

    /** Answers how many, and leaves whether there is more. */
    static native long gc(long handle, long desk, long now, long max);

    static native long eraseAllLive(long handle, long now);

    static native void clear(long handle);

    static native long clearStep(long handle, long desk, long max);

    static native void setWindow(long handle, long window);

    static native void clockReset(long handle, long now);

    static native void iterBegin(long handle);

    static native void exportBegin(long handle);

    /** Leaves bytes, entries, and whether another buffer follows. */
    static native void export(long handle, long desk, ByteBuffer buffer, long offset, long len);

    /** Leaves the figures of {@link ImportResult}. */
    static native void importBuffer(
            long handle, long desk, ByteBuffer buffer, long offset, long len, long now, long shift);

    /** Writes the figures of {@link ExportInfo}. */
    static native void bufferInfo(long[] into, ByteBuffer buffer, long offset, long len);

    /** Leaves the figures of {@code struct qc_history_stats}. */
    static native void stats(long handle, long desk);

    static native void groupDefaults(long[] into);

    static native long groupCreate(long[] settings);

    static native void groupDestroy(long handle);

    static native long groupGcMany(long handle, long desk, long now, long max);

    static native void groupClockReset(long handle, long now);

    static native void groupStats(long handle, long desk);
}
