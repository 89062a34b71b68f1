package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a meter counts and answers, on one thread. */
class MemoryUsageTest {
    private static MemoryUsage limited(long limit) {
        MemoryUsage usage = new MemoryUsage("test");
        usage.setLimit(limit);
        return usage;
    }

    @Test
    void countsOnEveryLevelAndKnowsThePercentOfEach() {
        try (MemoryUsage broker = limited(1000); MemoryUsage orders = new MemoryUsage(broker, "orders", 0.5f)) {
            orders.increaseUsage(400);
            assertEquals(400, broker.getUsage());
            assertEquals(40, broker.getPercentUsage());
            assertEquals(80, orders.getPercentUsage());
            broker.increaseUsage(100);
            assertEquals(500, broker.getUsage());
            assertEquals(400, orders.getUsage());
            assertEquals(100, broker.getStats().ownBytes());
            orders.decreaseUsage(400);
            assertEquals(100, broker.getUsageExact());
            assertEquals(0, orders.getUsageExact());
        }
    }

    @Test
    void isFullAtTheVeryByte() {
        try (MemoryUsage usage = limited(1000)) {
            usage.increaseUsage(999);
            assertEquals(99, usage.getPercentUsage());
            assertFalse(usage.isFull());
            assertTrue(usage.tryReserve(1));
            assertTrue(usage.isFull());
            assertFalse(usage.tryReserve(1));
            assertEquals(1000, usage.getUsage());
            usage.decreaseUsage(1);
            assertFalse(usage.isFull());
        }
    }

    @Test
    void aFullParentMakesItsChildrenFull() {
        try (MemoryUsage broker = limited(1_503_238_554); MemoryUsage orders = new MemoryUsage(broker, "orders")) {
            MemoryUsage rest = new MemoryUsage(broker, "rest");
            orders.increaseUsage(366_732_408);
            rest.increaseUsage(1_503_321_772 - 366_732_408);
            assertEquals(24, orders.getPercentUsage());
            assertEquals(100, broker.getPercentUsage());
            assertTrue(orders.isFull());
            assertTrue(orders.isFull(100));
            assertTrue(orders.isFull(24));
            assertFalse(orders.isFull(101));
            rest.close();
        }
    }

    @Test
    void withoutALimitNothingIsEverFull() {
        try (MemoryUsage usage = new MemoryUsage("unlimited")) {
            usage.increaseUsage(MemoryUsage.MAX_AMOUNT);
            assertEquals(0, usage.getPercentUsage());
            assertFalse(usage.isFull());
            assertFalse(usage.isFull(1));
            assertFalse(usage.isFull(0));
            assertFalse(usage.isFull(-1));
            assertEquals(0, usage.getLimit());
        }
    }

    @Test
    void levelsBelowZeroAreCountedAndMakeNoRoom() {
        try (MemoryUsage usage = limited(1000)) {
            usage.increaseUsage(100);
            usage.decreaseUsage(100);
            usage.decreaseUsage(100);
            assertEquals(-100, usage.getUsage());
            assertEquals(-10, usage.getPercentUsage());
            assertTrue(usage.isFull(-10));
            assertFalse(usage.isFull(-9));
            assertFalse(usage.tryReserve(1050));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, MemoryUsage.MAX_AMOUNT + 1, Long.MAX_VALUE})
    void refusesAmountsOutOfRangeAndChangesNothing(long bytes) {
        try (MemoryUsage usage = limited(1000)) {
            usage.increaseUsage(7);
            for (int lent = 0; lent < 2; lent++) {
                assertThrows(IllegalArgumentException.class, () -> usage.increaseUsage(bytes));
                assertThrows(IllegalArgumentException.class, () -> usage.decreaseUsage(bytes));
                assertThrows(IllegalArgumentException.class, () -> usage.tryReserve(bytes));
                assertEquals(7, usage.getUsage());
                // Once more with credit in the stripe.
                usage.setLimit(1L << 40);
                for (int i = 0; i < 1000; i++) {
                    usage.increaseUsage(10);
                    usage.decreaseUsage(10);
                }
                assertTrue(usage.getStats().activeStripes() > 0, "nothing is lent: the test would not see it");
            }
        }
    }

