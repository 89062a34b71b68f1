package org.queuecore.activemq;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is the user's (listeners, callbacks, executors) out of our one lock. A native call delivers what has happened when
 * it returns, also one that is made under the lock; what is to be run then waits until the lock is free.
 */
final class Later {
    private static final Object LOCK = new Object();
    /** Guarded by the lock. */
    private static final List<Runnable> POSTPONED = new ArrayList<>();

    private Later() {
    }

    /** Makes a change of a meter's place, limit or listeners: one at a time in the process, as they are rare. */
    static void change(Runnable change) {
        Runnable[] due = {};
        try {
            synchronized (LOCK) {
                try {
                    change.run();
                } finally {
                    due = POSTPONED.toArray(due);
                    POSTPONED.clear();
                }
            }
        } finally {
            for (Runnable task : due) {
                run(task);
            }
        }
    }

    /** Runs a task now, or after the change that this thread is making. */
    static void run(Runnable task) {
        if (Thread.holdsLock(LOCK)) {
            POSTPONED.add(task);
        } else {
            task.run();
        }
    }

    /** Runs what is the user's. What it throws harms nobody else. */
    static void guarded(Runnable theirs) {
        try {
            theirs.run();
        } catch (Throwable thrown) {
            LoggerFactory.getLogger(BrokerMeter.class).warn("a usage listener or callback threw", thrown);
        }
    }
}
