package org.queuecore.bench.meter;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.activemq.usage.MemoryUsage;
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
import org.openjdk.jmh.infra.ThreadParams;

/**
 * A message's life on the meter: 1 KiB more, is it full, which percent, is the parent full, 1 KiB less. Each engine by its own
 * class, as a broker would call it: an interface between would cost more than some of the calls.
 *
 * <p>Sixteen children of one parent that stands where the case wants it; thread t uses child t.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class MessageBenchmark {
    private static final int CHILDREN = 16;
    private static final long MESSAGE_BYTES = 1024;

    /** The case. */
    @State(Scope.Benchmark)
    public static class Where {
        /** Where the parent stands. */
        @Param("mid")
        public Case at;

        /** A meter that lost count would be no meter. */
        void check(long usage) {
            if (usage != at.levelBytes) {
                throw new AssertionError(usage + " bytes are counted instead of " + at.levelBytes);
            }
        }
    }

    private static <T> Object[] children(T parent, Function<T, ?> child) {
        Object[] children = new Object[CHILDREN];
        for (int i = 0; i < CHILDREN; i++) {
            children[i] = child.apply(parent);
        }
        return children;
    }

    private static <T> T mine(Class<T> type, Object[] children, ThreadParams thread) {
        return type.cast(children[thread.getThreadIndex() % CHILDREN]);
    }

    /** ActiveMQ's meters, started as a broker starts them. */
    @State(Scope.Benchmark)
    public static class Stock {
        private final MemoryUsage parent = new MemoryUsage(null, "parent");
        private Object[] children;

        /** Makes them. */
        @Setup(Level.Trial)
        public void open(Where where) {
            parent.setLimit(Case.LIMIT_BYTES);
            parent.start();
            children = children(parent, Stock::child);
            child(parent).increaseUsage(where.at.levelBytes);
        }

        private static MemoryUsage child(MemoryUsage parent) {
            MemoryUsage child = new MemoryUsage(parent, "child");
            child.start();
            return child;
        }

        /** Compares. */
        @TearDown(Level.Trial)
        public void check(Where where) {
            where.check(parent.getUsage());
        }
    }

    /** A thread's. */
    @State(Scope.Thread)
    public static class StockChild {
        private MemoryUsage child;
        private MemoryUsage parent;

        /** Finds them. */
        @Setup(Level.Trial)
        public void open(Stock all, ThreadParams thread) {
            child = mine(MemoryUsage.class, all.children, thread);
            parent = all.parent;
        }
    }

    /** One message. */
    @Benchmark
    public int stock(StockChild my) {
        MemoryUsage child = my.child;
        MemoryUsage parent = my.parent;
        child.increaseUsage(MESSAGE_BYTES);
        int seen = child.isFull() ? 1 : 0;
        seen += child.getPercentUsage();
        seen += parent.isFull() ? 1 : 0;
        child.decreaseUsage(MESSAGE_BYTES);
        return seen;
    }

    /** This library's meters. */
    @State(Scope.Benchmark)
    public static class Queuecore {
        private final org.queuecore.MemoryUsage parent = new org.queuecore.MemoryUsage("parent");
        private final org.queuecore.MemoryUsage rest = new org.queuecore.MemoryUsage(parent, "rest");
        private Object[] children;

        /** Makes them. */
        @Setup(Level.Trial)
        public void open(Where where) {
            parent.setLimit(Case.LIMIT_BYTES);
            children = children(parent, above -> new org.queuecore.MemoryUsage(above, "child"));
            rest.increaseUsage(where.at.levelBytes);
        }

        /** Compares. */
        @TearDown(Level.Trial)
        public void check(Where where) {
            where.check(parent.getUsage());
        }
    }

    /** A thread's. */
    @State(Scope.Thread)
    public static class QueuecoreChild {
        private org.queuecore.MemoryUsage child;
        private org.queuecore.MemoryUsage parent;

        /** Finds them. */
        @Setup(Level.Trial)
        public void open(Queuecore all, ThreadParams thread) {
            child = mine(org.queuecore.MemoryUsage.class, all.children, thread);
            parent = all.parent;
        }
    }

    /** One message. */
    @Benchmark
    public int queuecore(QueuecoreChild my) {
        org.queuecore.MemoryUsage child = my.child;
        org.queuecore.MemoryUsage parent = my.parent;
        child.increaseUsage(MESSAGE_BYTES);
        int seen = child.isFull() ? 1 : 0;
        seen += child.getPercentUsage();
        seen += parent.isFull() ? 1 : 0;
        child.decreaseUsage(MESSAGE_BYTES);
        return seen;
    }

    /** One atomic for each node. */
    @State(Scope.Benchmark)
    public static class Atomic {
        private final AtomicMeter parent = new AtomicMeter(null, Case.LIMIT_BYTES);
        private Object[] children;

        /** Makes them. */
        @Setup(Level.Trial)
        public void open(Where where) {
            children = children(parent, above -> new AtomicMeter(above, Case.LIMIT_BYTES));
            new AtomicMeter(parent, Case.LIMIT_BYTES).increase(where.at.levelBytes);
        }

        /** Compares. */
        @TearDown(Level.Trial)
        public void check(Where where) {
            where.check(parent.usage());
        }
    }

    /** A thread's. */
    @State(Scope.Thread)
    public static class AtomicChild {
        private AtomicMeter child;
        private AtomicMeter parent;

        /** Finds them. */
        @Setup(Level.Trial)
        public void open(Atomic all, ThreadParams thread) {
            child = mine(AtomicMeter.class, all.children, thread);
            parent = all.parent;
        }
    }

    /** One message. */
    @Benchmark
    public int atomic(AtomicChild my) {
        AtomicMeter child = my.child;
        AtomicMeter parent = my.parent;
        child.increase(MESSAGE_BYTES);
        int seen = child.isFull() ? 1 : 0;
        seen += child.percent();
        seen += parent.isFull() ? 1 : 0;
        child.decrease(MESSAGE_BYTES);
        return seen;
    }

    /** A sum for each thread and node. */
    @State(Scope.Benchmark)
    public static class Adder {
        private final AdderMeter parent = new AdderMeter(null);
        private Object[] children;

        /** Makes them. */
        @Setup(Level.Trial)
        public void open(Where where) {
            children = children(parent, AdderMeter::new);
            new AdderMeter(parent).increase(where.at.levelBytes);
        }

        /** Compares. */
        @TearDown(Level.Trial)
        public void check(Where where) {
            where.check(parent.usage());
        }
    }

    /** A thread's. */
    @State(Scope.Thread)
    public static class AdderChild {
        private AdderMeter child;
        private AdderMeter parent;

        /** Finds them. */
        @Setup(Level.Trial)
        public void open(Adder all, ThreadParams thread) {
            child = mine(AdderMeter.class, all.children, thread);
            parent = all.parent;
        }
    }

    /** One message. */
    @Benchmark
    public int adder(AdderChild my) {
        AdderMeter child = my.child;
        AdderMeter parent = my.parent;
        child.increase(MESSAGE_BYTES);
        int seen = child.isFull() ? 1 : 0;
        seen += child.percent();
        seen += parent.isFull() ? 1 : 0;
        child.decrease(MESSAGE_BYTES);
        return seen;
    }
}
