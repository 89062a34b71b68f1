package org.queuecore;

/**
 * What {@link History#exportNext} wrote into a buffer.
 *
 * @param bytes how many bytes of the buffer are to be kept, from its position on
 * @param entries how many entries they hold
 * @param more whether another buffer follows
 */
public record ExportResult(int bytes, int entries, boolean more) {
}
