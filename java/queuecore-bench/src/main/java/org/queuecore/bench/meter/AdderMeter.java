package org.queuecore.bench.meter;

import java.util.concurrent.atomic.LongAdder;

/** A sum for each thread and node. It answers questions with what stands there, which nothing ever changes. */
final class AdderMeter {
    private final AdderMeter parent;
    private final LongAdder usage = new LongAdder();
    private volatile int percent;

    AdderMeter(AdderMeter parent) {
        this.parent = parent;
    }

    void increase(long bytes) {
        for (AdderMeter node = this; node != null; node = node.parent) {
            node.usage.add(bytes);
        }
    }

    void decrease(long bytes) {
        increase(-bytes);
    }

    boolean isFull() {
        return percent >= 100 || parent != null && parent.isFull();
    }

    int percent() {
        return percent;
    }

    long usage() {
        return usage.sum();
    }
}
