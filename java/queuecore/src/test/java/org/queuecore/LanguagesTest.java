package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One meter, and threads in Java, C++ and Rust that count on it, wait on it, and cross what is listened to. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LanguagesTest {
    private static final int OK = 0;
    private static final int DESTROYED = 4;

    /** How often; {@code -Dqueuecore.rounds} makes it more. */
    private static int rounds(int usual) {
        return Integer.getInteger("queuecore.rounds", usual);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 50_000, 1L << 40})
    void theSumIsExactWhoeverCounts(long limit) throws Exception {
        int rounds = rounds(50_000);
        try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage orders = new MemoryUsage(broker, "orders")) {
            broker.setLimit(limit);
            ThreadsTest.onThreads(4, thread -> {
                switch (thread) {
                    case 0 -> assertEquals(OK, Languages.churn(true, orders.nativeHandle(), 2, rounds, 1_000));
                    case 1 -> assertEquals(OK, Languages.churn(false, orders.nativeHandle(), 2, rounds, 10));
                    default -> {
                        for (int i = 0; i < rounds; i++) {
                            orders.increaseUsage(i % 5_000);
                            orders.decreaseUsage(i % 5_000);
                        }
                        orders.increaseUsage(100_000);
                    }
                }
            });
            assertEquals(2 * (1_000 + 10 + 100_000), orders.getUsage());
            assertEquals(orders.getUsage(), broker.getUsage());
        }
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
                if (to == 77) {
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
            assertEquals(OK, Languages.add(true, orders.nativeHandle(), 770));
            last.await();
            assertTrue(!chain.broken.get(), "the chain is broken");
            assertEquals(77, chain.last());
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
