package org.queuecore;

/**
 * The figures of a {@link Cursor} at one moment. Counters run from its creation. How to read them stands in
 * {@code docs/cursor.md}.
 *
 * @param isCaching whether new messages stay in memory
 * @param isFilling whether the window may take pages
 * @param pendingCount messages pushed and not acknowledged, removed, purged or aborted
 * @param pendingBytes their bytes
 * @param inMemoryCount messages in memory
 * @param inMemoryBytes what is charged for them; with {@link CursorOptions.Accounting#HOST}, what they take
 * @param inFlightCount messages in the consumers' hands
 * @param parkedCount messages put aside in this round
 * @param droppedCount messages of the window that were dropped from memory and not paged in again
 * @param openWrites writes that are not answered, and answered ones behind them
 * @param pages pages taken
 * @param pagedMessages messages that came with them
 * @param lentPages pages taken by the guaranteed share
 * @param lentBytes bytes in memory by the guaranteed share
 * @param cacheOnTurns times caching was turned on
 * @param cacheOffTurns times caching was turned off
 * @param peakBytes the most bytes ever charged
 * @param overshootBytes how far the charge has been above the high mark at most
 * @param failedFetches fetches that failed or were refused
 * @param requeued messages requeued
 * @param readyCalls times that a blocked pull was told that it can make progress
 * @param blockedOwnMarkNanos time from a blocked pull to the next one, or to now, by {@link Blocked#OWN_MARK}
 * @param blockedParentNanos the same, by {@link Blocked#PARENT}
 * @param blockedEntriesNanos the same, by {@link Blocked#ENTRIES}
 * @param blockedCommitNanos the same, by {@link Blocked#COMMIT}
 * @param bytesInUse native bytes of the cursor held now
 * @param bytesPeak the most native bytes ever held
 */
public record CursorStats(
        boolean isCaching,
        boolean isFilling,
        long pendingCount,
        long pendingBytes,
        long inMemoryCount,
        long inMemoryBytes,
        long inFlightCount,
        long parkedCount,
        long droppedCount,
        long openWrites,
        long pages,
        long pagedMessages,
        long lentPages,
        long lentBytes,
        long cacheOnTurns,
        long cacheOffTurns,
        long peakBytes,
        long overshootBytes,
        long failedFetches,
        long requeued,
        long readyCalls,
        long blockedOwnMarkNanos,
        long blockedParentNanos,
        long blockedEntriesNanos,
        long blockedCommitNanos,
        long bytesInUse,
        long bytesPeak) {
    /** How many figures of 64 bits native code leaves. */
    static final int FIGURES = 25;

    static CursorStats of(long first, long[] f) {
        return new CursorStats((int) first != 0, first >>> 32 != 0, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8],
                f[9], f[10], f[11], f[12], f[13], f[14], f[15], f[16], f[17], f[18], f[19], f[20], f[21], f[22], f[23], f[24]);
    }
}
