package org.queuecore;

/** What an insert or a readmit of a {@link History} did. */
public enum InsertOutcome {
    /** The key is live now, last in the live order. */
    ADDED,
    /** The key was live already. Nothing was changed. */
    DUPLICATE_LIVE,
    /** The key was erased, and its window has not ended. Nothing was changed. */
    DUPLICATE_HISTORY;

    private static final InsertOutcome[] ALL = values();

    /** By the number of {@code qc_outcome}. */
    static InsertOutcome of(int number) {
        return ALL[number];
    }
}
