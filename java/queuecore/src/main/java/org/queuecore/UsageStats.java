package org.queuecore;

/**
 * The figures of a meter at one moment. Those of the tree are of all meters that hang together; its counters run from the
 * creation of the root. What they mean in practice stands in {@code docs/usage.md}.
 *
 * @param usageBytes what is counted; exact while nobody writes
 * @param committedBytes the committed total: usage, and what is lent to threads
 * @param slackBytes how far the usage may lie below the committed total
 * @param ownBytes what the meter itself counts, its children's part aside
 * @param limitBytes the limit; 0 means unlimited
 * @param percent the percent
 * @param isFull whether the meter itself, not one above it, is at 100 percent or more
 * @param isStopped whether it is stopped
 * @param children its children, closed ones included whose objects were not collected yet
 * @param activeStripes its stripes that hold something
 * @param stripes its stripes
 * @param waiters notices that wait at it and below; threads that wait for the same share one
 * @param waitingBytes bytes that reservations wait for, at it and below
 * @param treeTrackers of the tree: trackers, hidden ones included
 * @param treeActiveStripes of the tree: stripes that hold something
 * @param treeRefills of the tree: times a stripe was filled
 * @param treeRecalls of the tree: times what was lent was recalled
 * @param treeCrossings of the tree: times the bounds of a level were computed anew
 * @param treeMergedEvents of the tree: percent steps that native code merged for want of room
 * @param treeListenerPanics of the tree: listeners of programs in Rust that panicked
 * @param bytesInUse of the tree: bytes of the region that it holds
 * @param bytesPeak of the tree: the most that it ever held
 */
public record UsageStats(
        long usageBytes,
        long committedBytes,
        long slackBytes,
        long ownBytes,
        long limitBytes,
        int percent,
        boolean isFull,
        boolean isStopped,
        long children,
        long activeStripes,
        long stripes,
        long waiters,
        long waitingBytes,
        long treeTrackers,
        long treeActiveStripes,
        long treeRefills,
        long treeRecalls,
        long treeCrossings,
        long treeMergedEvents,
        long treeListenerPanics,
        long bytesInUse,
        long bytesPeak) {
    /** How many figures native code writes. */
    static final int FIGURES = 22;

    static UsageStats of(long[] f) {
        return new UsageStats(f[0], f[1], f[2], f[3], f[4], (int) f[5], f[6] != 0, f[7] != 0, f[8], f[9], f[10], f[11],
                f[12], f[13], f[14], f[15], f[16], f[17], f[18], f[19], f[20], f[21]);
    }
}
