package org.queuecore.bench;

import java.util.concurrent.atomic.LongAdder;

/** A sum for each thread and node. It answers questions with what stands there, which nothing ever changes. */
final class AdderMeter implements Meter {
    private final AdderMeter parent;
    private final LongAdder usage = new LongAdder();
    private volatile int percent;

    AdderMeter(AdderMeter parent) {
        this.parent = parent;
    }

    @Override
    public void increase(long bytes) {
        for (AdderMeter node = this; node != null; node = node.parent) {
            node.usage.add(bytes);
        }
    }

    @Override
    public void decrease(long bytes) {
        increase(-bytes);
    }

    @Override
    public boolean isFull() {
        return percent >= 100 || parent != null && parent.isFull();
    }

    @Override
    public int percent() {
        return percent;
    }

    @Override
    public Meter child(String name) {
        return new AdderMeter(this);
    }

    @Override
    public long usage() {
        return usage.sum();
    }
}
