package org.queuecore;

/**
 * What {@link History#importBuffer} did with the entries of a buffer: each counts in one of the first five numbers.
 *
 * @param live entries that are live now
 * @param historical entries that are historical now
 * @param duplicates entries that were here already: live, or remembered for at least as long
 * @param expired historical entries whose window has ended here
 * @param evicted historical entries for which there was no room, with {@link HistoryOptions.Overflow#EVICT_OLDEST}
 * @param isLast whether the buffer is the last one of its export
 */
public record ImportResult(
        long live, long historical, long duplicates, long expired, long evicted, boolean isLast) {
}
