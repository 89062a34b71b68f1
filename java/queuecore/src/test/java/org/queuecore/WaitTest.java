package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for space: nobody sleeps on, nobody is woken too early, nothing is left behind. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WaitTest extends LimitedMeters {
    @Test
    void withSpaceNobodyWaits() throws Exception {
        orders.increaseUsage(999);
        assertTrue(orders.waitForSpace(0));
        assertTrue(orders.waitForSpace(-1, 100));
        orders.waitForSpace();
        orders.enqueueUsage(1);
        assertEquals(1000, broker.getUsage());
        assertFalse(orders.waitForSpace(0));
        assertTrue(orders.waitForSpace(0, 101));
        assertThrows(IllegalArgumentException.class, () -> orders.waitForSpace(0, 0));
    }

    @Test
    void endsAtTheVeryEdgeOfEachPercent() throws Exception {
        orders.increaseUsage(1000);
        FutureTask<Boolean> full = started(() -> orders.waitForSpace(-1, 100));
        FutureTask<Boolean> half = started(() -> orders.waitForSpace(-1, 50));
        untilWaiters(2);
        orders.decreaseUsage(1);
        assertTrue(full.get());
        orders.decreaseUsage(499);
        assertEquals(1, broker.getStats().waiters(), "50 % is not below 50 %");
        assertFalse(half.isDone());
        orders.decreaseUsage(1);
        assertTrue(half.get());
        untilWaiters(0);
    }

    @Test
    void allWhoWaitWakeTogether() throws Exception {
        broker.increaseUsage(1000);
        List<FutureTask<Boolean>> waits = new ArrayList<>();
        List<Thread> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waits.add(new FutureTask<>(() -> orders.waitForSpace(-1, 100)));
            waiting.add(new Thread(waits.get(i)));
            waiting.get(i).start();
        }
        for (Thread thread : waiting) {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }
        // One byte, for a moment: whoever is left asleep stays so.
        broker.decreaseUsage(1);
        broker.increaseUsage(1);
        for (FutureTask<Boolean> wait : waits) {
            assertTrue(wait.get());
        }
        assertTrue(broker.isFull());
        assertEquals(0, broker.getStats().waiters());
    }

    @Test
    void aCallbackThatBlocksKeepsNobodyAsleep() throws Exception {
        // Often, as it is seldom that the one who waits comes upon the callback on its way.
        for (int round = 0; round < 2000; round++) {
            aCallbackBlocksUntilAnotherWaitIsOver();
        }
    }

    private void aCallbackBlocksUntilAnotherWaitIsOver() throws Exception {
        broker.increaseUsage(1000);
        CountDownLatch woken = new CountDownLatch(1);
        assertTrue(orders.notifyCallbackWhenNotFull(() -> {
            try {
                woken.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }));
        FutureTask<Boolean> waiting = started(() -> {
            boolean isThere = orders.waitForSpace(-1, 90);
            woken.countDown();
            return isThere;
        });
        untilWaiters(2);
        // Both at once, the callback first: it goes on when the other one has.
        broker.decreaseUsage(500);
        assertTrue(waiting.get());
        broker.decreaseUsage(500);
    }

    @Test
    void anAmountThatCannotBeCountedIsNotWaitedFor() {
        broker.increaseUsage(1000);
        assertThrows(IllegalArgumentException.class, () -> orders.enqueueUsage(-1));
        assertThrows(IllegalArgumentException.class, () -> orders.enqueueUsage(MemoryUsage.MAX_AMOUNT + 1));
    }

    @Test
    void givingUpLeavesNothing() throws Exception {
        broker.increaseUsage(1000);
        for (int i = 0; i < 500; i++) {
            assertFalse(orders.waitForSpace(1));
            assertFalse(orders.waitForSpace(0, 90));
            assertEquals(0, broker.getStats().waiters());
        }
        // As long as anybody is left, the notice is.
        FutureTask<Boolean> waiting = started(() -> orders.waitForSpace(-1, 100));
        untilWaiters(1);
        assertFalse(orders.waitForSpace(1));
        AtomicInteger runs = new AtomicInteger();
        assertTrue(orders.notifyCallbackWhenNotFull(runs::incrementAndGet));
        assertFalse(orders.waitForSpace(1));
        assertEquals(1, broker.getStats().waiters());
        broker.setUsage(0);
        assertTrue(waiting.get());
        while (runs.get() == 0) {
            Thread.onSpinWait();
        }
        assertEquals(1, runs.get());
        assertEquals(0, broker.getStats().waiters());
        assertTrue(orders.waitForSpace(0));
    }

    @Test
    void whoIsInterruptedLeavesNothing() throws Exception {
        broker.increaseUsage(1000);
        Thread waiting = new Thread(() -> assertThrows(InterruptedException.class, () -> orders.waitForSpace(-1, 50)));
        waiting.start();
        untilWaiters(1);
        waiting.interrupt();
        waiting.join();
        assertEquals(0, broker.getStats().waiters());
    }

    @Test
    void nobodyIsWokenByWhatWasBeforeHeCame() throws Exception {
        broker.increaseUsage(1000);
        for (int i = 0; i < 200; i++) {
            AtomicInteger runs = new AtomicInteger();
            assertTrue(orders.notifyCallbackWhenNotFull(runs::incrementAndGet));
            assertEquals(0, Languages.add(true, broker.nativeHandle(), -1));
            assertEquals(0, Languages.add(true, broker.nativeHandle(), 1));
            // The notice has been served, and stands in the mailbox or is being opened by another thread.
            assertFalse(orders.waitForSpace(2), "it was full all the time");
        }
    }

    @Test
    void anInterruptEndsAWaitAndCountsNothing() throws Exception {
        broker.increaseUsage(1000);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                orders.enqueueUsage(5);
            } catch (Throwable told) {
                thrown.set(told);
            }
        });
        waiting.start();
        untilWaiters(1);
        waiting.interrupt();
        waiting.join();
        assertEquals(InterruptedException.class, thrown.get().getClass());
        assertEquals(1000, broker.getUsage());
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> orders.waitForSpace(0));
        assertFalse(Thread.interrupted());
    }

    @Test
    void stopEndsWaitsAndStartLetsThemBegin() throws Exception {
        broker.increaseUsage(1000);
        FutureTask<Boolean> waiting = started(() -> orders.waitForSpace(-1, 100));
        untilWaiters(1);
        broker.stop();
        assertFalse(waiting.get());
        assertFalse(broker.isStarted());
        assertTrue(orders.isStarted());
        assertFalse(orders.waitForSpace(-1, 100), "a stopped meter lets nobody wait");
        orders.increaseUsage(1);
        assertEquals(1001, broker.getUsage(), "counting goes on");
        broker.start();
        waiting = started(() -> orders.waitForSpace(-1, 100));
        untilWaiters(1);
        broker.decreaseUsage(2);
        assertTrue(waiting.get());
    }

    @Test
    void aHigherLimitWakesToo() throws Exception {
        broker.increaseUsage(1000);
        FutureTask<Boolean> waiting = started(() -> orders.waitForSpace(-1, 100));
        untilWaiters(1);
        broker.setLimit(1001);
        assertTrue(waiting.get());
    }

    @Test
    void callbacksRunOnceOrNotAtAll() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        assertFalse(orders.notifyCallbackWhenNotFull(runs::incrementAndGet));
        broker.increaseUsage(1000);
        assertTrue(orders.notifyCallbackWhenNotFull(() -> {
            throw new IllegalStateException("it harms nobody");
        }));
        assertTrue(orders.notifyCallbackWhenNotFull(runs::incrementAndGet));
        assertTrue(orders.notifyCallbackWhenNotFull(() -> {
            runs.incrementAndGet();
            orders.increaseUsage(1);
        }));
        assertEquals(0, runs.get());
        broker.decreaseUsage(1);
        assertEquals(2, runs.get());
        broker.decreaseUsage(1);
        assertEquals(2, runs.get());
        var executor = Executors.newSingleThreadExecutor();
        try {
            orders.setExecutor(executor);
            broker.increaseUsage(1);
            CountDownLatch told = new CountDownLatch(1);
            AtomicBoolean other = new AtomicBoolean();
            Thread me = Thread.currentThread();
            assertTrue(orders.notifyCallbackWhenNotFull(() -> {
                other.set(Thread.currentThread() != me);
                told.countDown();
            }));
            broker.decreaseUsage(1);
            told.await();
            assertTrue(other.get());
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void aCallbackForAMeterThatIsStoppedRunsAtOnce() {
        AtomicInteger runs = new AtomicInteger();
        broker.increaseUsage(1000);
        assertTrue(orders.notifyCallbackWhenNotFull(runs::incrementAndGet));
        broker.stop();
        assertEquals(1, runs.get());
        assertTrue(orders.notifyCallbackWhenNotFull(runs::incrementAndGet));
        assertEquals(2, runs.get());
        broker.decreaseUsage(1000);
        assertFalse(orders.notifyCallbackWhenNotFull(runs::incrementAndGet));
        assertEquals(2, runs.get());
    }

    @Test
    void noWakeUpIsLostWhenReleaseAndWaitRace() throws Exception {
        // Two producers pass one place back and forth: each waits until it is free, without a timeout.
        broker.setLimit(1);
        ThreadsTest.onThreads(2, thread -> {
            for (int i = 0; i < 50_000; i++) {
                while (!orders.tryReserve(1)) {
                    assertTrue(orders.waitForSpace(-1, 100));
                }
                orders.decreaseUsage(1);
            }
        });
        assertEquals(0, broker.getUsage());
        assertEquals(0, broker.getStats().waiters());
    }

    @Test
    void aListenerMayWaitForWhatAnotherThreadFrees() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        AtomicBoolean freed = new AtomicBoolean();
        broker.addUsageListener((usage, from, to) -> {
            if (to == 100) {
                inside.countDown();
                try {
                    freed.set(orders.waitForSpace(-1, 100));
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        FutureTask<Boolean> crossing = started(() -> {
            orders.increaseUsage(1000);
            return true;
        });
        inside.await();
        orders.decreaseUsage(500);
        assertTrue(crossing.get());
        assertTrue(freed.get());
    }
}
