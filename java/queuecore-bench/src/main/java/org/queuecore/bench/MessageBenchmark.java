package org.queuecore.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.ThreadParams;

/** A message's life on the meter: 1 KiB more, is it full, which percent, is the parent full, 1 KiB less. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class MessageBenchmark {
    private static final int CHILDREN = 16;
    private static final long MESSAGE_BYTES = 1024;

    /** Sixteen children of one parent that stands where the case wants it. */
    @State(Scope.Benchmark)
    public static class Broker {
        /** Who measures. */
        @Param("queuecore")
        public Engine engine;
        /** Where the parent stands. */
        @Param("mid")
        public Case at;

        private Meter parent;
        private final Meter[] children = new Meter[CHILDREN];

        /** Makes the meters. */
        @Setup(Level.Trial)
        public void open() {
            parent = engine.root(Case.LIMIT_BYTES);
            for (int i = 0; i < CHILDREN; i++) {
                children[i] = parent.child("child " + i);
            }
            parent.child("the rest").increase(at.levelBytes);
        }

        /** A meter that lost count would be no meter. */
        @TearDown(Level.Trial)
        public void check() {
            if (parent.usage() != at.levelBytes) {
                throw new AssertionError(engine + " counts " + parent.usage() + " instead of " + at.levelBytes);
            }
        }
    }

    /** A thread's child. */
    @State(Scope.Thread)
    public static class Producer {
        private Meter child;
        private Meter parent;

        /** Thread t uses child t. */
        @Setup(Level.Trial)
        public void open(Broker broker, ThreadParams thread) {
            child = broker.children[thread.getThreadIndex() % CHILDREN];
            parent = broker.parent;
        }
    }

    /** One message. */
    @Benchmark
    public void message(Producer producer, Blackhole hole) {
        Meter child = producer.child;
        child.increase(MESSAGE_BYTES);
        hole.consume(child.isFull());
        hole.consume(child.percent());
        hole.consume(producer.parent.isFull());
        child.decrease(MESSAGE_BYTES);
    }
}
