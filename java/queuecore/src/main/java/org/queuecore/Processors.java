package org.queuecore;

/**
 * On which processor each thread was when it last came to native code to count; so which of a meter's words it uses, if
 * there is more than one. Java does not say which processor runs a thread, and native code does, on its way back.
 *
 * <pre>
 *                      +---+---+---+---+----   ---+
 * by a thread's number | 0 | 1 | 1 | 0 |   ...    |   the processor, where it was last
 *                      +---+---+---+---+----   ---+
 *                            | read for each message, written when a thread has moved
 *                            v
 *                 word 0  [word 1]                    of the meter
 * </pre>
 *
 * Nothing depends on its being true: each word is as good as another, as long as no other processor uses it. It puts itself
 * right. Two processors at one word take exchanges from each other; who loses one comes to native code, and is told where it
 * runs. And native code fills up the word of the processor that it runs on, so who comes because its word has run dry goes on
 * at the one that has been filled.
 *
 * <p>Threads whose numbers differ by a multiple of {@link #THREADS} share an entry, and with that a word.
 */
final class Processors {
    static final int THREADS = 1 << 16;
    /** The library has at most as many words for a meter. */
    private static final int PROCESSORS = 128;

    /** A byte for each, read and written without order. Whoever has not come yet is on processor 0. */
    private static final byte[] LAST = new byte[THREADS];

    private Processors() {
    }

    /** The processor, modulo the most words that there are. */
    static int of(int thread) {
        return LAST[thread & THREADS - 1];
    }

    /** The running thread has been there. */
    static void ranOn(int processor) {
        note(Region.threadNumber(), processor);
    }

    /** A thread has been there. */
    static void note(int thread, int processor) {
        byte now = (byte) (processor & PROCESSORS - 1);
        if (LAST[thread & THREADS - 1] != now) {
            LAST[thread & THREADS - 1] = now;
        }
    }
}
