package org.queuecore.bench.broker;

/** What the broker is given to do. */
enum Workload {
    /** Non-persistent messages, a topic for each producer, each with one subscriber. */
    topic,
    /** Persistent messages in KahaDB, a queue for each producer, each with one consumer. */
    queue
}
