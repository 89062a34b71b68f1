package org.queuecore;

import java.nio.ByteBuffer;

/**
 * What stands at the beginning of a buffer that {@link History#exportNext} wrote.
 *
 * @param exportId names the export: a random number, the same in all its buffers
 * @param presentNanos the largest time that the exporter had been given, by its own clock; 0 before any
 * @param windowNanos its window
 * @param number which buffer of its export it is, from 0
 * @param entries how many entries are in it
 * @param valueSize bytes of value for each live entry
 * @param isLast whether it is the last one
 */
public record ExportInfo(
        long exportId, long presentNanos, long windowNanos, int number, int entries, int valueSize, boolean isLast) {
    /**
     * Checks a buffer as {@link History#importBuffer} does, and reads its beginning. Any thread; time in proportion to its
     * length.
     *
     * @param buffer a direct buffer, whose bytes from its position to its limit are one buffer of an export
     * @return what it says
     * @throws IllegalArgumentException if it is not direct, or is truncated, longer than it should be, changed, or foreign
     * @throws UnsupportedOperationException if it is of a later version of the library
     */
    public static ExportInfo of(ByteBuffer buffer) {
        long[] told = new long[7];
        History.touch(buffer);
        NativeHistory.bufferInfo(told, buffer, buffer.position(), buffer.remaining());
        return new ExportInfo(
                told[0], told[1], told[2], (int) told[3], (int) told[4], (int) told[5], told[6] != 0);
    }
}
