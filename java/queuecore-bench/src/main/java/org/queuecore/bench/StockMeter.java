package org.queuecore.bench;

import org.apache.activemq.usage.MemoryUsage;

/** ActiveMQ's meter, as a broker sets it up. */
final class StockMeter implements Meter {
    private final MemoryUsage usage;

    private StockMeter(MemoryUsage usage) {
        this.usage = usage;
        usage.start();
    }

    static StockMeter root(long limit) {
        MemoryUsage usage = new MemoryUsage(null, "root");
        usage.setLimit(limit);
        return new StockMeter(usage);
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
        return new StockMeter(new MemoryUsage(usage, name));
    }

    @Override
    public long usage() {
        return usage.getUsage();
    }
}
