package org.queuecore.bench.crossing;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.queuecore.Cursor;
import org.queuecore.CursorBatch;
import org.queuecore.CursorOptions;
import org.queuecore.CursorPage;
import org.queuecore.CursorPolicy;
import org.queuecore.CursorStore;
import org.queuecore.MemoryUsage;

/**
 * A message on a cursor: it is pushed, pulled and acknowledged, 64 at a time. By single calls and in batches while all is cached, and
 * in batches by pages of a store that costs next to nothing.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class CursorBenchmark {
    private static final int TURN = 64;
    private static final int BYTES = 1024;

    /** All messages, each as any other. */
    private static final class Numbers implements CursorStore {
        @Override
        public void fetch(long after, long upTo, CursorPage page) {
            for (long sequence = after + 1; sequence <= upTo && page.hasRoom(BYTES); sequence++) {
                page.add(sequence, 0, BYTES, 4);
            }
        }
    }

    /** A queue. */
    @State(Scope.Thread)
    public static class Queue {
        private final MemoryUsage usage = new MemoryUsage("queue");
        private final CursorBatch batch = new CursorBatch(TURN);
        private final CursorBatch one = new CursorBatch(1);
        private final long[] taken = new long[TURN];
        private Cursor cached;
        private Cursor paged;
        private long sequence;

        /** Makes it. */
        @Setup(Level.Trial)
        public void open() {
            usage.setLimit(1 << 30);
            cached = new Cursor(new CursorOptions(), usage, new Numbers());
            paged = new Cursor(new CursorOptions().policy(new CursorPolicy().useCache(false)), usage, new Numbers());
        }

        /** Looks whether it did what it should. */
        @TearDown(Level.Trial)
        public void end() {
            if (usage.getUsage() > 200L * BYTES || cached.getStats().pages() != 0) {
                throw new AssertionError(cached.getStats());
            }
            cached.close();
            paged.close();
            usage.close();
        }

        private void singly() {
            for (int i = 0; i < TURN; i++) {
                sequence++;
                cached.push(sequence, sequence, 0, BYTES, 4);
            }
            for (int i = 0; i < TURN; i++) {
                cached.pull(1, one);
                taken[i] = one.sequence(0);
            }
            for (int i = 0; i < TURN; i++) {
                cached.ack(taken[i]);
            }
        }

        private void inBatches(Cursor cursor) {
            batch.clear();
            for (int i = 0; i < TURN; i++) {
                sequence++;
                batch.addMessage(sequence, sequence, 0, BYTES, 4);
            }
            cursor.pushBatch(batch);
            for (int pulled = 0; pulled < TURN; pulled += batch.delivered()) {
                cursor.pull(TURN - pulled, batch);
                for (int i = 0; i < batch.delivered(); i++) {
                    batch.addAck(batch.sequence(i));
                }
            }
            cursor.ackBatch(batch);
        }
    }

    /**
     * Three calls for each message.
     *
     * @param queue the queue
     */
    @Benchmark
    @OperationsPerInvocation(TURN)
    public void single(Queue queue) {
        queue.singly();
    }

    /**
     * Three calls for 64 messages.
     *
     * @param queue the queue
     */
    @Benchmark
    @OperationsPerInvocation(TURN)
    public void batch(Queue queue) {
        queue.inBatches(queue.cached);
    }

    /**
     * The same, and a page for them.
     *
     * @param queue the queue
     */
    @Benchmark
    @OperationsPerInvocation(TURN)
    public void paged(Queue queue) {
        queue.inBatches(queue.paged);
    }
}
