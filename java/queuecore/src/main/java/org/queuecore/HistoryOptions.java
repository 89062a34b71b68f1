package org.queuecore;

/**
 * The settings of a {@link History}. Each method changes one and answers this object; ranges are checked when a history is
 * made of them, which takes a copy. One thread at a time.
 *
 * <pre>{@code
 * new HistoryOptions().windowNanos(TimeUnit.MINUTES.toNanos(5)).valueSize(8)
 * }</pre>
 */
public final class HistoryOptions {
    /** Who collects expired entries. */
    public enum GcPolicy {
        /**
         * Every insert collects up to {@code gcStep} expired entries (4 by default), every erase one: no call ever pays for
         * much. Call {@link History#gc} on an idle history.
         */
        STEADY,
        /**
         * When {@link History#gc} stops at its maximum with more to do, each following insert collects up to {@code gcStep}
         * (1000 by default) until none is left.
         */
        ON_DEMAND,
        /** Only {@link History#gc} collects. */
        SCHEDULED
    }

    /** When an expired key stops being visible. */
    public enum Visibility {
        /** At its expiry: every answer depends on keys and times alone. */
        UNTIL_EXPIRY,
        /** When it is collected. */
        UNTIL_COLLECTED
    }

    /** What an erase does when {@code maxHistory} is reached and no expired entry is found among the oldest 64 records. */
    public enum Overflow {
        /** It throws {@link QueuecoreException}, {@code QC_ERR_CAPACITY}, and the entry stays live. */
        REJECT,
        /** The oldest historical entry leaves early. */
        EVICT_OLDEST
    }

    private static final int VALUE_SIZE = 0;
    private static final int WINDOW = 1;
    private static final int RESOLUTION = 2;
    private static final int MAX_CLOCK_STEP = 3;
    private static final int MAX_ENTRIES = 4;
    private static final int MAX_HISTORY = 5;
    private static final int OVERFLOW = 6;
    private static final int VISIBILITY = 7;
    private static final int GC_POLICY = 8;
    private static final int GC_STEP = 9;
    private static final int SEED = 10;
    private static final int COUNT = 11;

    private final long[] settings = new long[COUNT];
    private HistoryGroup group;

    /** The default settings: a window of 300 s, no values, collection by every insert. */
    public HistoryOptions() {
        NativeHistory.defaults(settings);
    }

    private HistoryOptions set(int setting, long value) {
        settings[setting] = value;
        return this;
    }

    /**
     * Bytes of value stored with each live entry.
     *
     * @param bytes 0 (the default) to 1024
     * @return this
     */
    public HistoryOptions valueSize(int bytes) {
        return set(VALUE_SIZE, bytes);
    }

    /**
     * How long a key is remembered, from its insert. Rounded up to a multiple of the resolution.
     *
     * @param nanos 0 (no history) to 2<sup>62</sup>; 300 s by default
     * @return this
     */
    public HistoryOptions windowNanos(long nanos) {
        return set(WINDOW, nanos);
    }

    /**
     * The grain of time: insert times and the present are rounded down to it.
     *
     * @param nanos 1 to 2<sup>62</sup>, or 0 for the default, 1000
     * @return this
     */
    public HistoryOptions resolutionNanos(long nanos) {
        return set(RESOLUTION, nanos);
    }

    /**
     * How far a time may lie ahead of the largest one seen before it is refused.
     *
     * @param nanos 1 to 2<sup>62</sup>, or 0 for any distance; an hour by default
     * @return this
     */
    public HistoryOptions maxClockStepNanos(long nanos) {
        return set(MAX_CLOCK_STEP, nanos);
    }

    /**
     * The most entries, live and historical together.
     *
     * @param entries 1 to 2<sup>31</sup>-1, or 0 for the default, that many
     * @return this
     */
    public HistoryOptions maxEntries(long entries) {
        return set(MAX_ENTRIES, entries);
    }

    /**
     * The most historical entries.
     *
     * @param entries 0 or more; 0, the default, for no limit of their own
     * @return this
     */
    public HistoryOptions maxHistory(long entries) {
        return set(MAX_HISTORY, entries);
    }

    /**
     * What an erase does at {@code maxHistory}.
     *
     * @param overflow the answer, {@link Overflow#REJECT} by default
     * @return this
     */
    public HistoryOptions overflow(Overflow overflow) {
        return set(OVERFLOW, overflow.ordinal());
    }

    /**
     * When an expired key stops being visible.
     *
     * @param visibility the answer, {@link Visibility#UNTIL_EXPIRY} by default
     * @return this
     */
    public HistoryOptions visibility(Visibility visibility) {
        return set(VISIBILITY, visibility.ordinal());
    }

    /**
     * Who collects.
     *
     * @param policy the answer, {@link GcPolicy#STEADY} by default
     * @return this
     */
    public HistoryOptions gcPolicy(GcPolicy policy) {
        return set(GC_POLICY, policy.ordinal());
    }

    /**
     * How many entries an insert may collect.
     *
     * @param entries up to 2<sup>20</sup>; 0, the default, for the policy's own
     * @return this
     */
    public HistoryOptions gcStep(int entries) {
        return set(GC_STEP, entries);
    }

    /**
     * The seed of the key hash. Set it only to repeat a run exactly: whoever knows it can aim at collisions.
     *
     * @param seed any number; 0, the default, for a random one. In a group it has to be 0
     * @return this
     */
    public HistoryOptions seed(long seed) {
        return set(SEED, seed);
    }

    /**
     * The group to join.
     *
     * @param group the group, or null, the default, for none
     * @return this
     */
    public HistoryOptions group(HistoryGroup group) {
        this.group = group;
        return this;
    }

    HistoryGroup group() {
        return group;
    }

    /** A copy, in the order of native code. */
    long[] settings() {
        return settings.clone();
    }
}
