package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
