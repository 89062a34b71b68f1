package org.queuecore;

/** What blocks a {@link Cursor#pull}. */
public enum Blocked {
    /** Nothing: it did not end with {@link PullEnd#BLOCKED}. */
    NOT,
    /** The cursor's own usage is not below the mark: messages have to be acknowledged first. */
    OWN_MARK,
    /** The parent is over its paging mark, and the guaranteed share is lent out, or not for this cursor. */
    PARENT,
    /** The window holds {@code maxEntries} messages, or nearly. */
    ENTRIES,
    /** What is next has not been committed yet. */
    COMMIT;

    private static final Blocked[] ALL = values();

    /** By the number of {@code qc_blocked}. */
    static Blocked of(int number) {
        return ALL[number];
    }
}
