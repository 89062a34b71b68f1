package org.queuecore.bench;

/** What a message needs of a meter; one implementation for each engine. */
interface Meter {
    void increase(long bytes);

    void decrease(long bytes);

    boolean isFull();

    int percent();

    /** A meter below this one, with this one's limit. */
    Meter child(String name);

    /** What is counted, for the check after a run. */
    long usage();
}
