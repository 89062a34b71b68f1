package org.queuecore.activemq;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * Who wants to be called back when there is space, or when the meter is stopped. With space it is the executor that calls; on
 * stopping it is the thread that stops the meter, as its executor may have been shut down before.
 */
final class Callbacks {
    /** Those of the meter that this thread is stopping, or null. */
    private static final ThreadLocal<List<Runnable>> ENDED = new ThreadLocal<>();

    private final BrokerMeter meter;

    Callbacks(BrokerMeter meter) {
        this.meter = meter;
    }

    /** Asks for it; false if there is space. */
    boolean add(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        org.queuecore.MemoryUsage asked = meter.meter();
        return asked.notifyCallbackWhenNotFull(() -> Later.run(() -> come(asked, callback)));
    }

    private void come(org.queuecore.MemoryUsage asked, Runnable callback) {
        if (asked != meter.meter() && add(callback)) {
            return; // It came because the meter was moved.
        }
        List<Runnable> ended = ENDED.get();
        if (ended != null) {
            ended.add(callback);
            return;
        }
        Later.guarded(() -> {
            try {
                meter.execute(callback);
            } catch (RejectedExecutionException shutDown) {
                callback.run();
            }
        });
    }

    /** Ends all waits on a native meter and those below, and runs the callbacks. It goes on at once. */
    static void end(org.queuecore.MemoryUsage waitedFor) {
        List<Runnable> before = ENDED.get();
        List<Runnable> ended = new ArrayList<>();
        ENDED.set(ended);
        try {
            waitedFor.stop();
        } finally {
            waitedFor.start();
            ENDED.set(before);
        }
        // Not before it goes on: they may ask to be called back again.
        ended.forEach(Later::guarded);
    }
}
