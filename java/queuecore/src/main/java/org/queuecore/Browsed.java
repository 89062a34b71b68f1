package org.queuecore;

/**
 * What a {@link Cursor#browse} did.
 *
 * @param after where the next browse goes on
 * @param more whether there may be more behind that
 */
public record Browsed(long after, boolean more) {
}
