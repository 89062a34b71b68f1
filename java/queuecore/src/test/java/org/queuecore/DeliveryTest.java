package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads that tell what other languages' threads bring about: they depend on nobody, and nobody on the user's code. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DeliveryTest {
    @Test
    void aListenerThatBlocksKeepsNobodyOfAnotherTreeAsleep() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        try (MemoryUsage one = new MemoryUsage("one"); MemoryUsage other = new MemoryUsage("other")) {
            one.setLimit(100);
            other.setLimit(100);
            other.increaseUsage(100);
            one.addUsageListener((usage, from, to) -> {
                inside.countDown();
                try {
                    free.await();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            });
            FutureTask<Boolean> waiting = new FutureTask<>(() -> other.waitForSpace(-1, 100));
            new Thread(waiting).start();
            while (other.getStats().waiters() == 0) {
                Thread.onSpinWait();
            }
            assertEquals(0, Languages.add(true, one.nativeHandle(), 50));
            inside.await();
            assertEquals(0, Languages.add(false, other.nativeHandle(), -1));
            // No call of this thread: it would look itself.
            assertTrue(waiting.get());
            FutureTask<Boolean> same = new FutureTask<>(() -> one.waitForSpace(-1, 40));
            new Thread(same).start();
            while (one.getStats().waiters() == 0) {
                Thread.onSpinWait();
            }
            assertEquals(0, Languages.add(true, one.nativeHandle(), -20));
            assertTrue(same.get(), "nor anybody of the same tree");
        } finally {
            free.countDown();
        }
    }

    @Test
    void aMomentWithoutMemoryDelaysThemAndNoMore() throws Exception {
        Child.Outcome outcome = Child.run(DeliveryTest.class, true, "-Xmx24m",
                "-Dqueuecore.native.dir=" + System.getProperty("queuecore.native.dir"));
        // Other threads may have something to say of the memory.
        assertTrue(outcome.said().endsWith("told\n"), outcome.said());
    }

    /**
     * The child: another language's thread frees the space that is waited for while the heap is full.
     *
     * @param args none
     * @throws Exception if anything is not as it should be
     */
    public static void main(String[] args) throws Exception {
        try (MemoryUsage meter = new MemoryUsage("meter")) {
            meter.setLimit(100);
            // Once before, so that all classes are there, and once after.
            for (boolean full : new boolean[] {false, true, false}) {
                meter.increaseUsage(100);
                FutureTask<Boolean> waiting = new FutureTask<>(() -> meter.waitForSpace(60_000));
                Thread waiter = new Thread(waiting);
                waiter.start();
                while (meter.getStats().waiters() == 0 || waiter.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                Object[] hoard = new Object[1 << 18];
                if (full) {
                    fill(hoard);
                }
                int status = Languages.add(true, meter.nativeHandle(), -100);
                Thread.sleep(100);
                Arrays.fill(hoard, null);
                waiter.join(10_000);
                Child.expect(status == 0 && waiting.isDone() && waiting.get(), "the end of the wait is not told");
            }
        }
        System.out.println("told");
    }

    private static void fill(Object[] hoard) {
        int count = 0;
        for (int bytes = 1 << 20; bytes >= 16; bytes /= 4) {
            try {
                while (count < hoard.length) {
                    hoard[count] = new byte[bytes];
                    count++;
                }
            } catch (OutOfMemoryError full) {
                // The next smaller ones.
            }
        }
    }

    @Test
    void theThreadsTakeNothingFromTheOneThatStartsThem() throws Exception {
        InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
        local.set("mine");
        ThreadGroup group = new ThreadGroup("a user's");
        FutureTask<Thread> made = new FutureTask<>(() -> Delivery.thread(() -> { }, "test"));
        Thread maker = new Thread(group, made);
        maker.setPriority(Thread.MAX_PRIORITY);
        maker.start();
        maker.join();
        Thread thread = made.get();
        assertNull(thread.getThreadGroup().getParent());
        assertTrue(thread.isDaemon());
        assertEquals(Thread.NORM_PRIORITY, thread.getPriority());
        assertNull(thread.getContextClassLoader());
        FutureTask<String> seen = new FutureTask<>(local::get);
        Thread looking = Delivery.thread(seen, "test");
        looking.start();
        assertNull(seen.get());
        looking.join();
        Delivery.ensure();
        Delivery.ensure();
        assertEquals(2, Thread.getAllStackTraces().keySet().stream()
                .filter(running -> running.getName().startsWith("queuecore-")).count());
    }
}
