package org.queuecore.activemq;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;

/**
 * Who wants to be called back when there is space, or when the meter is stopped. With space it is the executor that calls; on
 * stopping it is the thread that stops the meter, as its executor may have been shut down before.
 *
 * <p>A native notice can be delivered by any thread. So a callback stands in a set meanwhile, and belongs to who takes it out:
 * who delivers its notice, or who stops the meter, before the notices of that go out.
 */
final class Callbacks {
    private final BrokerMeter meter;
    private final Set<Asked> waiting = ConcurrentHashMap.newKeySet(1);

    Callbacks(BrokerMeter meter) {
        this.meter = meter;
    }

    /** Asks for it; false if there is space. */
    boolean add(Runnable callback) {
        Asked asked = new Asked(Objects.requireNonNull(callback, "callback"));
        waiting.add(asked);
        try {
            // If it is not to come and not there, somebody has stopped the meter meanwhile, and runs it.
            return ask(asked) || !waiting.remove(asked);
        } catch (Throwable failed) {
            waiting.remove(asked);
            throw failed;
        }
    }

    private boolean ask(Asked asked) {
        org.queuecore.MemoryUsage full = meter.meter();
        return full.notifyCallbackWhenNotFull(() -> Later.run(() -> come(full, asked)));
    }

    private void come(org.queuecore.MemoryUsage full, Asked asked) {
        if (full != meter.meter() && ask(asked)) {
            return; // It came because the meter was moved.
        }
        if (waiting.remove(asked)) {
            Later.guarded(() -> {
                try {
                    meter.execute(asked.callback);
                } catch (RejectedExecutionException shutDown) {
                    asked.callback.run();
                }
            });
        }
    }

    /** Ends all waits on the meter and those below, which then goes on at once, and runs the callbacks. */
    void end() {
        List<Runnable> ended = new ArrayList<>();
        meter.forEachBelow(level -> level.callbacks().take(ended));
        org.queuecore.MemoryUsage waitedFor = meter.meter();
        try {
            waitedFor.stop();
        } finally {
            waitedFor.start();
            // Not before it goes on: they may ask to be called back again.
            ended.forEach(Later::guarded);
        }
    }

    private void take(List<Runnable> ended) {
        for (Asked asked : waiting) {
            if (waiting.remove(asked)) {
                ended.add(asked.callback);
            }
        }
    }

    /** One callback of one call: the same may be asked for twice. */
    private static final class Asked {
        private final Runnable callback;

        Asked(Runnable callback) {
            this.callback = callback;
        }
    }
}