    @Test
    void refusesLevelsOutOfRange() {
        try (MemoryUsage usage = new MemoryUsage("huge")) {
            for (int i = 0; i < 32; i++) {
                usage.increaseUsage(MemoryUsage.MAX_AMOUNT);
            }
            assertThrows(ArithmeticException.class, () -> usage.increaseUsage(1));
            assertEquals(1L << 61, usage.getUsage());
        }
    }

    @Test
    void zeroDoesNothing() {
        try (MemoryUsage usage = limited(10)) {
            usage.increaseUsage(0);
            usage.decreaseUsage(0);
            assertTrue(usage.tryReserve(0));
            assertEquals(0, usage.getUsage());
        }
    }

    @Test
    void aPortionFollowsTheParentUntilALimitIsSet() {
        try (MemoryUsage broker = limited(1000); MemoryUsage orders = new MemoryUsage(broker, "orders", 0.7f)) {
            assertEquals(700, orders.getLimit());
            broker.setLimit(2000);
            assertEquals(1400, orders.getLimit());
            orders.setUsagePortion(0.25f);
            assertEquals(500, orders.getLimit());
            assertEquals(0.25f, orders.getUsagePortion());
            orders.setLimit(99);
            assertEquals(0, orders.getUsagePortion());
            broker.setLimit(3000);
            assertEquals(99, orders.getLimit());
            orders.setUsagePortion(1);
            assertEquals(3000, orders.getLimit());
            orders.setUsagePortion(0);
            broker.setLimit(10);
            assertEquals(3000, orders.getLimit(), "0 keeps the limit that there is");
            assertEquals(10, new MemoryUsage(broker, "whole").getLimit());
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {-0.1f, 1.1f, Float.NaN, Float.POSITIVE_INFINITY})
    void refusesPortionsOutOfRange(float portion) {
        try (MemoryUsage broker = limited(1000)) {
            assertThrows(IllegalArgumentException.class, () -> new MemoryUsage(broker, "x", portion));
            assertThrows(IllegalArgumentException.class, () -> broker.setUsagePortion(portion));
            assertEquals(1, broker.getStats().treeTrackers());
        }
    }

    @Test
    void refusesAPortionWithoutAParent() {
        assertThrows(IllegalArgumentException.class, () -> new MemoryUsage(null, "root", 0.5f));
        try (MemoryUsage broker = limited(1000)) {
            assertThrows(IllegalArgumentException.class, () -> broker.setUsagePortion(0.5f));
            assertEquals(1000, broker.getLimit());
        }
        assertThrows(NullPointerException.class, () -> new MemoryUsage((String) null));
    }

    @Test
    void countsPercentsInSteps() {
        try (MemoryUsage usage = limited(1000)) {
            usage.setPercentUsageMinDelta(30);
            assertEquals(30, usage.getPercentUsageMinDelta());
            usage.increaseUsage(1199);
            assertEquals(90, usage.getPercentUsage());
            assertFalse(usage.isFull());
            usage.increaseUsage(1);
            assertEquals(120, usage.getPercentUsage());
            assertTrue(usage.isFull());
            assertThrows(IllegalArgumentException.class, () -> usage.setPercentUsageMinDelta(0));
            assertEquals(30, usage.getPercentUsageMinDelta());
        }
    }

    @Test
    void settingTheUsageIsConsistentAtOnce() {
        try (MemoryUsage broker = limited(1000); MemoryUsage orders = new MemoryUsage(broker, "orders")) {
            orders.increaseUsage(10);
            orders.setUsage(1000);
            assertEquals(100, orders.getPercentUsage());
            assertTrue(broker.isFull());
            orders.setUsage(-5);
            assertEquals(-5, broker.getUsage());
            assertThrows(IllegalArgumentException.class, () -> orders.setUsage(MemoryUsage.MAX_AMOUNT + 1));
            assertThrows(IllegalArgumentException.class, () -> orders.setLimit(-1));
            assertThrows(IllegalArgumentException.class, () -> orders.setLimit(1L << 62 | 1));
            assertEquals(-5, orders.getUsage());
            assertEquals(1000, orders.getLimit());
        }
    }

    @Test
    void marksHaveHysteresis() {
        try (MemoryUsage usage = limited(100)) {
            usage.setMarks(70, 90);
            usage.increaseUsage(89);
            assertFalse(usage.isOverMark());
            usage.increaseUsage(1);
            assertTrue(usage.isOverMark());
            usage.decreaseUsage(20);
            assertTrue(usage.isOverMark());
            usage.decreaseUsage(1);
            assertFalse(usage.isOverMark());
            assertThrows(IllegalArgumentException.class, () -> usage.setMarks(90, 70));
            assertThrows(IllegalArgumentException.class, () -> usage.setMarks(0, 70));
            usage.increaseUsage(50);
            usage.clearMarks();
            assertFalse(usage.isOverMark());
        }
    }

    @Test
    void knowsItsPlaceInTheTree() {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            MemoryUsage orders = new MemoryUsage(broker, "orders");
            MemoryUsage bills = new MemoryUsage(broker, "bills");
            MemoryUsage late = new MemoryUsage(bills, "late");
            assertEquals(broker, orders.getParent());
            assertEquals("orders", orders.getName());
            assertEquals("MemoryUsage[broker:orders]", orders.toString());
            assertEquals(Set.of("orders", "bills"),
                    broker.getChildren().stream().map(MemoryUsage::getName).collect(Collectors.toSet()));
            assertEquals(List.of(late), bills.getChildren());
            orders.close();
            assertEquals(List.of(bills), broker.getChildren());
            assertTrue(late.nativeHandle() != bills.nativeHandle());
        }
    }

