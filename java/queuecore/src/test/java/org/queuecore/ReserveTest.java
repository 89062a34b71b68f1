package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reservations that wait: in their order, for as long as they are to, and counted if and only if they say so. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ReserveTest extends LimitedMeters {
    @Test
    void whatFitsIsCountedAtOnce() throws Exception {
        assertTrue(orders.reserve(600, 0));
        assertTrue(orders.reserve(400, -1), "to the last byte");
        assertTrue(orders.reserve(0, 0), "nothing always fits");
        assertFalse(orders.reserve(1, 0));
        assertFalse(orders.reserve(1, 5));
        assertEquals(1000, broker.getUsage());
        assertEquals(0, broker.getStats().waiters());
        assertEquals(0, broker.getStats().waitingBytes());
    }

    @Test
    void wrongAmountsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> orders.reserve(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> orders.reserve(MemoryUsage.MAX_AMOUNT + 1, 0));
        IllegalArgumentException never =
                assertThrows(IllegalArgumentException.class, () -> orders.reserve(1001, -1), "it would wait for ever");
        assertTrue(never.getMessage().contains("1001"), never.getMessage());
        assertEquals(0, broker.getStats().waiters());
    }

    @Test
    void theyAreServedInTheirOrder() throws Exception {
        orders.increaseUsage(1000);
        List<FutureTask<Boolean>> inLine = new ArrayList<>();
        for (long bytes : new long[] {500, 100, 300}) {
            inLine.add(started(() -> orders.reserve(bytes, -1)));
            untilWaiters(inLine.size());
        }
        assertEquals(900, broker.getStats().waitingBytes());
        orders.decreaseUsage(499);
        assertEquals(3, broker.getStats().waiters(), "100 would fit, but 500 is in front");
        assertFalse(orders.tryReserve(1), "what is free is held");
        orders.decreaseUsage(1);
        assertTrue(inLine.get(0).get());
        untilWaiters(2);
        orders.decreaseUsage(100);
        assertTrue(inLine.get(1).get());
        assertFalse(inLine.get(2).isDone());
        broker.setLimit(1300);
        assertTrue(inLine.get(2).get());
        assertEquals(1300, broker.getUsage());
    }

    @Test
    void whoGivesUpLetsTheNextOneThrough() throws Exception {
        orders.increaseUsage(900);
        FutureTask<Boolean> large = started(() -> orders.reserve(500, 300));
        while (broker.getStats().waiters() != 1 && !large.isDone()) {
            Thread.onSpinWait();
        }
        FutureTask<Boolean> small = started(() -> orders.reserve(100, -1));
        assertFalse(large.get());
        assertTrue(small.get());
        assertEquals(1000, broker.getUsage());
        assertEquals(0, broker.getStats().waitingBytes());
    }

    @Test
    void whoHasWaitedRunsNobodysCallback() throws Exception {
        for (int round = 0; round < 200; round++) {
            orders.increaseUsage(1000);
            List<Thread> ran = new CopyOnWriteArrayList<>();
            FutureTask<Boolean> reserving = new FutureTask<>(() -> orders.reserve(500, -1));
            Thread waiter = new Thread(reserving);
            waiter.start();
            untilWaiters(1);
            assertTrue(orders.notifyCallbackWhenNotFull(() -> ran.add(Thread.currentThread())));
            orders.decreaseUsage(1000);
            assertTrue(reserving.get());
            while (ran.isEmpty()) {
                Thread.onSpinWait();
            }
            assertNotSame(waiter, ran.get(0));
            orders.decreaseUsage(500);
        }
    }

    @Test
    void anInterruptEndsItAndCountsNothing() throws Exception {
        orders.increaseUsage(1000);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                orders.reserve(5, -1);
            } catch (Throwable told) {
                thrown.set(told);
            }
        });
        waiting.start();
        untilWaiters(1);
        waiting.interrupt();
        waiting.join();
        assertEquals(InterruptedException.class, thrown.get().getClass());
        assertEquals(0, broker.getStats().waitingBytes());
        orders.decreaseUsage(1000);
        assertEquals(0, broker.getUsage());
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> orders.reserve(0, 0));
        assertFalse(Thread.interrupted());
    }

    @Test
    void itIsCountedOrInterruptedNeverBoth() throws Exception {
        AtomicInteger counted = new AtomicInteger();
        for (int i = 0; i < 500; i++) {
            orders.increaseUsage(1000);
            FutureTask<Boolean> interrupted = new FutureTask<>(() -> {
                try {
                    if (orders.reserve(10, -1)) {
                        counted.incrementAndGet();
                        orders.decreaseUsage(10);
                    }
                    return Thread.interrupted();
                } catch (InterruptedException nothingCounted) {
                    return true;
                }
            });
            Thread waiting = new Thread(interrupted);
            waiting.start();
            untilWaiters(1);
            Thread interrupting = new Thread(waiting::interrupt);
            interrupting.start();
            orders.decreaseUsage(1000);
            interrupting.join();
            interrupted.get();
            assertEquals(0, broker.getUsage(), "in round " + i);
            assertEquals(0, broker.getStats().waiters());
        }
    }

    @Test
    void stopEndsThemAndRefusesNewOnes() throws Exception {
        orders.increaseUsage(1000);
        FutureTask<Boolean> waiting = started(() -> orders.reserve(1, -1));
        untilWaiters(1);
        broker.stop();
        assertFalse(waiting.get());
        orders.decreaseUsage(1000);
        assertFalse(orders.reserve(1, -1), "whether or not there is room");
        assertFalse(orders.reserve(0, 0));
        broker.start();
        assertTrue(orders.reserve(1, -1));
        assertEquals(1, broker.getUsage());
    }

    @Test
    void closingEndsThemWithAnException() throws Exception {
        orders.increaseUsage(1000);
        FutureTask<Boolean> waiting = started(() -> orders.reserve(1, -1));
        untilWaiters(1);
        orders.close();
        ExecutionException thrown = assertThrows(ExecutionException.class, waiting::get);
        assertEquals(IllegalStateException.class, thrown.getCause().getClass());
        assertThrows(IllegalStateException.class, () -> orders.reserve(1, 0));
        assertEquals(0, broker.getUsage());
    }

    @Test
    void nothingIsLostOrCountedTwiceWhenManyComeAndGiveUp() throws Exception {
        ThreadsTest.onThreads(6, thread -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            for (int i = 0; i < 3_000; i++) {
                long bytes = 1 + random.nextInt(600);
                if (orders.reserve(bytes, random.nextInt(3) - 1)) {
                    assertTrue(broker.getUsage() <= 1000, "more is admitted than there is");
                    orders.decreaseUsage(bytes);
                }
            }
        });
        assertEquals(0, broker.getUsage());
        assertEquals(0, broker.getStats().waiters());
        assertEquals(0, broker.getStats().waitingBytes());
    }

    @Test
    void otherLanguagesFreeWhatJavaWaitsForWhileAListenerIsBusy() throws Exception {
        orders.increaseUsage(1000);
        CountDownLatch listening = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        broker.addUsageListener((usage, from, to) -> {
            listening.countDown();
            try {
                done.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        Languages.add(true, orders.nativeHandle(), -10);
        listening.await();
        orders.increaseUsage(10);
        FutureTask<Boolean> waiting = started(() -> orders.reserve(5, -1));
        FutureTask<Boolean> below = started(() -> orders.waitForSpace(-1, 100));
        untilWaiters(2);
        Languages.add(false, orders.nativeHandle(), -10);
        assertTrue(waiting.get());
        assertTrue(below.get());
        done.countDown();
    }
}
