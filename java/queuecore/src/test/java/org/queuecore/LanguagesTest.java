package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One meter, and threads in Java, C++ and Rust that count on it, wait on it, and cross what is listened to. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LanguagesTest {
    private static final int OK = 0;
    private static final int DESTROYED = 4;
    /** Two for each language. */
    private static final int MIXING_THREADS = 6;
    private static final long MOST_IN_A_SLICE = 30_000_000;

    /** How often; {@code -Dqueuecore.rounds} makes it more. */
    private static int rounds(int usual) {
        return Integer.getInteger("queuecore.rounds", usual);
    }

    /** Where the broker's meter stands while the threads count. */
    enum Level {
        /** There is no limit. */
        UNLIMITED(0, 0),
        /** Nothing is near. */
        MID(1L << 40, 1L << 39),
        /** A listener hears of every percent, which is 100 kB. */
        STEPS(10_000_000, 1_000_000),
        /** The limit is crossed again and again. */
        LIMIT(2_000_000_000, 1_998_000_000);

        private final long limit;
        private final long resting;

        Level(long limit, long resting) {
            this.limit = limit;
            this.resting = resting;
        }
    }

    /** {@code make check-java} makes it a billion operations. */
    @ParameterizedTest
    @EnumSource
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void theSumIsExactWhoeverCounts(Level level) throws Exception {
        long operations = Long.getLong("queuecore.operations", 1_200_000) / Level.values().length;
        long slice = Math.min(operations, MOST_IN_A_SLICE);
        try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage orders = new MemoryUsage(broker, "orders")) {
            broker.setLimit(level.limit);
            broker.increaseUsage(level.resting);
            ListenerTest.Chain chain = new ListenerTest.Chain(broker.getPercentUsage());
            if (level == Level.STEPS) {
                broker.addUsageListener(chain);
            }
            long sum = 0;
            long done = 0;
            while (done < operations) {
                long[] left = new long[MIXING_THREADS];
                long seed = done;
                long each = (Math.min(slice, operations - done) + MIXING_THREADS - 1) / MIXING_THREADS;
                ThreadsTest.onThreads(MIXING_THREADS, thread -> left[thread] = mixed(orders, thread, seed, each));
                sum += LongStream.of(left).sum();
                done += each * MIXING_THREADS;
                assertEquals(sum, orders.getUsage(), "after " + done + " operations");
                assertEquals(level.resting + sum, broker.getUsage(), "after " + done + " operations");
                // Back to where it was, so that each slice is at the level that it is about.
                orders.decreaseUsage(sum);
                sum = 0;
                if (operations > slice) {
                    System.out.printf("%s: %,d of %,d operations, the sum is exact%n", level, done, operations);
                }
            }
            while (level == Level.STEPS && chain.last() != broker.getPercentUsage()) {
                Thread.onSpinWait(); // the delivery thread has not been at it yet
            }
            assertFalse(chain.broken.get(), "the chain is broken");
        }
    }

    /** A thread's part, in its language. Answers what it left behind. */
    private static long mixed(MemoryUsage orders, int thread, long slice, long operations) throws InterruptedException {
        long seed = slice * MIXING_THREADS + thread;
        if (thread % 3 == 0) {
            return mixedInJava(orders, seed, operations);
        }
        long[] left = new long[1];
        assertEquals(OK, Languages.mix(thread % 3 == 1, orders.nativeHandle(), seed, operations, left));
        return left[0];
    }

    /** The same as in {@code bindings/jni-languages}. */
    private static long mixedInJava(MemoryUsage orders, long seed, long operations) throws InterruptedException {
        long random = seed;
        long left = 0;
        for (long i = 0; i < operations; i++) {
            random = random * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
            long amount = 1 + (random >>> 50);
            int kind = (int) (random >>> 32) & 15;
            boolean isRare = (random >>> 36 & 255) == 0;
            if (kind == 0) {
                left += orders.tryReserve(amount) ? amount : 0;
            } else if (kind == 1) {
                if (!isRare) {
                    orders.getPercentUsage();
                } else if (orders.reserve(amount, 0)) {
                    left += amount;
                }
            } else if (kind == 2 && isRare) {
                orders.increaseUsage(amount << 24);
                orders.decreaseUsage(amount << 24);
            } else if (left >= amount && (kind % 2 == 0 || left > 1 << 20)) {
                orders.decreaseUsage(amount);
                left -= amount;
            } else {
                orders.increaseUsage(amount);
                left += amount;
            }
        }
        return left;
    }

    @Test
    void noWakeUpIsLostWhoeverFreesAndWhoeverWaits() throws Exception {
        int rounds = rounds(1_500);
        try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage orders = new MemoryUsage(broker, "orders")) {
            broker.setLimit(1_000);
            long handle = orders.nativeHandle();
            CyclicBarrier round = new CyclicBarrier(4, () -> orders.increaseUsage(1_000));
            ThreadsTest.onThreads(4, thread -> {
                for (int i = 0; i < rounds; i++) {
                    round.await();
                    switch (thread) {
                        case 0 -> assertEquals(OK, Languages.waitForSpace(true, handle, 100));
                        case 1 -> assertEquals(OK, Languages.waitForSpace(false, handle, 100));
                        case 2 -> assertTrue(orders.waitForSpace(-1, 100));
                        default -> free(orders, i);
                    }
                }
            });
            assertEquals(0, broker.getUsage());
            assertEquals(0, broker.getStats().waiters());
        }
    }

    private static void free(MemoryUsage orders, int round) {
        switch (round % 3) {
            case 0 -> orders.decreaseUsage(1_000);
            case 1 -> assertEquals(OK, Languages.add(true, orders.nativeHandle(), -1_000));
            default -> assertEquals(OK, Languages.add(false, orders.nativeHandle(), -1_000));
        }
    }

    @Test
    void javaHearsWhatOthersCross() throws Exception {
        try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage orders = new MemoryUsage(broker, "orders")) {
            broker.setLimit(1_000);
            ListenerTest.Chain chain = new ListenerTest.Chain(0);
            broker.addUsageListener(chain);
            CountDownLatch last = new CountDownLatch(1);
            broker.addUsageListener((usage, from, to) -> {
                if (to == 95) {
                    last.countDown();
                }
            });
            ThreadsTest.onThreads(3, thread -> {
                for (int i = 0; i < 200; i++) {
                    long change = 10 * (1 + i % 30);
                    for (long by : new long[] {change, -change}) {
                        if (thread == 2) {
                            add(orders, by);
                        } else {
                            assertEquals(OK, Languages.add(thread == 0, orders.nativeHandle(), by));
                        }
                    }
                }
            });
            // The three of them together never came that far.
            assertEquals(OK, Languages.add(true, orders.nativeHandle(), 950));
            last.await();
            assertTrue(!chain.broken.get(), "the chain is broken");
            assertEquals(95, chain.last());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBlockedPullIsToldWhenAnotherLanguageFreesTheMemory(boolean cpp) throws Exception {
        try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage usage = new MemoryUsage(broker, "orders")) {
            broker.setLimit(100_000);
            MapStore store = new MapStore();
            store.put(1, 1000, 0);
            CursorOptions host = new CursorOptions().accounting(CursorOptions.Accounting.HOST);
            try (Cursor cursor = new Cursor(host, usage, store)) {
                CursorBatch batch = new CursorBatch(1);
                CountDownLatch ready = new CountDownLatch(1);
                AtomicReference<String> by = new AtomicReference<>();
                cursor.onReady(() -> {
                    by.set(Thread.currentThread().getName());
                    ready.countDown();
                });
                cursor.open(1, 1000, 1);
                usage.increaseUsage(90_000);
                assertEquals(PullEnd.BLOCKED, cursor.pull(1, batch));
                assertEquals(OK, Languages.add(cpp, usage.nativeHandle(), -90_000));
                ready.await();
                assertEquals("queuecore-listeners", by.get());
                cursor.pull(1, batch);
                assertEquals(1, batch.delivered());
            }
        }
    }

    private static void add(MemoryUsage usage, long change) {
        if (change > 0) {
            usage.increaseUsage(change);
        } else {
            usage.decreaseUsage(-change);
        }
    }

    @Test
    void aClosedMeterIsDestroyedForAll() {
        MemoryUsage usage = new MemoryUsage("closed");
        usage.close();
        assertEquals(DESTROYED, Languages.add(true, usage.nativeHandle(), 1));
        assertEquals(DESTROYED, Languages.add(false, usage.nativeHandle(), 1));
        assertEquals(DESTROYED, Languages.waitForSpace(true, usage.nativeHandle(), 1));
    }
}
