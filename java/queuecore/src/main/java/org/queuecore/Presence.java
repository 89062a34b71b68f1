package org.queuecore;

/** What a {@link History} knows of a key. */
public enum Presence {
    /** Nothing. */
    ABSENT,
    /** It is live, at any age. */
    LIVE,
    /** It was erased, and its window has not ended. */
    HISTORICAL;

    private static final Presence[] ALL = values();

    /** By the number of {@code qc_presence}. */
    static Presence of(int number) {
        return ALL[number];
    }
}
