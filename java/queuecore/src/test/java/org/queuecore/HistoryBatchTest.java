package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Batches: their lists, where they stop, and what they refuse. */
class HistoryBatchTest {
    @Test
    void aTurnOfADispatcherIsTwoCrossings() {
        HistoryBatch batch = new HistoryBatch(6);
        assertEquals(8, batch.capacity(), "a multiple of four");
        try (History history = new History(HistoryTest.options())) {
            for (int turn = 0; turn < 3; turn++) {
                batch.clear();
                for (int i = 0; i < 5; i++) {
                    assertEquals(i, batch.addKey(turn, i, turn));
                }
                batch.addKey(turn, 0, turn);
                history.insertBatch(batch, turn);
                assertEquals(6, batch.done());
                for (int i = 0; i < 5; i++) {
                    assertEquals(InsertOutcome.ADDED, batch.outcome(i));
                    assertEquals(history.find(turn, i), batch.entry(i));
                    batch.addEntry(batch.entry(i));
                }
                assertEquals(InsertOutcome.DUPLICATE_LIVE, batch.outcome(5));
                assertEquals(batch.entry(0), batch.entry(5));
                history.eraseBatch(batch, turn);
                assertEquals(5, batch.done());
                for (int i = 0; i < 5; i++) {
                    assertEquals(Erasure.HISTORICAL, batch.erasure(i));
                }
                history.containsBatch(batch, turn);
                assertEquals(6, batch.done());
                assertEquals(Presence.HISTORICAL, batch.presence(5));
            }
            assertEquals(0, history.liveLen());
            assertEquals(15, history.historyLen());
            history.readmitBatch(batch, 3);
            assertEquals(InsertOutcome.ADDED, batch.outcome(0));
            assertEquals(5, history.liveLen());
        }
    }

    @Test
    void aBatchStopsAtTheFirstThatFailsAndGoesOnBehindIt() {
        HistoryBatch batch = new HistoryBatch(8);
        try (History history = new History(HistoryTest.options())) {
            for (int i = 0; i < 6; i++) {
                batch.addKey(0, i, i == 3 ? 99 : 0);
            }
            IllegalArgumentException late =
                    assertThrows(IllegalArgumentException.class, () -> history.insertBatch(batch, 5));
            assertTrue(late.getMessage().startsWith("QC_ERR_OUT_OF_RANGE: "), late.getMessage());
            assertEquals(3, batch.done());
            assertEquals(3, history.liveLen());
            history.insertBatch(batch, 4, 5);
            assertEquals(6, batch.done());
            assertEquals(5, history.liveLen());
            assertEquals(history.find(0, 5), batch.entry(5));

            batch.addEntry(batch.entry(0));
            batch.addEntry(12345);
            batch.addEntry(batch.entry(1));
            assertThrows(IllegalStateException.class, () -> history.eraseBatch(batch, 5));
            assertEquals(1, batch.done());
            history.eraseBatch(batch, 2, 5);
            assertEquals(3, history.liveLen());
            history.eraseBatch(batch, 3, 5);
            assertEquals(3, batch.done(), "none is fine");
            assertThrows(IndexOutOfBoundsException.class, () -> history.eraseBatch(batch, 4, 5));
            assertThrows(IndexOutOfBoundsException.class, () -> history.insertBatch(batch, -1, 5));
            assertThrows(IllegalArgumentException.class, () -> history.containsBatch(batch, Long.MAX_VALUE));
            assertEquals(0, batch.done());
        }
    }

