package org.queuecore;

/**
 * The settings of a {@link HistoryGroup}. Each method changes one and answers this object; ranges are checked when a group is
 * made of them, which takes a copy. One thread at a time.
 */
public final class HistoryGroupOptions {
    private static final int LIMIT = 0;
    private static final int CACHE = 1;
    private static final int MAX_CLOCK_STEP = 2;
    private static final int SEED = 3;
    private static final int COUNT = 4;

    private final long[] settings = new long[COUNT];

    /** The default settings: no limit, a cache of 256 KiB. */
    public HistoryGroupOptions() {
        NativeHistory.groupDefaults(settings);
    }

    private HistoryGroupOptions set(int setting, long value) {
        settings[setting] = value;
        return this;
    }

    /**
     * The most native bytes that the group and its histories hold together. A call that would need more throws {@link
     * QueuecoreException}, {@code QC_ERR_CAPACITY}.
     *
     * @param bytes 0 or more; 0, the default, for no limit
     * @return this
     */
    public HistoryGroupOptions limitBytes(long bytes) {
        return set(LIMIT, bytes);
    }

    /**
     * The most bytes of unused blocks that are kept for histories to use again.
     *
     * @param bytes 0 or more; 256 KiB by default
     * @return this
     */
    public HistoryGroupOptions cacheBytes(long bytes) {
        return set(CACHE, bytes);
    }

    /**
     * How far a time may lie ahead of the largest one that the group was told.
     *
     * @param nanos 1 to 2<sup>62</sup>, or 0 for any distance; an hour by default
     * @return this
     */
    public HistoryGroupOptions maxClockStepNanos(long nanos) {
        return set(MAX_CLOCK_STEP, nanos);
    }

    /**
     * The seed of the key hash of all histories. Set it only to repeat a run exactly.
     *
     * @param seed any number; 0, the default, for a random one
     * @return this
     */
    public HistoryGroupOptions seed(long seed) {
        return set(SEED, seed);
    }

    /** A copy, in the order of native code. */
    long[] settings() {
        return settings.clone();
    }
}
