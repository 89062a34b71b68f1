package org.queuecore.bench.meter;

import org.queuecore.bench.Rounds;

/** One case, number of threads and engine, with a rate for each round in millions of operations a second. */
record Measured(Case at, int threads, Engine engine, Rounds rates) {
    boolean is(Case at, int threads, Engine engine) {
        return this.at == at && this.threads == threads && this.engine == engine;
    }
}
