package org.queuecore;

/**
 * The figures of a {@link History} at one moment. Counters run from its creation.
 *
 * @param liveLen live entries
 * @param historyLen historical entries held, expired ones that are not collected yet included
 * @param tombstones records of forgotten or re-admitted entries that wait for the collection to pass them
 * @param bytesInUse native bytes held now
 * @param bytesPeak the most native bytes ever held
 * @param allocations blocks asked of the allocator
 * @param deallocations blocks given back
 * @param collectedTotal expired entries collected
 * @param evictedEarly entries that left before their window ended, because of {@code maxHistory}
 * @param duplicates inserts and readmits that were answered with a duplicate
 * @param readmitted historical keys that became live again
 * @param clockRegressions calls whose time was smaller than one seen before
 * @param maxEntriesMovedPerCall the most index entries that one call, or one element of a batch, has moved
 * @param indexBuckets buckets of the index, 64 bytes each
 * @param overflowBuckets overflow buckets among them
 * @param bucketsProbed index buckets examined
 */
public record HistoryStats(
        long liveLen,
        long historyLen,
        long tombstones,
        long bytesInUse,
        long bytesPeak,
        long allocations,
        long deallocations,
        long collectedTotal,
        long evictedEarly,
        long duplicates,
        long readmitted,
        long clockRegressions,
        long maxEntriesMovedPerCall,
        long indexBuckets,
        long overflowBuckets,
        long bucketsProbed) {
    /** How many figures native code leaves. */
    static final int FIGURES = 16;

    static HistoryStats of(long[] f) {
        return new HistoryStats(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12], f[13],
                f[14], f[15]);
    }
}
