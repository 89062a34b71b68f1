package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Meters that end: while others use them, in any order, and by the collector. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CloseTest {
    @Test
    void afterwardsEveryCallThrows() {
        MemoryUsage usage = new MemoryUsage("closed");
        usage.setLimit(1000);
        UsageListener listener = (meter, from, to) -> { };
        usage.addUsageListener(listener);
        usage.increaseUsage(10);
        usage.close();
        usage.close();
        List<Executable> calls = List.of(
                () -> usage.increaseUsage(1),
                () -> usage.increaseUsage(0),
                () -> usage.decreaseUsage(1),
                () -> usage.tryReserve(1),
                () -> usage.enqueueUsage(1),
                usage::isFull,
                () -> usage.isFull(1),
                () -> usage.isFull(-1),
                usage::getPercentUsage,
                usage::getUsage,
                usage::getUsageExact,
                () -> usage.setUsage(1),
                usage::getLimit,
                () -> usage.setLimit(1),
                () -> usage.setUsagePortion(0),
                () -> usage.setPercentUsageMinDelta(2),
                () -> usage.setMarks(1, 2),
                usage::clearMarks,
                usage::isOverMark,
                usage::waitForSpace,
                () -> usage.waitForSpace(0),
                () -> usage.notifyCallbackWhenNotFull(() -> { }),
                usage::start,
                usage::stop,
                usage::getStats,
                () -> new MemoryUsage(usage, "child"));
        for (Executable call : calls) {
            IllegalStateException thrown = assertThrows(IllegalStateException.class, call);
            assertTrue(thrown.getMessage().contains("destroyed"), thrown.getMessage());
        }
        assertFalse(usage.isStarted());
        assertEquals("closed", usage.getName());
        assertDoesNotThrow(() -> usage.removeUsageListener(listener));
    }

    @Test
    void whatItCountedIsTakenOffTheLevelsAbove() {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(1000);
            MemoryUsage orders = new MemoryUsage(broker, "orders");
            MemoryUsage late = new MemoryUsage(orders, "late");
            orders.increaseUsage(400);
            late.increaseUsage(50);
            orders.close();
            assertEquals(50, broker.getUsage());
            late.increaseUsage(950);
            assertTrue(late.isFull(), "the level above it that is closed is passed by");
            assertTrue(broker.isFull());
            late.close();
            assertEquals(0, broker.getUsage());
            assertFalse(broker.isFull());
        }
    }

    @Test
    void aParentMayBeClosedFirst() {
        MemoryUsage broker = new MemoryUsage("broker");
        broker.setLimit(100);
        MemoryUsage orders = new MemoryUsage(broker, "orders");
        broker.close();
        orders.increaseUsage(100);
        assertTrue(orders.isFull(), "the parent stays as a level");
        orders.decreaseUsage(1);
        assertFalse(orders.isFull());
        assertThrows(IllegalStateException.class, () -> new MemoryUsage(broker, "more"));
        orders.close();
    }

    @Test
    void closingUnderLoadEitherCountsOrThrows() throws Exception {
        for (int round = 0; round < 300; round++) {
            try (MemoryUsage broker = new MemoryUsage("broker")) {
                broker.setLimit(1L << 40);
                broker.increaseUsage(7);
                MemoryUsage orders = new MemoryUsage(broker, "orders");
                MemoryUsage other = new MemoryUsage(broker, "other");
                AtomicLong others = new AtomicLong();
                CountDownLatch warm = new CountDownLatch(2);
                ThreadsTest.onThreads(3, thread -> {
                    if (thread == 0) {
                        warm.await();
                        orders.close();
                        return;
                    }
                    int i = 0;
                    try {
                        while (true) {
                            orders.increaseUsage(100);
                            orders.isFull();
                            orders.getPercentUsage();
                            if (++i % 3 == 0) {
                                orders.decreaseUsage(250);
                            }
                            other.increaseUsage(3);
                            others.addAndGet(3);
                            if (i == 200) {
                                warm.countDown();
                            }
                        }
                    } catch (IllegalStateException closed) {
                        assertTrue(closed.getMessage().contains("QC_ERR_DESTROYED"), closed.getMessage());
                    }
                    assertThrows(IllegalStateException.class, () -> orders.increaseUsage(1));
                    assertThrows(IllegalStateException.class, () -> orders.decreaseUsage(1));
                });
                assertEquals(7 + others.get(), broker.getUsage());
                assertEquals(others.get(), other.getUsage());
            }
        }
    }

    @Test
    void waitersOfAClosedMeterThrow() throws Exception {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(10);
            MemoryUsage orders = new MemoryUsage(broker, "orders");
            broker.increaseUsage(10);
            FutureTask<Boolean> waiting = new FutureTask<>(() -> orders.waitForSpace(-1, 100));
            new Thread(waiting).start();
            while (broker.getStats().waiters() == 0) {
                Thread.onSpinWait();
            }
            CountDownLatch told = new CountDownLatch(1);
            assertTrue(orders.notifyCallbackWhenNotFull(told::countDown));
            orders.close();
            ExecutionException thrown = assertThrows(ExecutionException.class, waiting::get);
            assertEquals(IllegalStateException.class, thrown.getCause().getClass());
            told.await();
        }
    }

    @Test
    void theCollectorEndsWhatNobodyClosedAndGivesItsMemoryBack() throws Exception {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            new MemoryUsage(broker, "first").close();
            collect(broker, 0);
            long before = broker.getStats().bytesInUse();
            for (int i = 0; i < 10_000; i++) {
                MemoryUsage child = new MemoryUsage(broker, "child");
                child.start();
                child.increaseUsage(10);
                if (i % 2 == 0) {
                    child.close();
                }
            }
            collect(broker, 0);
            assertEquals(0, broker.getUsage());
            // The last one's memory goes a moment after its place in the tree.
            while (broker.getStats().bytesInUse() != before) {
                Thread.onSpinWait();
            }
        }
    }

    /** Collects until the meter has so many children. */
    private static void collect(MemoryUsage parent, long children) throws InterruptedException {
        while (parent.getStats().children() != children) {
            System.gc();
            Thread.sleep(10);
        }
    }

    @Test
    void aChildIsListedOnceItIsWhole() throws Exception {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            AtomicBoolean done = new AtomicBoolean();
            ThreadsTest.onThreads(2, thread -> {
                if (thread == 0) {
                    for (int i = 0; i < 3000; i++) {
                        new MemoryUsage(broker, "child").close();
                    }
                    done.set(true);
                }
                while (!done.get()) {
                    for (MemoryUsage child : broker.getChildren()) {
                        assertNotEquals(0, child.nativeHandle());
                    }
                }
            });
        }
    }

    @Test
    void questionsThatAreAnsweredWhenClosedAreAnsweredWhileItCloses() throws Exception {
        for (int i = 0; i < 300; i++) {
            MemoryUsage usage = new MemoryUsage("test");
            UsageListener listener = (meter, from, to) -> { };
            usage.addUsageListener(listener);
            CyclicBarrier both = new CyclicBarrier(2);
            ThreadsTest.onThreads(2, thread -> {
                both.await();
                if (thread == 0) {
                    usage.close();
                } else {
                    usage.isStarted();
                    usage.removeUsageListener(listener);
                }
            });
            assertFalse(usage.isStarted());
        }
    }
}
