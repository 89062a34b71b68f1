package org.queuecore;

/**
 * A message that has left the window of a {@link Cursor}.
 *
 * @param user the host's own, 0 if the window did not hold the message
 * @param bytes what was charged for it and is released
 * @param wasInMemory whether its body was in memory
 */
public record Released(long user, long bytes, boolean wasInMemory) {
}
