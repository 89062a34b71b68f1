package org.queuecore;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Room for one more meter. What closed or lost meters had comes back when the collector has found their objects
 * ({@link Ownership}), and the collector looks when the heap fills up: it does not see that the region or a tree is full. So who
 * finds no room asks for a collection, and tries again as long as something comes back. One at a time does: whoever takes what it
 * waits for comes to need something too, and then stands in line behind it.
 */
final class Room {
    private static final long LONGEST_WAIT_MILLIS = 256;
    private static final ReentrantLock IN_NEED = new ReentrantLock(true);
    /** How many meters' memory has come back. Guarded by the class. */
    private static long releases;

    private Room() {
    }

    /** A meter's memory has come back. */
    static synchronized void released() {
        releases++;
        Room.class.notifyAll();
    }

    /** Makes a tracker: {@link Native#create}, which throws only when there is no room even so. */
    static void create(long parent, long mailbox, long[] settings, long[] made) {
        try {
            Native.create(parent, mailbox, settings, made);
        } catch (OutOfMemoryError | QueuecoreException full) {
            if (!isFull(full)) {
                throw full;
            }
            IN_NEED.lock();
            try {
                createInNeed(parent, mailbox, settings, made);
            } finally {
                IN_NEED.unlock();
            }
        }
    }

    private static void createInNeed(long parent, long mailbox, long[] settings, long[] made) {
        long waitMillis = 1;
        boolean mayFind = true;
        while (true) {
            long before = releases();
            try {
                Native.create(parent, mailbox, settings, made);
                return;
            } catch (OutOfMemoryError | QueuecoreException full) {
                if (!isFull(full) || waitMillis > LONGEST_WAIT_MILLIS) {
                    throw full;
                }
            }
            if (mayFind) {
                System.gc();
            }
            // What came and was taken by others may be lost by now.
            mayFind = hasMore(before, waitMillis);
            if (!mayFind) {
                waitMillis *= 2;
            }
        }
    }

    private static boolean isFull(Throwable thrown) {
        String words = String.valueOf(thrown.getMessage());
        // Not for want of levels: a deeper tree is never to be had.
        return words.startsWith("QC_ERR_NO_MEMORY") || words.startsWith("QC_ERR_CAPACITY") && !words.contains("levels");
    }

    private static synchronized long releases() {
        return releases;
    }

    /** Waits until more has come back than before, or the time is up. */
    private static synchronized boolean hasMore(long before, long waitMillis) {
        boolean interrupted = Thread.interrupted();
        if (releases == before) {
            try {
                Room.class.wait(waitMillis);
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return releases != before;
    }
}
