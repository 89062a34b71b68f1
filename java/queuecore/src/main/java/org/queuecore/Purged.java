package org.queuecore;

/**
 * What a {@link Cursor#purge} removed.
 *
 * @param upTo what is up to this sequence and not in flight is purged, or will be when there is no more to do
 * @param messages messages of the window that this call removed
 * @param storedMessages messages beyond the window, which the store alone had, as far as is known
 * @param releasedBytes what was charged for them and is released
 * @param more whether the window has more of them
 */
public record Purged(long upTo, long messages, long storedMessages, long releasedBytes, boolean more) {
}
