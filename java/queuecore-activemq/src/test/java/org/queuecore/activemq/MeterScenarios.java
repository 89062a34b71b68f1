package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.usage.DefaultUsageCapacity;
import org.apache.activemq.usage.MemoryUsage;
import org.apache.activemq.usage.UsageListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of a broker's meter, whichever way the native one came into it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class MeterScenarios {
    abstract MemoryUsage meter(MemoryUsage parent, String name, float portion);

    private MemoryUsage limited(String name, long limit) {
        MemoryUsage made = meter(null, name, 1);
        made.setLimit(limit);
        return made;
    }

    @Test
    void aMeterThatIsMovedTakesWhatItCountsAlong() {
        MemoryUsage first = limited("first", 500);
        MemoryUsage second = limited("second", 1000);
        MemoryUsage child = meter(first, "child", 1);
        MemoryUsage below = meter(child, "below", 0.5f);
        List<String> steps = new ArrayList<>();
        below.addUsageListener((usage, from, to) -> steps.add(from + ">" + to));
        below.start();
        child.increaseUsage(10);
        below.increaseUsage(25);
        child.setParent(second);
        assertEquals(List.of(0, 0L, 35L, 35L, 25L),
                List.of(first.getPercentUsage(), first.getUsage(), second.getUsage(), child.getUsage(), below.getUsage()));
        assertEquals(List.of(500L, 250L), List.of(child.getLimit(), below.getLimit()), "limits stay until one above changes");
        below.decreaseUsage(25);
        child.decreaseUsage(10);
        assertEquals(0, second.getUsage());
        assertEquals(List.of("0>10", "10>0"), steps);
        child.start();
        second.start();
        second.setLimit(2000);
        assertEquals(List.of(2000L, 1000L), List.of(child.getLimit(), below.getLimit()));
        child.setParent(null);
        child.increaseUsage(7);
        assertEquals(0, second.getUsage());
        assertEquals(7, child.getUsage());
        assertThrows(IllegalArgumentException.class, () -> child.setParent(below));
    }

    @Test
    void whoWaitsWhileItIsMovedWaitsOn() throws Exception {
        MemoryUsage first = limited("first", 100);
        MemoryUsage second = limited("second", 100);
        MemoryUsage child = meter(first, "child", 1);
        child.increaseUsage(100);
        FutureTask<Boolean> waiting = new FutureTask<>(() -> child.waitForSpace(0, 100));
        Thread waiter = new Thread(waiting);
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        child.setParent(second);
        assertFalse(waiting.isDone());
        second.decreaseUsage(1);
        assertFalse(waiting.isDone(), "the child is full still");
        child.decreaseUsage(1);
        assertTrue(waiting.get());
    }

    @Test
    void aStoppedMeterLetsNobodyWaitWithoutEndAndEverybodyElseAsLongAsHeAskedFor() throws Exception {
        MemoryUsage meter = limited("meter", 100);
        MemoryUsage child = meter(meter, "child", 1);
        meter.start();
        child.start();
        child.increaseUsage(100);
        FutureTask<Boolean> forEver = new FutureTask<>(() -> {
            child.waitForSpace();
            return true;
        });
        FutureTask<Boolean> forLong = new FutureTask<>(() -> child.waitForSpace(100_000));
        AtomicInteger calledBack = new AtomicInteger();
        assertTrue(child.notifyCallbackWhenNotFull(calledBack::incrementAndGet));
        new Thread(forEver).start();
        new Thread(forLong).start();
        meter.stop();
        child.stop();
        assertEquals(1, calledBack.get());
        Exception ended = assertThrows(Exception.class, forEver::get);
        assertEquals(InterruptedException.class, ended.getCause().getClass());
        assertFalse(child.waitForSpace(20));
        assertThrows(InterruptedException.class, () -> child.enqueueUsage(1));
        assertTrue(child.notifyCallbackWhenNotFull(calledBack::incrementAndGet));
        assertFalse(forLong.isDone());
        assertEquals(1, calledBack.get());
        child.decreaseUsage(1);
        assertTrue(forLong.get());
        while (calledBack.get() != 2) {
            Thread.onSpinWait();
        }
        child.enqueueUsage(1);
        assertEquals(100, meter.getUsage());
    }

    @Test
    void anInterruptIsLeftForWhoWaitsForSomething() throws Exception {
        MemoryUsage meter = limited("meter", 100);
        Thread.currentThread().interrupt();
        meter.waitForSpace();
        assertTrue(meter.waitForSpace(10) && meter.waitForSpace(10, 1));
        meter.enqueueUsage(100);
        assertTrue(Thread.currentThread().isInterrupted());
        meter.start();
        assertThrows(InterruptedException.class, () -> meter.waitForSpace(100_000));
        assertFalse(Thread.currentThread().isInterrupted());
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, meter::waitForSpace);
        assertFalse(Thread.interrupted());
    }

    @Test
    void aLevelThatNeverStartedAndIsFullLetsNobodyWaitWithoutEnd() {
        MemoryUsage parent = limited("parent", 100);
        MemoryUsage child = meter(parent, "child", 1);
        child.setLimit(1000);
        child.start();
        parent.increaseUsage(100);
        assertThrows(InterruptedException.class, child::waitForSpace);
    }

    @Test
    void belowOnePercentIsNobody() throws Exception {
        MemoryUsage meter = meter(null, "meter", 1);
        assertTrue(meter.isFull(0) && meter.isFull(-1) && !meter.isFull(1));
        assertFalse(meter.waitForSpace(5, 0));
        meter.setLimit(100);
        MemoryUsage child = meter(meter, "child", 1);
        child.decreaseUsage(10);
        assertTrue(child.isFull(-10) && !child.isFull(0));
        assertTrue(child.waitForSpace(100_000, 0));
    }

    @Test
    void whoStopsRunsTheCallbacksThoughTheExecutorIsShutDown() {
        MemoryUsage meter = limited("meter", 100);
        MemoryUsage child = meter(meter, "child", 1);
        InlineExecutor executor = new InlineExecutor();
        meter.setExecutor(executor);
        child.setExecutor(executor);
        meter.start();
        child.start();
        child.increaseUsage(100);
        executor.shutdownNow();
        List<Thread> ran = new ArrayList<>();
        assertTrue(child.notifyCallbackWhenNotFull(() -> {
            ran.add(Thread.currentThread());
            // As the broker's do that find it full still.
            child.notifyCallbackWhenNotFull(() -> ran.add(Thread.currentThread()));
        }));
        child.stop();
        assertEquals(List.of(Thread.currentThread()), ran);
        child.stop();
        assertEquals(1, ran.size());
        child.decreaseUsage(1);
        assertEquals(2, ran.size(), "the executor refuses");
    }

    @Test
    void whoStopsRunsTheCallbacksWhoeverIsAboutToDeliver() throws Exception {
        MemoryUsage meter = limited("meter", 100);
        meter.increaseUsage(100);
        AtomicBoolean isOver = new AtomicBoolean();
        FutureTask<Void> deliverer = new FutureTask<>(() -> {
            while (!isOver.get()) {
                meter.increaseUsage(1);
                assertFalse(meter.waitForSpace(1));
                meter.decreaseUsage(1);
            }
            return null;
        });
        new Thread(deliverer).start();
        try {
            for (int round = 0; round < 2000; round++) {
                meter.start();
                List<Thread> ran = new CopyOnWriteArrayList<>();
                assertTrue(meter.notifyCallbackWhenNotFull(() -> ran.add(Thread.currentThread())));
                meter.stop();
                assertEquals(List.of(Thread.currentThread()), ran, "in round " + round);
            }
        } finally {
            isOver.set(true);
        }
        deliverer.get();
    }

    @Test
    void aStepIsForWhoListensThenIfItIsStarted() {
        MemoryUsage meter = limited("meter", 100);
        List<Runnable> tasks = new ArrayList<>();
        meter.setExecutor(new InlineExecutor() {
            @Override
            public void execute(Runnable task) {
                tasks.add(task);
            }
        });
        List<String> steps = new ArrayList<>();
        UsageListener thrower = (usage, from, to) -> {
            throw new IllegalStateException("a listener of a test throws");
        };
        meter.addUsageListener(thrower);
        meter.addUsageListener((usage, from, to) -> steps.add(from + ">" + to));
        meter.increaseUsage(10);
        meter.start();
        meter.increaseUsage(10);
        meter.increaseUsage(10);
        meter.stop();
        meter.increaseUsage(10);
        assertEquals(2, tasks.size());
        tasks.forEach(Runnable::run);
        assertEquals(List.of("10>20", "20>30"), steps);
    }

    @Test
    void listenersHoldNothingUp() {
        MemoryUsage meter = limited("meter", 100);
        MemoryUsage parent = limited("parent", 100);
        AtomicInteger done = new AtomicInteger();
        // Without an executor they run within the call. Each has another thread do what the call does, and waits for it.
        for (MemoryUsage each : List.of(meter, parent)) {
            each.addUsageListener((usage, from, to) -> {
                FutureTask<Integer> other = new FutureTask<>(() -> {
                    meter(null, "other", 1).setParent(meter(null, "another", 1));
                    meter.addUsageListener((also, before, after) -> { });
                    meter.getLimiter().setLimit(meter.getLimit());
                    return done.incrementAndGet();
                });
                new Thread(other).start();
                try {
                    other.get();
                } catch (Exception failed) {
                    throw new IllegalStateException(failed);
                }
            });
            each.start();
        }
        meter.increaseUsage(50);
        meter.setLimit(1000);
        meter.setParent(parent);
        assertEquals(3, done.get());
    }

    @Test
    void amountsMayBeNegativeAndLimitsAnything() {
        MemoryUsage meter = limited("meter", Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, meter.getLimit());
        meter.increaseUsage(3_000_000_000L);
        meter.decreaseUsage(-1);
        meter.increaseUsage(-2);
        meter.increaseUsage(0);
        assertEquals(2_999_999_999L, meter.getUsage());
        assertEquals(0, meter.getPercentUsage());
        meter.setLimit(-1);
        assertEquals(-1, meter.getLimit());
        assertFalse(meter.isFull());
        meter.setLimit(2_999_999_999L);
        assertTrue(meter.isFull());
        meter.setLimit(1);
        assertEquals(Integer.MAX_VALUE, meter.getPercentUsage(), "it does not wrap");
        meter.setPercentOfJvmHeap(50);
        assertEquals(Math.round(Runtime.getRuntime().maxMemory() / 2.0), meter.getLimit());
        assertThrows(IllegalArgumentException.class, () -> meter.setPercentUsageMinDelta(0));
    }

    @Test
    void theLimiterIsAViewAndACapacityIsTaken() {
        MemoryUsage meter = limited("meter", 100);
        meter.getLimiter().setLimit(200);
        assertEquals(200, meter.getLimit());
        assertTrue(meter.getLimiter().isLimit(200) && !meter.getLimiter().isLimit(199));
        DefaultUsageCapacity capacity = new DefaultUsageCapacity();
        capacity.setLimit(50);
        meter.setLimiter(capacity);
        assertEquals(50, meter.getLimit());
        assertSame(capacity, meter.getLimiter());
        meter.increaseUsage(20);
        assertEquals(40, meter.getPercentUsage());
        capacity.setLimit(25);
        assertEquals(25, meter.getLimit());
        assertEquals(80, meter.getPercentUsage());
        capacity.setLimit(50);
        meter.increaseUsage(5);
        assertEquals(50, meter.getPercentUsage());
        meter.setLimit(100);
        assertEquals(100, capacity.getLimit());
        assertThrows(NullPointerException.class, () -> meter.setLimiter(null));
        assertEquals(25, meter.getPercentUsage());
    }

    @Test
    void aPortionMayBeAboveTheWholeAndFollows() {
        MemoryUsage parent = limited("parent", 1000);
        MemoryUsage child = meter(parent, "child", 1.5f);
        assertEquals(1500, child.getLimit());
        child.start();
        parent.start();
        parent.setLimit(2000);
        assertEquals(3000, child.getLimit());
        child.setUsagePortion(0.1f);
        assertEquals(200, child.getLimit());
        child.setUsagePortion(0);
        parent.setLimit(10);
        assertEquals(200, child.getLimit());
    }

    @Test
    void aPortionIsExactAndFollowsOnlyOnceStarted() {
        MemoryUsage parent = limited("parent", 1_000_000_000_000L);
        MemoryUsage child = meter(parent, "child", 1 / 3f);
        assertEquals(333_333_343_267L, child.getLimit());
        assertEquals(0, meter(parent, "tiny", 1e-13f).getLimit());
        assertEquals(0, meter(parent, "none", Float.NaN).getLimit());
        parent.start();
        parent.setLimit(3000);
        assertEquals(333_333_343_267L, child.getLimit());
        child.start();
        assertEquals(333_333_343_267L, child.getLimit());
        parent.setLimit(3001);
        assertEquals(1000, child.getLimit());
        MemoryUsage moved = limited("moved", 7);
        moved.setParent(parent);
        assertEquals(7, moved.getLimit());
    }

    @Test
    void listenersHearBetweenStartAndStopAsOftenAsTheyWereAdded() {
        MemoryUsage meter = limited("meter", 100);
        AtomicInteger heard = new AtomicInteger();
        UsageListener listener = (usage, from, to) -> {
            assertEquals(meter, usage);
            heard.addAndGet(to - from);
        };
        meter.addUsageListener(listener);
        meter.addUsageListener(listener);
        assertEquals(2, meter.getNumUsageListeners());
        meter.increaseUsage(50);
        assertEquals(0, heard.get());
        meter.start();
        meter.increaseUsage(25);
        assertEquals(50, heard.get());
        meter.removeUsageListener(listener);
        meter.setExecutor(new InlineExecutor());
        meter.decreaseUsage(5);
        assertEquals(45, heard.get());
        meter.stop();
        meter.decreaseUsage(70);
        assertEquals(45, heard.get());
    }

    @Test
    void namesAreTheBrokersOwn() {
        MemoryUsage child = meter(limited("parent", 100), "child", 1);
        assertEquals("parent:child", child.getName());
        child.setName("other");
        assertTrue(child.toString().startsWith("Usage(other) percentUsage=0%, usage=0, limit=100"), child.toString());
        assertTrue(child.toString().contains(";Parent:Usage(parent) "), child.toString());
        assertEquals("parent", child.getParent().getName());
        assertEquals(100, child.getPollingTime());
    }
}
