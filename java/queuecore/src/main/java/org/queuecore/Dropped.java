package org.queuecore;

/**
 * What {@link Cursor#dropCache} gave back.
 *
 * @param messages messages
 * @param releasedBytes what was charged for them
 */
public record Dropped(long messages, long releasedBytes) {
}
