package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Every single call of a history, with what it answers and what it refuses. */
class HistoryTest {
    /** Times are whole ticks. */
    static HistoryOptions options() {
        return new HistoryOptions().windowNanos(120).resolutionNanos(1);
    }

    @Test
    void duplicatesAreTheLiveAndTheHistoricalOnesInsideTheirWindow() {
        try (History history = new History(options())) {
            assertEquals(0, history.lastEntry());
            assertEquals(InsertOutcome.ADDED, history.insert(1, 2, 0, 0));
            long entry = history.lastEntry();
            assertNotEquals(0, entry);
            assertEquals(InsertOutcome.DUPLICATE_LIVE, history.insert(1, 2, 1, 1));
            assertEquals(entry, history.lastEntry());
            assertEquals(InsertOutcome.ADDED, history.insert(2, 1, 1, 1), "the halves count in their order");
            assertEquals(Presence.LIVE, history.contains(1, 2, 1));
            assertEquals(Erasure.HISTORICAL, history.erase(entry, 1));
            assertEquals(Presence.HISTORICAL, history.contains(1, 2, 119));
            assertEquals(InsertOutcome.DUPLICATE_HISTORY, history.insert(1, 2, 119, 119));
            assertEquals(0, history.lastEntry());
            assertEquals(Presence.ABSENT, history.contains(1, 2, 120));
            assertEquals(InsertOutcome.ADDED, history.insert(1, 2, 120, 120));
            assertEquals(2, history.liveLen());
            assertEquals(Erasure.GONE, history.eraseKey(1, 2, 1000));
        }
    }

    @Test
    void readmitBringsAHistoricalKeyBackAsTheNewest() {
        try (History history = new History(options())) {
            history.insert(0, 1, 0, 0);
            long first = history.lastEntry();
            history.insert(0, 2, 0, 0);
            history.erase(first, 1);
            assertEquals(1, history.historyLen());
            assertEquals(InsertOutcome.ADDED, history.readmit(0, 1, 0, 2));
            assertEquals(history.last(), history.lastEntry());
            assertEquals(InsertOutcome.DUPLICATE_LIVE, history.readmit(0, 1, 0, 2));
            assertEquals(1, history.getStats().readmitted());
        }
    }

    @Test
    void whatIsForgottenLeavesNoTrace() {
        try (History history = new History(options())) {
            history.insert(0, 1, 0, 0);
            history.forget(history.lastEntry());
            assertEquals(InsertOutcome.ADDED, history.insert(0, 1, 0, 0));
            history.eraseKey(0, 1, 1);
            history.forgetKey(0, 1);
            assertEquals(Presence.ABSENT, history.contains(0, 1, 1));
            assertThrows(NoSuchElementException.class, () -> history.forgetKey(0, 1));
        }
    }

    @Test
    void theLiveOrderIsWalkedBothWays() {
        try (History history = new History(options())) {
            assertEquals(0, history.first());
            assertEquals(0, history.last());
            for (int i = 1; i <= 5; i++) {
                history.insert(7, i, i, i);
            }
            long middle = history.find(7, 3);
            assertEquals(new UUID(7, 3), history.key(middle));
            assertEquals(3, history.insertedAtNanos(middle));
            assertEquals(new UUID(7, 4), history.key(history.next(middle)));
            assertEquals(new UUID(7, 2), history.key(history.previous(middle)));
            assertEquals(history.last(), history.nextFrom(7, 4));
            assertEquals(0, history.nextFrom(7, 5));
            assertEquals(0, history.next(history.last()));
            assertEquals(0, history.previous(history.first()));
            int seen = 0;
            for (long entry = history.first(), next; entry != 0; entry = next, seen++) {
                next = history.next(entry);
                history.erase(entry, 5);
            }
            assertEquals(5, seen);
            assertEquals(0, history.find(7, 3));
        }
    }

