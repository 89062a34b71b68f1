package org.queuecore;

import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory of all trackers, as one range: what Java reads and writes of it without a call. Where things stand is
 * the library's to say ({@code qc_usage_layout()}); nothing of it is written down here.
 *
 * <pre>
 * node at an offset                         stripes, by the tracker's tagged word
 * +----------------------------------+      +---------+---------+----      +---------+
 * | word | stripes | percent | state |      | word 0  | word 1  |    ...   | word n  |   a stripe's bytes apart
 * +----------------------------------+      +---------+---------+----      +---------+
 *
 * word     credit (upper 32 bits) | room (lower 32 bits)        0: nothing to be had here
 * stripes  address of word 0 | logarithm of the number of words
 * </pre>
 *
 * A thread takes from the credit of its word and puts back into its room by one exchange; see {@code operate.rs} in the
 * library's sources for why that counts on every level. Java writes nothing but such words. The orders pair with the
 * library's: a load acquires what made the percent or the state what it is; an exchange of a word acquires and
 * releases.
 */
final class Region {
    /** The property with the region's length in bytes. */
    static final String BYTES_PROPERTY = "org.queuecore.region.bytes";
    private static final long DEFAULT_BYTES = 1L << 30;

    /** What turns n into the change of a word that takes n: minus n credit, plus n room. */
    private static final long MOVE = 0xffff_ffffL;

    /** The offset of the node that closed meters lead to: no credit, no room, percent unknown, full. */
    static final int DEAD_NODE = 0;
    /** The dead node's word, which is 0 for ever. */
    static final int NO_WORD;

    private static final MethodHandle GET_LONG;
    private static final MethodHandle GET_LONG_ACQUIRE;
    private static final MethodHandle GET_INT_ACQUIRE;
    private static final MethodHandle COMPARE_AND_SET;
    /** How the memory is reached: see {@link MemoryAccess}. */
    static final String WAY;

    private static final long BASE;
    private static final int STRIPE_BYTES;
    private static final int STRIPES;
    private static final int STRIPES_LOG2_MASK;
    private static final int PERCENT;
    private static final int STATE;
    private static final int STATE_FULL_MASK;
    private static final int STATE_STOPPED_MASK;
    private static final long PERCENT_UNKNOWN;
    /** The version of the library: major, minor, patch in 16, 8 and 8 bits. */
    static final int LIBRARY_VERSION;

    static {
        ByteBuffer memory = Native.openRegion(bytes()).order(ByteOrder.nativeOrder());
        long[] layout = new long[11];
        Native.layout(layout);
        BASE = layout[0];
        STRIPE_BYTES = (int) layout[1];
        STRIPES = (int) layout[2];
        STRIPES_LOG2_MASK = (int) layout[3];
        PERCENT = (int) layout[4];
        STATE = (int) layout[5];
        STATE_FULL_MASK = (int) layout[6];
        PERCENT_UNKNOWN = layout[7];
        LIBRARY_VERSION = (int) layout[8];
        NO_WORD = (int) layout[9];
        STATE_STOPPED_MASK = (int) layout[10];
        MemoryAccess access = MemoryAccess.of(memory, BASE);
        GET_LONG = access.getLong();
        GET_LONG_ACQUIRE = access.getLongAcquire();
        GET_INT_ACQUIRE = access.getIntAcquire();
        COMPARE_AND_SET = access.compareAndSet();
        WAY = access.way();
    }

    private Region() {
    }

    private static long bytes() {
        String bytes = System.getProperty(BYTES_PROPERTY);
        try {
            return bytes == null ? DEFAULT_BYTES : Long.decode(bytes);
        } catch (NumberFormatException noNumber) {
            throw new IllegalArgumentException(
                    "-D" + BYTES_PROPERTY + "=" + bytes + ": it has to be a number of bytes", noNumber);
        }
    }

    /** Opens the region, once. */
    static void open() {
        // The initialiser has run by now.
    }

    /**
     * A node's stripes in one int: the offset of the first, with the logarithm of their number in its low bits. What it says
     * may be of an earlier time: stripes that were replaced are empty for ever, so nothing is to be had from them.
     */
    static int stripes(int node) {
        return (int) (getLong(node + STRIPES) - BASE);
    }

    /** Takes an amount from this thread's credit, if it has that much and nobody interferes. */
    static boolean take(int word, long amount) {
        long seen = glance(word);
        return amount > 0 && seen >>> 32 >= amount && compareAndSet(word, seen, seen - amount * MOVE);
    }

    /** Puts an amount back into this thread's room, if it has that much and nobody interferes. */
    static boolean putBack(int word, long amount) {
        long seen = glance(word);
        return amount > 0 && (seen & MOVE) >= amount && compareAndSet(word, seen, seen + amount * MOVE);
    }

    /** The percent that the library keeps for a node, or {@link Integer#MIN_VALUE} while it keeps none. */
    static int keptPercent(int node) {
        long kept = getLong(node + PERCENT);
        return kept == PERCENT_UNKNOWN ? Integer.MIN_VALUE : (int) kept;
    }

    /** Whether the node itself, not one above it, is full. */
    static boolean isFull(int node) {
        return (getInt(node + STATE) & STATE_FULL_MASK) != 0;
    }

    /** Whether waits are ended at the node itself. */
    static boolean isStopped(int node) {
        return (getInt(node + STATE) & STATE_STOPPED_MASK) != 0;
    }

    /**
     * A word as it may be: plain, as the exchange that follows compares it and acquires. Whoever does not come to the exchange
     * comes to native code.
     */
    private static long glance(long offset) {
        try {
            return (long) GET_LONG.invokeExact(offset);
        } catch (Throwable never) {
            throw impossible(never);
        }
    }

    /** The long at an offset. */
    static long getLong(long offset) {
        try {
            return (long) GET_LONG_ACQUIRE.invokeExact(offset);
        } catch (Throwable never) {
            throw impossible(never);
        }
    }

    private static int getInt(long offset) {
        try {
            return (int) GET_INT_ACQUIRE.invokeExact(offset);
        } catch (Throwable never) {
            throw impossible(never);
        }
    }

    private static boolean compareAndSet(long offset, long seen, long next) {
        try {
            return (boolean) COMPARE_AND_SET.invokeExact(offset, seen, next);
        } catch (Throwable never) {
            throw impossible(never);
        }
    }

    /** An access throws nothing, unless an offset is wrong or the machine is at its end. */
    private static Error impossible(Throwable thrown) {
        return thrown instanceof Error error ? error : new AssertionError("an access of the region failed", thrown);
    }

    /** Whether a node has one stripe only: then that is its word. */
    static boolean isOne(int stripes) {
        return (stripes & STRIPES_LOG2_MASK) == 0;
    }

    /** The word of a processor. */
    static int word(int stripes, int processor) {
        int log2 = stripes & STRIPES_LOG2_MASK;
        return stripes - log2 + (processor & (1 << log2) - 1) * STRIPE_BYTES;
    }

    /** The running thread's number. */
    @SuppressWarnings("deprecation") // Thread.threadId() came with Java 19.
    static int threadNumber() {
        return (int) Thread.currentThread().getId();
    }
}
