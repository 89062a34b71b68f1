package org.queuecore.bench;

import org.queuecore.MemoryUsage;

/** The meter of this library. */
final class QueuecoreMeter implements Meter {
    private final MemoryUsage usage;

    private QueuecoreMeter(MemoryUsage usage) {
        this.usage = usage;
    }

    static QueuecoreMeter root(long limit) {
        MemoryUsage usage = new MemoryUsage("root");
        usage.setLimit(limit);
        return new QueuecoreMeter(usage);
    }

    @Override
    public void increase(long bytes) {
        usage.increaseUsage(bytes);
    }

    @Override
    public void decrease(long bytes) {
        usage.decreaseUsage(bytes);
    }

    @Override
    public boolean isFull() {
        return usage.isFull();
    }

    @Override
    public int percent() {
        return usage.getPercentUsage();
    }

    @Override
    public Meter child(String name) {
        return new QueuecoreMeter(new MemoryUsage(usage, name));
    }

    @Override
    public long usage() {
        return usage.getUsage();
    }
}
