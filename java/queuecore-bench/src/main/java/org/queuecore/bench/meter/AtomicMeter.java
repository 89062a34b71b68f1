package org.queuecore.bench.meter;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One atomic for each node. Whoever changes it compares the percent with the published one, and only if it is another one
 * takes the lock and publishes, until what is published is the truth.
 */
final class AtomicMeter {
    private final AtomicMeter parent;
    private final long limit;
    private final AtomicLong usage = new AtomicLong();
    private final ReentrantLock publishing = new ReentrantLock();
    private volatile int percent;

    AtomicMeter(AtomicMeter parent, long limit) {
        this.parent = parent;
        this.limit = limit;
    }

    void increase(long bytes) {
        for (AtomicMeter node = this; node != null; node = node.parent) {
            node.add(bytes);
        }
    }

    void decrease(long bytes) {
        for (AtomicMeter node = this; node != null; node = node.parent) {
            node.add(-bytes);
        }
    }

    private void add(long bytes) {
        if (percentOf(usage.addAndGet(bytes)) != percent) {
            publish();
        }
    }

    private void publish() {
        publishing.lock();
        try {
            int now;
            do {
                now = percentOf(usage.get());
                percent = now;
            } while (percentOf(usage.get()) != now);
        } finally {
            publishing.unlock();
        }
    }

    private int percentOf(long bytes) {
        return (int) (bytes * 100 / limit);
    }

    boolean isFull() {
        for (AtomicMeter node = this; node != null; node = node.parent) {
            if (node.percent >= 100) {
                return true;
            }
        }
        return false;
    }

    int percent() {
        return percent;
    }

    long usage() {
        return usage.get();
    }
}