    @Test
    void refusesMoreThanSixteenLevels() {
        MemoryUsage above = new MemoryUsage("0");
        for (int level = 1; level < 16; level++) {
            above = new MemoryUsage(above, Integer.toString(level));
        }
        MemoryUsage last = above;
        QueuecoreException refused = assertThrows(QueuecoreException.class, () -> new MemoryUsage(last, "too deep"));
        assertTrue(refused.getMessage().startsWith("QC_ERR_CAPACITY: "), refused.getMessage());
    }

    @Test
    void figuresTellWhatIsLent() {
        try (MemoryUsage usage = limited(1L << 40)) {
            for (int i = 0; i < 1000; i++) {
                usage.increaseUsage(1000);
                usage.decreaseUsage(900);
            }
            UsageStats stats = usage.getStats();
            assertEquals(100_000, stats.usageBytes());
            assertEquals(1L << 40, stats.limitBytes());
            assertTrue(stats.slackBytes() > 0 && stats.treeRefills() > 0, stats.toString());
            assertTrue(stats.committedBytes() - stats.slackBytes() <= 100_000, stats.toString());
            assertTrue(stats.bytesInUse() > 0 && stats.bytesPeak() >= stats.bytesInUse(), stats.toString());
            assertFalse(stats.isFull());
            assertTrue(usage.isStarted());
        }
    }

    @Test
    void itsWordsNameTheParentOnce() {
        try (MemoryUsage main = new MemoryUsage("main");
                MemoryUsage orders = new MemoryUsage(main, "orders");
                MemoryUsage bills = new MemoryUsage(main, "main:bills")) {
            assertEquals("MemoryUsage[main]", main.toString());
            assertEquals("MemoryUsage[main:orders]", orders.toString());
            assertEquals("MemoryUsage[main:bills]", bills.toString());
        }
    }
}
