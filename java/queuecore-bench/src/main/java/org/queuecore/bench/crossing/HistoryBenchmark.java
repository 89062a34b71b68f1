package org.queuecore.bench.crossing;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.queuecore.History;
import org.queuecore.HistoryBatch;
import org.queuecore.HistoryOptions;
import org.queuecore.InsertOutcome;

/**
 * A message on a history that is full of remembered keys: it is inserted, with its duplicate check, and erased when 64 are there;
 * as many expire as come. By single calls, in batches of 64, and by what {@code java.util} has.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class HistoryBenchmark {
    private static final int TURN = 64;
    private static final long TICK = 1000;

    /** Keys that look like GUIDs, each new, and a clock that moves a tick for each. */
    private static final class Source {
        private long count;

        long high() {
            return ++count * 0x9e37_79b9_7f4a_7c15L;
        }

        long low() {
            return count;
        }

        long now() {
            return count * TICK;
        }
    }

    private static void check(boolean isRight, Object what) {
        if (!isRight) {
            throw new AssertionError(what);
        }
    }

    /** The library's. */
    @State(Scope.Thread)
    public static class Native {
        /** How many keys are remembered. */
        @Param("100000")
        public int remembered;

        private final Source source = new Source();
        private final HistoryBatch batch = new HistoryBatch(TURN);
        private final long[] entries = new long[TURN];
        private History history;

        /** Fills it. */
        @Setup(Level.Trial)
        public void fill() {
            history = new History(new HistoryOptions().windowNanos(remembered * TICK));
            for (int i = 0; i < remembered + TURN; i += TURN) {
                inBatches();
            }
        }

        /** Looks whether it did what it should. */
        @TearDown(Level.Trial)
        public void end() {
            check(history.liveLen() == 0 && Math.abs(history.historyLen() - remembered) <= 2 * TURN, history.getStats());
            history.close();
        }

        private void singly() {
            for (int i = 0; i < TURN; i++) {
                long high = source.high();
                check(history.insert(high, source.low(), source.now(), source.now()) == InsertOutcome.ADDED, "a duplicate");
                entries[i] = history.lastEntry();
            }
            for (int i = 0; i < TURN; i++) {
                history.erase(entries[i], source.now());
            }
        }

        private void inBatches() {
            batch.clear();
            for (int i = 0; i < TURN; i++) {
                long high = source.high();
                batch.addKey(high, source.low(), source.now());
            }
            history.insertBatch(batch, source.now());
            for (int i = 0; i < TURN; i++) {
                check(batch.outcome(i) == InsertOutcome.ADDED, "a duplicate");
                batch.addEntry(batch.entry(i));
            }
            history.eraseBatch(batch, source.now());
        }
    }

    /** {@code java.util}'s. */
    @State(Scope.Thread)
    public static class Util {
        /** How many keys are remembered. */
        @Param("100000")
        public int remembered;

        private final Source source = new Source();
        private final UtilHistory.Entry[] entries = new UtilHistory.Entry[TURN];
        private UtilHistory history;

        /** Fills it. */
        @Setup(Level.Trial)
        public void fill() {
            history = new UtilHistory(remembered * TICK);
            for (int i = 0; i < remembered + TURN; i += TURN) {
                turn();
            }
        }

        /** Looks whether it did what it should. */
        @TearDown(Level.Trial)
        public void end() {
            check(Math.abs(history.size() - remembered) <= 2 * TURN, history.size());
        }

        private void turn() {
            for (int i = 0; i < TURN; i++) {
                long high = source.high();
                entries[i] = history.insert(high, source.low(), source.now());
                check(entries[i] != null, "a duplicate");
            }
            for (int i = 0; i < TURN; i++) {
                history.erase(entries[i]);
            }
        }
    }

    /**
     * Two calls for each message.
     *
     * @param with the history
     */
    @Benchmark
    @OperationsPerInvocation(TURN)
    public void single(Native with) {
        with.singly();
    }

    /**
     * Two calls for 64 messages.
     *
     * @param with the history
     */
    @Benchmark
    @OperationsPerInvocation(TURN)
    public void batch(Native with) {
        with.inBatches();
    }

    /**
     * No call.
     *
     * @param with the history
     */
    @Benchmark
    @OperationsPerInvocation(TURN)
    public void util(Util with) {
        with.turn();
    }
}
