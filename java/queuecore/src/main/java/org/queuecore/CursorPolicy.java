package org.queuecore;

import java.util.Arrays;

/**
 * What decides when messages stay in memory and when they are paged in. Each method changes one setting and answers this
 * object; ranges are checked when a cursor takes it on, which takes a copy. How to choose stands in {@code docs/cursor.md}. One
 * thread at a time.
 */
public final class CursorPolicy {
    private static final int HIGH = 0;
    private static final int LOW = 1;
    private static final int PARENT_CACHE = 2;
    private static final int PARENT_PAGE = 3;
    private static final int PAGE_MESSAGES = 4;
    private static final int PAGE_BYTES = 5;
    private static final int MIN_PAGE_MESSAGES = 6;
    private static final int LAZY_DISPATCH = 7;
    private static final int USE_CACHE = 8;
    private static final int DELIVER_UNCOMMITTED = 9;
    private static final int COUNT = 10;

    private final long[] settings;

    /** The default policy: marks of 50 and 70 percent, pages of 200 messages. */
    public CursorPolicy() {
        settings = empty();
        NativeCursor.policyDefaults(settings);
    }

    CursorPolicy(long[] settings) {
        this.settings = settings;
    }

    /** Room for the settings of one. */
    static long[] empty() {
        return new long[COUNT];
    }

    private CursorPolicy set(int setting, long value) {
        settings[setting] = value;
        return this;
    }

    /**
     * The marks, in percent of the meter's limit: filling begins below the low one; caching and filling stop at the high one. The
     * classic rule is both the same.
     *
     * @param low 1 to {@code high}; 50 by default
     * @param high 1 to 100; 70 by default
     * @return this
     */
    public CursorPolicy marks(int low, int high) {
        return set(LOW, low).set(HIGH, high);
    }

    /**
     * Caching stops when the parent, or a level above it, reaches this percent of its limit. It takes a group.
     *
     * @param percent 1 to 1000; 100 by default
     * @return this
     */
    public CursorPolicy parentCachePercent(int percent) {
        return set(PARENT_CACHE, percent);
    }

    /**
     * Pages are taken while the parent, and every level above it, is at or below this percent of its limit. It takes a group.
     *
     * @param percent 1 to 1000; 90 by default
     * @return this
     */
    public CursorPolicy parentPagePercent(int percent) {
        return set(PARENT_PAGE, percent);
    }

    /**
     * The messages of a whole page.
     *
     * @param messages 1 to 65536; 200 by default
     * @return this
     */
    public CursorPolicy pageMessages(int messages) {
        return set(PAGE_MESSAGES, messages);
    }

    /**
     * The bytes of a whole page; at most (100 - high) % of the limit counts.
     *
     * @param bytes 1 to 2<sup>40</sup>; 1 MiB by default
     * @return this
     */
    public CursorPolicy pageBytes(long bytes) {
        return set(PAGE_BYTES, bytes);
    }

    /**
     * A page that open writes or demand cut shorter than this is not taken while the window has something to give.
     *
     * @param messages up to {@code pageMessages}; 0, the default, for a quarter of that
     * @return this
     */
    public CursorPolicy minPageMessages(int messages) {
        return set(MIN_PAGE_MESSAGES, messages);
    }

    /**
     * Whether pages are not longer than the demand.
     *
     * @param lazy false by default
     * @return this
     */
    public CursorPolicy lazyDispatch(boolean lazy) {
        return set(LAZY_DISPATCH, lazy ? 1 : 0);
    }

    /**
     * Whether new messages stay in memory while there is room.
     *
     * @param use true by default
     * @return this
     */
    public CursorPolicy useCache(boolean use) {
        return set(USE_CACHE, use ? 1 : 0);
    }

    /**
     * Whether messages whose write is open are delivered all the same, once their sequence is known.
     *
     * @param deliver false by default
     * @return this
     */
    public CursorPolicy deliverUncommitted(boolean deliver) {
        return set(DELIVER_UNCOMMITTED, deliver ? 1 : 0);
    }

    /**
     * The low mark.
     *
     * @return its percent
     */
    public int lowPercent() {
        return (int) settings[LOW];
    }

    /**
     * The high mark.
     *
     * @return its percent
     */
    public int highPercent() {
        return (int) settings[HIGH];
    }

    /** A copy, in the order of native code. */
    long[] settings() {
        return settings.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CursorPolicy policy && Arrays.equals(settings, policy.settings);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(settings);
    }
}
