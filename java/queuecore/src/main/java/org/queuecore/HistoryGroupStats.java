package org.queuecore;

/**
 * The figures of a {@link HistoryGroup} at one moment. Counters run from its creation.
 *
 * @param histories histories in the group
 * @param scheduled histories that have something that will expire
 * @param bytesInUse native bytes held now by the group and its histories, the cache included
 * @param bytesPeak the most native bytes ever held
 * @param bytesCached bytes of unused blocks that are kept
 * @param reusedBlocks requests for memory that were served from those
 * @param refusedByLimit requests for memory that were refused because of the limit
 */
public record HistoryGroupStats(
        long histories,
        long scheduled,
        long bytesInUse,
        long bytesPeak,
        long bytesCached,
        long reusedBlocks,
        long refusedByLimit) {
    /** How many figures native code leaves. */
    static final int FIGURES = 7;

    static HistoryGroupStats of(long[] f) {
        return new HistoryGroupStats(f[0], f[1], f[2], f[3], f[4], f[5], f[6]);
    }
}
