package org.queuecore;

/** What an erase left behind in a {@link History}. */
public enum Erasure {
    /** The key is in the history until its window ends. */
    HISTORICAL,
    /**
     * Nothing: its window had ended, or is 0. Or the history was full, with {@link HistoryOptions.Overflow#EVICT_OLDEST}, and
     * no room was found for it: then {@link HistoryStats#evictedEarly()} counts it.
     */
    GONE;

    private static final Erasure[] ALL = values();

    /** By the number of {@code qc_erased}. */
    static Erasure of(int number) {
        return ALL[number];
    }
}
