package org.queuecore.activemq;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.activemq.usage.MemoryUsage;
import org.apache.activemq.usage.UsageListener;
import org.slf4j.LoggerFactory;

/**
 * Who listens to one of the broker's meters. The native one is listened to while there is anybody, as steps cost something.
 *
 * <p>A step is for those who listen when the executor comes to it, as with the broker's own; whether the meter is started is
 * asked when the step comes from the native one. Then it goes into a queue, from which one thread at a time hands it over, so
 * that steps which had to wait for a lock (see {@link Later}) are not overtaken.
 */
final class Listeners {
    private final MemoryUsage owner;
    private final BrokerMeter meter;
    /** Null unless somebody else's class may read the inherited field with the percent. */
    private final InheritedPercent inheritedPercent;
    private final List<UsageListener> listeners = new CopyOnWriteArrayList<>();
    private final org.queuecore.UsageListener forward = this::told;
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    /** How often somebody wanted steps to be handed over since the one who is at it looked last. */
    private final AtomicInteger wanted = new AtomicInteger();

    Listeners(MemoryUsage owner, BrokerMeter meter) {
        this.owner = owner;
        this.meter = meter;
        inheritedPercent = InheritedPercent.of(owner);
    }

    int size() {
        return listeners.size();
    }

    /** Adds one. Within {@link Later#change}. */
    void add(UsageListener listener) {
        listeners.add(listener);
        if (listeners.size() == 1 && inheritedPercent == null) {
            meter.meter().addUsageListener(forward);
        }
    }

    /** Removes one. Within {@link Later#change}. */
    void remove(UsageListener listener) {
        if (listeners.remove(listener) && listeners.isEmpty() && inheritedPercent == null) {
            meter.meter().removeUsageListener(forward);
        }
    }

    /** The meter leaves its native one. Within {@link Later#change}. */
    void leave(org.queuecore.MemoryUsage old) {
        old.removeUsageListener(forward);
    }

    /** The meter has got a native one. Within {@link Later#change}. */
    void follow(org.queuecore.MemoryUsage now) {
        if (inheritedPercent != null || !listeners.isEmpty()) {
            now.addUsageListener(forward);
        }
        if (inheritedPercent != null) {
            inheritedPercent.set(now.getPercentUsage());
        }
    }

    private void told(org.queuecore.MemoryUsage of, int oldPercent, int newPercent) {
        if (inheritedPercent != null) {
            inheritedPercent.set(newPercent);
        }
        if (meter.isStarted() && !listeners.isEmpty()) {
            Consumer<UsageListener> tell = listener -> listener.onUsageChanged(owner, oldPercent, newPercent);
            steps.add(() -> listeners.forEach(listener -> Later.guarded(() -> tell.accept(listener))));
            Later.run(this::handOver);
        }
    }

    private void handOver() {
        if (wanted.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
                handOver(step);
            }
            seen = wanted.addAndGet(-seen);
        } while (seen != 0);
    }

    private void handOver(Runnable step) {
        Later.guarded(() -> {
            try {
                meter.execute(step);
            } catch (RejectedExecutionException shutDown) {
                LoggerFactory.getLogger(BrokerMeter.class)
                        .warn("listeners of {} are not told of a change: its executor is shut down", owner.getName());
            }
        });
    }
}
