package org.queuecore;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One notice that was asked for, and all who wait for it: the moment when every level of a meter is below some percent, or
 * when a reservation has come to its turn; or the end of that. Threads that wait for the same percent share one, so there is
 * at most one for each percent, however many wait; the last one who gives up takes it back.
 */
final class Space {
    /** Reasons, as of {@code qc_status}. */
    private static final int OK = 0;
    private static final int DESTROYED = 4;

    /** What the notice is known by in its tree. */
    final long number;
    /** What natives have written to find it again: a ticket, and its context. */
    final long[] asked = new long[2];
    /** How many threads and callbacks wait for it. Guarded by who shares it out. */
    int users;
    private final CountDownLatch come = new CountDownLatch(1);
    private volatile int reason;
    /** What to run when it comes; null once somebody runs it. */
    private List<Runnable> callbacks = new ArrayList<>(0);

    Space(long number) {
        this.number = number;
    }

    /** It has come: who waits goes on. Answers whether there are callbacks to run as well. */
    synchronized boolean come(int reason) {
        this.reason = reason;
        come.countDown();
        return callbacks != null && !callbacks.isEmpty();
    }

    /** Runs the callbacks, after it has come, once. */
    void runCallbacks() {
        List<Runnable> due;
        synchronized (this) {
            due = callbacks;
            callbacks = null;
        }
        if (due != null) {
            due.forEach(Tree::run);
        }
    }

    boolean hasCome() {
        return come.getCount() == 0;
    }

    /** Waits for it, without end if the time is negative. Answers whether it has come. */
    boolean await(long timeoutMillis) throws InterruptedException {
        if (timeoutMillis < 0) {
            come.await();
            return true;
        }
        return come.await(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    /** Whether it came for the reason that was waited for. */
    boolean isThere() {
        return hasCome() && reason == OK;
    }

    /** Whether the meter was closed instead. */
    boolean isClosed() {
        return hasCome() && reason == DESTROYED;
    }

    /** Has it run when it comes; false if it has come already. */
    synchronized boolean add(Runnable callback) {
        return !hasCome() && callbacks.add(callback);
    }
}
