package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
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
        assertEquals("10>0", steps.get(steps.size() - 1));
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
        new Thread(waiting).start();
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
        assertEquals(2, calledBack.get());
        child.enqueueUsage(1);
        assertEquals(100, meter.getUsage());
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
