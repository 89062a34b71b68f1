package org.queuecore;

/** Why a {@link Cursor#pull} ended. */
public enum PullEnd {
    /** The demand is met, or one page was taken in: another pull may give more. */
    MORE,
    /** Nothing is pending that is not in flight or parked. */
    EMPTY,
    /** Something is pending and cannot be had now; {@link Cursor#onReady} follows. */
    BLOCKED;

    private static final PullEnd[] ALL = values();

    /** By the number of {@code qc_pull_end}. */
    static PullEnd of(int number) {
        return ALL[number];
    }
}