    @Test
    void valuesStayWithTheirEntries() {
        try (History history = new History(options().valueSize(20))) {
            ByteBuffer value = ByteBuffer.allocate(24).position(2);
            for (int i = 2; i < 22; i++) {
                value.put(i, (byte) i);
            }
            value.limit(22);
            assertEquals(InsertOutcome.ADDED, history.insert(0, 1, value.asReadOnlyBuffer(), 0, 0), "any kind of buffer");
            long entry = history.lastEntry();
            assertEquals(2, value.position());
            ByteBuffer read = ByteBuffer.allocateDirect(30).position(3);
            history.getValue(entry, read);
            assertEquals(3, read.position());
            assertEquals(value, read.limit(23));
            history.insert(0, 2, 0, 0);
            ByteBuffer zeros = ByteBuffer.allocate(20);
            history.getValue(history.lastEntry(), zeros);
            assertArrayEquals(new byte[20], zeros.array());
            history.setValue(history.lastEntry(), value);
            history.getValue(history.lastEntry(), zeros);
            assertEquals(value, zeros);

            ByteBuffer tooShort = ByteBuffer.allocate(19);
            assertThrows(IllegalArgumentException.class, () -> history.insert(0, 3, tooShort, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> history.readmit(0, 3, ByteBuffer.allocate(21), 0, 0));
            assertThrows(IllegalArgumentException.class, () -> history.setValue(entry, tooShort));
            assertThrows(IllegalArgumentException.class, () -> history.getValue(entry, tooShort));
            assertThrows(ReadOnlyBufferException.class, () -> history.getValue(entry, zeros.asReadOnlyBuffer()));
            assertThrows(IllegalArgumentException.class, () -> history.insertLong(0, 3, 5, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> history.getLongValue(entry));
            assertThrows(NullPointerException.class, () -> history.insert(0, 3, null, 0, 0));
            assertEquals(2, history.liveLen(), "nothing was added");
            history.erase(entry, 0);
            assertThrows(IllegalStateException.class, () -> history.getValue(entry, zeros));
            assertThrows(IllegalStateException.class, () -> history.setValue(entry, value));
        }
    }

    @Test
    void longsAreValuesToo() {
        try (History history = new History(options().valueSize(8))) {
            history.insertLong(0, 1, -5, 0, 0);
            long entry = history.lastEntry();
            assertEquals(-5, history.getLongValue(entry));
            history.setLongValue(entry, 1L << 40);
            assertEquals(1L << 40, history.getLongValue(entry));
            history.erase(entry, 0);
            assertEquals(InsertOutcome.ADDED, history.readmitLong(0, 1, 9, 0, 0));
            assertEquals(9, history.getLongValue(history.lastEntry()));
        }
    }

    @Test
    void collectionPurgeAndClearAnswerWhatTheyDid() {
        try (History history = new History(options().gcPolicy(HistoryOptions.GcPolicy.SCHEDULED))) {
            for (int i = 0; i < 10; i++) {
                history.insert(0, i, 0, 0);
            }
            assertEquals(10, history.eraseAllLive(1));
            assertEquals(new Collected(0, false), history.gc(119, -1));
            assertEquals(new Collected(4, true), history.gc(120, 4));
            assertEquals(new Collected(6, false), history.gc(120, -1));
            assertEquals(0, history.historyLen());
            for (int i = 0; i < 10; i++) {
                history.insert(0, i, 120, 120);
            }
            assertTrue(history.clearStep(3).more());
            assertEquals(7, history.liveLen());
            history.clear();
            assertEquals(0, history.liveLen());
            assertEquals(10, history.getStats().collectedTotal());
        }
    }

    @Test
    void theWindowAndTheClockCanBeSet() {
        try (History history = new History(options().maxClockStepNanos(1000))) {
            history.insert(0, 1, 0, 0);
            history.eraseKey(0, 1, 10);
            history.setWindow(10);
            assertEquals(Presence.ABSENT, history.contains(0, 1, 10));
            assertThrows(IllegalArgumentException.class, () -> history.setWindow(-1));
            assertThrows(IllegalArgumentException.class, () -> history.insert(0, 2, 5000, 5000));
            history.clockReset(5000);
            assertEquals(InsertOutcome.ADDED, history.insert(0, 2, 5000, 5000));
            assertThrows(IllegalArgumentException.class, () -> history.clockReset(Long.MAX_VALUE));
            assertEquals(InsertOutcome.ADDED, history.insert(0, 3, -7, 4000), "a time that runs back counts as the largest");
            assertEquals(1, history.getStats().clockRegressions());
        }
    }

    @Test
    void limitsAreQueuecoreExceptionsAndChangeNothing() {
        try (History history = new History(options().maxEntries(2))) {
            history.insert(0, 1, 0, 0);
            history.insert(0, 2, 0, 0);
            QueuecoreException full = assertThrows(QueuecoreException.class, () -> history.insert(0, 3, 0, 0));
            assertTrue(full.getMessage().startsWith("QC_ERR_CAPACITY: "), full.getMessage());
            assertEquals(2, history.liveLen());
        }
        HistoryOptions small = options().maxHistory(1);
        try (History history = new History(small)) {
            history.insert(0, 1, 0, 0);
            history.insert(0, 2, 0, 0);
            history.eraseKey(0, 1, 1);
            assertThrows(QueuecoreException.class, () -> history.eraseKey(0, 2, 1));
            assertThrows(QueuecoreException.class, () -> history.eraseAllLive(1));
            assertEquals(Presence.LIVE, history.contains(0, 2, 1));
        }
        try (History history = new History(small.overflow(HistoryOptions.Overflow.EVICT_OLDEST))) {
            history.insert(0, 1, 0, 0);
            history.insert(0, 2, 0, 0);
            history.eraseKey(0, 1, 1);
            history.eraseKey(0, 2, 1);
            assertEquals(Presence.ABSENT, history.contains(0, 1, 1));
            assertEquals(1, history.getStats().evictedEarly());
        }
    }

    @Test
    void untilCollectedKeysStayVisible() {
        HistoryOptions lingering = options().visibility(HistoryOptions.Visibility.UNTIL_COLLECTED)
                .gcPolicy(HistoryOptions.GcPolicy.SCHEDULED).gcStep(0).seed(7);
        try (History history = new History(lingering)) {
            history.insert(0, 1, 0, 0);
            history.eraseKey(0, 1, 1);
            assertEquals(Presence.HISTORICAL, history.contains(0, 1, 500));
            assertEquals(new Collected(1, false), history.gc(500, 1));
            assertEquals(Presence.ABSENT, history.contains(0, 1, 500));
        }
    }

    @Test
    void wrongEntriesAndTimesAreRefused() {
        try (History history = new History(options())) {
            history.insert(0, 1, 0, 0);
            long entry = history.lastEntry();
            history.erase(entry, 0);
            for (long wrong : new long[] {0, -1, entry, Long.MIN_VALUE}) {
                List<Executable> calls = List.of(
                        () -> history.erase(wrong, 0),
                        () -> history.forget(wrong),
                        () -> history.next(wrong),
                        () -> history.previous(wrong),
                        () -> history.key(wrong),
                        () -> history.insertedAtNanos(wrong));
                for (Executable call : calls) {
                    IllegalStateException thrown = assertThrows(IllegalStateException.class, call);
                    assertTrue(thrown.getMessage().startsWith("QC_ERR_STALE_HANDLE: "), thrown.getMessage());
                }
            }
            assertThrows(NoSuchElementException.class, () -> history.eraseKey(0, 1, 0));
            assertThrows(NoSuchElementException.class, () -> history.nextFrom(0, 1));
            assertThrows(IllegalArgumentException.class, () -> history.insert(0, 2, 6, 5), "later than the present");
            for (long time : new long[] {Long.MAX_VALUE, Long.MIN_VALUE}) {
                assertThrows(IllegalArgumentException.class, () -> history.insert(0, 2, 0, time));
                assertThrows(IllegalArgumentException.class, () -> history.contains(0, 2, time));
                assertThrows(IllegalArgumentException.class, () -> history.gc(time, 1));
            }
            assertEquals(0, history.liveLen());
        }
    }

    @Test
    void settingsOutsideTheirRangesMakeNoHistory() {
        List<HistoryOptions> wrong = List.of(
                options().valueSize(-1),
                options().valueSize(1025),
                options().windowNanos(-1),
                options().resolutionNanos(-1),
                options().maxClockStepNanos(-1),
                options().maxEntries(1L << 40),
                options().maxEntries(-1),
                options().maxHistory(-1),
                options().gcStep(-1),
                options().gcStep(1 << 21));
        for (HistoryOptions options : wrong) {
            assertThrows(IllegalArgumentException.class, () -> new History(options));
        }
        assertThrows(NullPointerException.class, () -> new History(null));
        assertThrows(NullPointerException.class, () -> options().overflow(null));
        try (History history = new History(new HistoryOptions())) {
            assertFalse(history.getStats().bytesInUse() > 1024, "an empty one is small");
        }
    }
}
