package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads: whatever they do, the sum is exact once they are at rest. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ThreadsTest {
    private static final int THREADS = 8;

    /** Runs the same on every thread, and passes on what one throws. */
    static void onThreads(int threads, ThrowingTask task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                Callable<Void> call = () -> {
                    task.run(number);
                    return null;
                };
                running.add(pool.submit(call));
            }
            for (Future<Void> one : running) {
                one.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    /** What a thread does. */
    interface ThrowingTask {
        void run(int thread) throws Exception;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 10_000, 1_000_000, 1L << 40})
    void theSumIsExactWhereverTheLimitIs(long limit) throws Exception {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(limit);
            MemoryUsage[] meters = {
                new MemoryUsage(broker, "a"), new MemoryUsage(broker, "b"), new MemoryUsage(broker, "c"), broker
            };
            AtomicLongArray expected = new AtomicLongArray(meters.length);
            onThreads(THREADS, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                long[] mine = new long[meters.length];
                for (int i = 0; i < 100_000; i++) {
                    int at = random.nextInt(meters.length);
                    MemoryUsage meter = meters[at];
                    long bytes = 1 + random.nextInt(random.nextInt(10) == 0 ? 100_000 : 2_000);
                    switch (random.nextInt(5)) {
                        case 0, 1 -> {
                            meter.increaseUsage(bytes);
                            mine[at] += bytes;
                        }
                        case 2, 3 -> {
                            meter.decreaseUsage(bytes);
                            mine[at] -= bytes;
                        }
                        default -> mine[at] += meter.tryReserve(bytes) ? bytes : 0;
                    }
                    if (i % 64 == 0) {
                        meter.isFull();
                        meter.getPercentUsage();
                        meter.isFull(50);
                    }
                }
                for (int at = 0; at < mine.length; at++) {
                    expected.addAndGet(at, mine[at]);
                }
            });
            long sum = 0;
            for (int at = 0; at < meters.length; at++) {
                assertEquals(expected.get(at), meters[at].getStats().ownBytes(), meters[at].getName());
                sum += expected.get(at);
            }
            assertEquals(sum, broker.getUsage());
            assertEquals(sum, broker.getUsageExact());
            for (int at = 0; at < 3; at++) {
                meters[at].close();
            }
            assertEquals(expected.get(3), broker.getUsage(), "what was closed is taken off");
        }
    }

    @Test
    void aMeterThatGetsMoreStripesWhileThreadsCountStaysExact() throws Exception {
        boolean canGrow = Runtime.getRuntime().availableProcessors() > 1;
        try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage hot = new MemoryUsage(broker, "hot")) {
            broker.setLimit(1L << 50);
            AtomicBoolean grown = new AtomicBoolean(!canGrow);
            AtomicLong expected = new AtomicLong();
            onThreads(THREADS, thread -> {
                if (thread == 0 && canGrow) {
                    assertEquals(0, Languages.grow(hot.nativeHandle()));
                    grown.set(true);
                }
                // Some operations before it grows, and some after.
                for (int after = 0; after < 50_000; after += grown.get() ? 1 : 0) {
                    hot.increaseUsage(thread + 2);
                    hot.decreaseUsage(thread + 1);
                    expected.incrementAndGet();
                }
            });
            assertTrue(!canGrow || hot.getStats().stripes() > 1, hot.getStats().toString());
            assertEquals(expected.get(), hot.getUsage());
            assertEquals(expected.get(), broker.getUsage());
        }
    }

    @Test
    void reservationsNeverExceedTheLimit() throws Exception {
        long limit = 100_000;
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(limit);
            MemoryUsage[] children = new MemoryUsage[THREADS];
            for (int i = 0; i < THREADS; i++) {
                children[i] = new MemoryUsage(broker, "child " + i);
            }
            AtomicLong admitted = new AtomicLong();
            onThreads(THREADS, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < 50_000; i++) {
                    long bytes = 1 + random.nextInt(20_000);
                    if (children[thread].tryReserve(bytes)) {
                        long now = admitted.addAndGet(bytes);
                        if (now > limit) {
                            throw new AssertionError(now + " bytes are admitted");
                        }
                        admitted.addAndGet(-bytes);
                        children[thread].decreaseUsage(bytes);
                    }
                }
            });
            assertEquals(0, broker.getUsage());
            assertTrue(broker.tryReserve(limit), "all of it is free again");
        }
    }

    @Test
    void aMeterThatGetsItsFirstChildWhileItCountsLosesNothing() throws Exception {
        for (int round = 0; round < 200; round++) {
            try (MemoryUsage broker = new MemoryUsage("broker")) {
                broker.setLimit(1L << 40);
                // Kept: the collector would take off what a lost child counted.
                AtomicReference<MemoryUsage> child = new AtomicReference<>();
                onThreads(3, thread -> {
                    if (thread == 0) {
                        child.set(new MemoryUsage(broker, "child"));
                        child.get().increaseUsage(5);
                        return;
                    }
                    for (int i = 0; i < 1_000; i++) {
                        broker.increaseUsage(100);
                        broker.decreaseUsage(99);
                    }
                });
                assertEquals(2_005, broker.getUsage());
                child.get().close();
                assertEquals(2_000, broker.getUsage());
            }
        }
    }
}
