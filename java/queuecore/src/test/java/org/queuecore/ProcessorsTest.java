package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which word a thread uses, of a meter that has several: whatever the threads' numbers are, none stays at another's. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProcessorsTest {
    private MemoryUsage hot;

    @BeforeEach
    void open() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor has one word");
        hot = new MemoryUsage("hot");
        hot.setLimit(1L << 50);
        assertEquals(0, Languages.grow(hot.nativeHandle()));
        hot.increaseUsage(1L << 40);
    }

    @AfterEach
    void close() {
        if (hot != null) {
            hot.close();
        }
    }

    @Test
    void twoThreadsThatBeginAtOneWordPart() throws Exception {
        AtomicIntegerArray threads = new AtomicIntegerArray(2);
        CyclicBarrier both = new CyclicBarrier(2);
        AtomicBoolean parted = new AtomicBoolean();
        ThreadsTest.onThreads(2, thread -> {
            threads.set(thread, Region.threadNumber());
            Processors.note(Region.threadNumber(), 1);
            both.await();
            while (!parted.get()) {
                for (int i = 0; i < 1000; i++) {
                    hot.increaseUsage(100);
                    hot.decreaseUsage(100);
                }
                if (Processors.of(threads.get(0)) != Processors.of(threads.get(1))) {
                    parted.set(true);
                }
            }
        });
        assertEquals(1L << 40, hot.getUsage());
    }

    @Test
    void whoComesToNativeCodeLearnsWhereItRuns() {
        int me = Region.threadNumber();
        int[] after = new int[6];
        for (int wrong = 0; wrong < 2; wrong++) {
            Processors.note(me, 126 + wrong);
            hot.increaseUsage(1L << 36);
            after[wrong] = Processors.of(me);
            Processors.note(me, 126 + wrong);
            hot.decreaseUsage(1L << 36);
            after[2 + wrong] = Processors.of(me);
            Processors.note(me, 126 + wrong);
            hot.tryReserve((1L << 36) * wrong + 1 + (1L << 50) * (1 - wrong));
            after[4 + wrong] = Processors.of(me);
        }
        for (int way = 0; way < after.length; way += 2) {
            // It may be on one of the two in earnest, and not on both.
            assertNotEquals("126 127", after[way] + " " + after[way + 1], "way " + way / 2);
        }
    }

    @Test
    void eachWordIsSomeProcessorsAndNoneLiesBeyond() {
        for (int processor = 0; processor < 1024; processor++) {
            Processors.note(-processor, processor);
            assertEquals(processor & 127, Processors.of(-processor));
            int four = Region.word(4096 | 2, Processors.of(-processor));
            assertEquals(processor & 3, (four - 4096) / (Region.word(4096 | 2, 1) - 4096));
        }
    }

    @Test
    void aLaneThatIsLeftBehindHeals() throws Exception {
        // A thread that still saw one stripe may write its lane after the others have found more.
        try (MemoryUsage meter = new MemoryUsage("meter")) {
            meter.setLimit(1L << 50);
            meter.increaseUsage(1L << 40);
            var lane = MemoryUsage.class.getDeclaredField("lane");
            var stripes = MemoryUsage.class.getDeclaredField("stripes");
            lane.setAccessible(true);
            stripes.setAccessible(true);
            long late = (long) Region.threadNumber() << 32 | stripes.getInt(meter);
            assertEquals(0, Languages.grow(meter.nativeHandle()));
            meter.increaseUsage(1L << 36);
            assertNotEquals((int) late, stripes.getInt(meter), "it has more stripes");
            lane.setLong(meter, late);
            meter.increaseUsage(1L << 36);
            assertEquals(0, lane.getLong(meter));
        }
    }
}
