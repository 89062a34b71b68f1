package org.queuecore.bench.meter;

/** What is compared; {@link MessageBenchmark} has a method of each name. */
public enum Engine {
    /** ActiveMQ's own meter: a read-write lock for each node. */
    stock,
    /** One atomic for each node, and a percent that is published when it changes. */
    atomic,
    /** A {@code LongAdder} for each node, which never knows where it stands: a ceiling, not a meter. */
    adder,
    /** The meter of this library. */
    queuecore;

    boolean isCeiling() {
        return this == adder;
    }
}
