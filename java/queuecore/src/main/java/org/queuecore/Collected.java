package org.queuecore;

/**
 * What a collection did.
 *
 * @param entries how many entries it removed
 * @param more whether it stopped at its maximum and another call would find work at once
 */
public record Collected(long entries, boolean more) {
}
