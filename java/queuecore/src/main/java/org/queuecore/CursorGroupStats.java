package org.queuecore;

/**
 * The figures of a {@link CursorGroup} at one moment. Counters run from its creation.
 *
 * @param members cursors
 * @param waiting those that wait for the parent's level or for a loan
 * @param lentBytes bytes on loan
 * @param lentPeakBytes the most bytes ever on loan
 * @param lentPages pages lent
 * @param refused requests for a page that were refused
 * @param bytesInUse native bytes of the group held now
 */
public record CursorGroupStats(
        long members, long waiting, long lentBytes, long lentPeakBytes, long lentPages, long refused, long bytesInUse) {
    /** How many figures native code writes. */
    static final int FIGURES = 7;

    static CursorGroupStats of(long[] f) {
        return new CursorGroupStats(f[0], f[1], f[2], f[3], f[4], f[5], f[6]);
    }
}