    @Test
    void valuesGoInWithTheirKeys() {
        HistoryBatch batch = new HistoryBatch(4, 8);
        HistoryBatch without = new HistoryBatch(4);
        try (History history = new History(HistoryTest.options().valueSize(8));
                History other = new History(HistoryTest.options().valueSize(16))) {
            batch.addKey(0, 1, 0);
            batch.setLongValue(0, 77);
            batch.addKey(0, 2, 0);
            batch.setValue(1, ByteBuffer.allocate(9).position(1));
            batch.addKey(0, 3, 0);
            history.insertBatch(batch, 0);
            assertEquals(77, history.getLongValue(batch.entry(0)));
            assertEquals(0, history.getLongValue(batch.entry(2)));
            batch.clear();
            batch.addKey(0, 4, 0);
            history.insertBatch(batch, 0);
            assertEquals(0, history.getLongValue(batch.entry(0)), "nothing is left of an earlier use");
            without.addKey(0, 5, 0);
            history.insertBatch(without, 0);
            assertEquals(0, history.getLongValue(without.entry(0)));

            assertThrows(IllegalArgumentException.class, () -> other.insertBatch(batch, 0), "values of another size");
            assertEquals(0, other.liveLen());
            assertThrows(IndexOutOfBoundsException.class, () -> batch.setLongValue(1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.setValue(0, ByteBuffer.allocate(7)));
            assertThrows(IllegalArgumentException.class, () -> without.setLongValue(0, 1));
        }
    }

    @Test
    void placesThatAreNotThereAreRefused() {
        HistoryBatch batch = new HistoryBatch(4);
        for (int i = 0; i < 4; i++) {
            batch.addKey(i, ~i, i);
            batch.addEntry(i);
        }
        assertThrows(BufferOverflowException.class, () -> batch.addKey(0, 0, 0));
        assertThrows(BufferOverflowException.class, () -> batch.addEntry(1));
        assertEquals(4, batch.keys());
        assertEquals(4, batch.entries());
        assertEquals(3, batch.high(3));
        assertEquals(~3, batch.low(3));
        assertEquals(3, batch.insertedAtNanos(3));
        for (int wrong : new int[] {-1, 4, 1000, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> batch.high(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.low(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.insertedAtNanos(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.outcome(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.entry(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.presence(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.erasure(wrong));
        }
        batch.clear();
        assertThrows(IndexOutOfBoundsException.class, () -> batch.high(0));
        for (int wrong : new int[] {0, -1, HistoryBatch.MAX_CAPACITY + 1}) {
            assertThrows(IllegalArgumentException.class, () -> new HistoryBatch(wrong));
        }
        assertThrows(IllegalArgumentException.class, () -> new HistoryBatch(1, 1025));
        assertThrows(IllegalArgumentException.class, () -> new HistoryBatch(1, -1));
        assertEquals(HistoryBatch.MAX_CAPACITY, new HistoryBatch(HistoryBatch.MAX_CAPACITY).capacity());
    }

    @Test
    void theLiveOrderComesInBatches() {
        HistoryBatch batch = new HistoryBatch(4);
        try (History history = new History(HistoryTest.options())) {
            assertEquals(0, history.walk(0, batch));
            for (int i = 0; i < 10; i++) {
                history.insert(5, i, i, i);
            }
            int seen = 0;
            long after = 0;
            int count;
            do {
                count = history.walk(after, batch);
                for (int i = 0; i < count; i++, seen++) {
                    assertEquals(5, batch.high(i));
                    assertEquals(seen, batch.low(i));
                    assertEquals(seen, batch.insertedAtNanos(i));
                    after = batch.entry(i);
                    assertEquals(history.find(5, seen), after);
                }
            } while (count == batch.capacity());
            assertEquals(10, seen);
            assertThrows(IllegalStateException.class, () -> history.walk(99, batch));
        }
    }

    @Test
    void anIterationShowsLiveAndHistoricalOnes() {
        HistoryBatch batch = new HistoryBatch(4);
        try (History history = new History(HistoryTest.options())) {
            for (int i = 0; i < 10; i++) {
                history.insert(5, i, i, i);
                if (i % 2 == 0) {
                    history.erase(history.lastEntry(), i);
                }
            }
            history.iterate();
            int seen = 0;
            boolean more;
            do {
                more = history.iterateNext(batch);
                for (int i = 0; i < batch.keys(); i++, seen++) {
                    assertEquals(seen, batch.low(i));
                    assertEquals(seen % 2 != 0, batch.entry(i) != 0);
                }
            } while (more);
            assertEquals(10, seen);
            assertFalse(history.iterateNext(batch), "none is under way");
            assertEquals(0, batch.keys());
        }
    }
}
