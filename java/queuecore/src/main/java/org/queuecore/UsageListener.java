package org.queuecore;

/**
 * Told when the percent of a {@link MemoryUsage} changes.
 *
 * @see MemoryUsage#addUsageListener
 */
@FunctionalInterface
public interface UsageListener {
    /**
     * Takes one step. A meter's steps come one after the other, in an unbroken chain: each old percent is the new one of
     * the step before, and the last new one is the final state. It may call into any meter.
     *
     * @param usage the meter
     * @param oldPercent its percent before
     * @param newPercent its percent at the crossing
     */
    void onUsageChanged(MemoryUsage usage, int oldPercent, int newPercent);
}
