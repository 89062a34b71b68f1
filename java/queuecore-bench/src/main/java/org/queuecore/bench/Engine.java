package org.queuecore.bench;

/** What is compared. */
public enum Engine {
    /** ActiveMQ's own meter: a read-write lock for each node. */
    stock {
        @Override
        Meter root(long limit) {
            return StockMeter.root(limit);
        }
    },
    /** One atomic for each node, and a percent that is published when it changes. */
    atomic {
        @Override
        Meter root(long limit) {
            return new AtomicMeter(null, limit);
        }
    },
    /** A {@code LongAdder} for each node, which never knows where it stands: a ceiling, not a meter. */
    adder {
        @Override
        Meter root(long limit) {
            return new AdderMeter(null);
        }
    },
    queuecore {
        @Override
        Meter root(long limit) {
            return QueuecoreMeter.root(limit);
        }
    };

    abstract Meter root(long limit);

    boolean isCeiling() {
        return this == adder;
    }
}
