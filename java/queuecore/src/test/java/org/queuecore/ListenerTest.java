package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Percent steps: an unbroken chain for each meter, whose end is the truth. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ListenerTest {
    /** Notes steps, and whether each begins where the one before ended. */
    static final class Chain implements UsageListener {
        final List<Integer> percents = Collections.synchronizedList(new ArrayList<>());
        final AtomicBoolean broken = new AtomicBoolean();
        private final AtomicInteger inside = new AtomicInteger();

        Chain(int first) {
            percents.add(first);
        }

        @Override
        public void onUsageChanged(MemoryUsage usage, int oldPercent, int newPercent) {
            if (inside.getAndIncrement() != 0 || last() != oldPercent || oldPercent == newPercent) {
                broken.set(true);
            }
            percents.add(newPercent);
            inside.decrementAndGet();
        }

        int last() {
            return percents.get(percents.size() - 1);
        }
    }

    private static MemoryUsage limited(long limit) {
        MemoryUsage usage = new MemoryUsage("test");
        usage.setLimit(limit);
        return usage;
    }

    @Test
    void stepsAreToldByTheTimeTheCallIsOver() {
        try (MemoryUsage usage = limited(1000)) {
            usage.increaseUsage(100);
            Chain chain = new Chain(10);
            usage.addUsageListener(chain);
            usage.increaseUsage(5);
            usage.increaseUsage(5);
            usage.increaseUsage(890);
            usage.setLimit(2000);
            usage.setPercentUsageMinDelta(20);
            usage.decreaseUsage(1100);
            usage.setUsage(0);
            usage.setLimit(0);
            assertEquals(List.of(10, 11, 100, 50, 40, 0), chain.percents);
        }
    }

    @Test
    void aChildsStepsAndItsParentsAreToldApart() {
        try (MemoryUsage broker = limited(1000); MemoryUsage orders = new MemoryUsage(broker, "orders", 0.1f)) {
            Deque<String> told = new ArrayDeque<>();
            UsageListener listener = (usage, from, to) -> told.add(usage.getName() + " " + from + " " + to);
            broker.addUsageListener(listener);
            orders.addUsageListener(listener);
            orders.increaseUsage(5);
            assertEquals(List.of("orders 0 5"), List.copyOf(told));
            told.clear();
            orders.increaseUsage(5);
            assertEquals(2, told.size());
            assertTrue(told.contains("orders 5 10") && told.contains("test 0 1"), told.toString());
            told.clear();
            broker.setLimit(100);
            assertTrue(told.contains("orders 10 100") && told.contains("test 1 10"), told.toString());
        }
    }

    @Test
    void listenersAreToldInTheirOrderAndOneThatThrowsHarmsNobody() {
        try (MemoryUsage usage = limited(100)) {
            Deque<String> told = new ArrayDeque<>();
            UsageListener first = (meter, from, to) -> told.add("first");
            usage.addUsageListener(first);
            usage.addUsageListener((meter, from, to) -> {
                throw new IllegalStateException("it harms nobody");
            });
            usage.addUsageListener((meter, from, to) -> told.add("last"));
            usage.increaseUsage(1);
            assertEquals(List.of("first", "last"), List.copyOf(told));
            usage.removeUsageListener(first);
            usage.removeUsageListener(first);
            usage.increaseUsage(1);
            assertEquals(List.of("first", "last", "last"), List.copyOf(told));
        }
    }

    @Test
    void withoutListenersStepsAreNoEdges() {
        try (MemoryUsage usage = limited(1L << 40)) {
            UsageListener listener = (meter, from, to) -> { };
            usage.addUsageListener(listener);
            usage.removeUsageListener(listener);
            long before = usage.getStats().treeCrossings();
            for (int i = 0; i < 50; i++) {
                usage.increaseUsage(1L << 34);
            }
            assertEquals(before, usage.getStats().treeCrossings());
        }
    }

    @Test
    void aListenerThatCallsBackIsToldLaterAndNotInside() {
        try (MemoryUsage usage = limited(100)) {
            Chain chain = new Chain(0);
            usage.addUsageListener(chain);
            usage.addUsageListener((meter, from, to) -> {
                if (to == 100) {
                    meter.decreaseUsage(60);
                }
            });
            usage.increaseUsage(100);
            assertEquals(List.of(0, 100, 40), chain.percents);
            assertTrue(!chain.broken.get());
            assertEquals(40, usage.getUsage());
        }
    }

    @Test
    void theExecutorRunsThem() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (MemoryUsage usage = limited(100)) {
            assertNull(usage.getExecutor());
            usage.setExecutor(executor);
            assertEquals(executor, usage.getExecutor());
            Chain chain = new Chain(0);
            AtomicBoolean mine = new AtomicBoolean();
            Thread me = Thread.currentThread();
            usage.addUsageListener(chain);
            usage.addUsageListener((meter, from, to) -> mine.compareAndSet(false, Thread.currentThread() == me));
            for (int i = 0; i < 50; i++) {
                usage.increaseUsage(1);
            }
            executor.shutdown();
            assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS));
            assertTrue(!mine.get() && !chain.broken.get());
            assertEquals(51, chain.percents.size());
            usage.increaseUsage(1);
            assertEquals(51, usage.getUsage(), "an executor that refuses harms nobody");
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void whoeverCrossesTheChainHoldsAndEndsInTheTruth() throws Exception {
        try (MemoryUsage broker = limited(1000)) {
            Chain chain = new Chain(0);
            broker.addUsageListener(chain);
            MemoryUsage[] children = new MemoryUsage[4];
            for (int i = 0; i < children.length; i++) {
                children[i] = new MemoryUsage(broker, "child " + i);
            }
            ThreadsTest.onThreads(children.length, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int i = 0; i < 20_000; i++) {
                    long bytes = random.nextInt(300);
                    children[thread].increaseUsage(bytes);
                    children[thread].decreaseUsage(bytes);
                }
                children[thread].increaseUsage(100 + thread);
            });
            assertTrue(!chain.broken.get(), "the chain is broken");
            assertEquals(40, chain.last());
            assertEquals(406, broker.getUsage());
        }
    }

    @Test
    void settingsTellUnderNoLock() throws Exception {
        try (MemoryUsage broker = limited(1000); MemoryUsage orders = new MemoryUsage(broker, "orders", 0.5f)) {
            orders.increaseUsage(250);
            AtomicInteger told = new AtomicInteger();
            orders.addUsageListener((usage, from, to) -> {
                // Another thread that sets something is not in this one's way.
                FutureTask<Void> other = new FutureTask<>(() -> usage.setPercentUsageMinDelta(1), null);
                new Thread(other).start();
                try {
                    other.get();
                    told.incrementAndGet();
                } catch (Exception failed) {
                    throw new IllegalStateException(failed);
                }
            });
            orders.setLimit(1000);
            assertEquals(1, told.get());
            orders.setUsagePortion(0.5f);
            assertEquals(2, told.get());
        }
    }

    @Test
    void aListenerHearsNoStepFromBeforeItCameOrAfterItWent() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (MemoryUsage usage = limited(1000)) {
            usage.setExecutor(executor);
            CountDownLatch free = new CountDownLatch(1);
            executor.submit(() -> {
                free.await();
                return null;
            });
            Chain first = new Chain(0);
            Chain second = new Chain(10);
            usage.addUsageListener(first);
            usage.increaseUsage(100);
            usage.addUsageListener(second);
            usage.increaseUsage(100);
            usage.removeUsageListener(first);
            free.countDown();
            executor.submit(() -> { }).get();
            assertEquals(List.of(0), first.percents);
            assertEquals(List.of(10, 20), second.percents);
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void whatAListenerThrowsHarmsNobodyEvenIfItCannotBeLogged() {
        try (MemoryUsage usage = limited(1000)) {
            Chain chain = new Chain(0);
            usage.addUsageListener((meter, from, to) -> {
                throw new UnprintableException();
            });
            usage.addUsageListener(chain);
            usage.increaseUsage(100);
            usage.increaseUsage(100);
            assertEquals(List.of(0, 10, 20), chain.percents);
        }
    }

    private static final class UnprintableException extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new OutOfMemoryError("as if there were no memory for the words");
        }
    }
}
