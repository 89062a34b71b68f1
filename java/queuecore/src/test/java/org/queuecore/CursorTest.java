package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every single call of a cursor, with what it answers and what it refuses. */
class CursorTest {
    private final MemoryUsage usage = new MemoryUsage("orders");
    private final MapStore store = new MapStore();
    private final CursorBatch batch = new CursorBatch(20);

    @AfterEach
    void close() {
        usage.close();
    }

    private Cursor cursor(CursorOptions options) {
        usage.setLimit(1000);
        return new Cursor(options, usage, store);
    }

    /** The store first, then the cursor. */
    private boolean push(Cursor cursor, long sequence) {
        store.put(sequence, 100, 4);
        return cursor.push(sequence, sequence, 1000 + sequence, 100, 4);
    }

    private List<Long> pulled() {
        List<Long> sequences = new ArrayList<>();
        for (int i = 0; i < batch.delivered(); i++) {
            sequences.add(batch.sequence(i));
        }
        return sequences;
    }

    @Test
    void itCachesUpToTheMarkAndPagesInTheRest() {
        try (Cursor cursor = cursor(new CursorOptions())) {
            AtomicInteger ready = new AtomicInteger();
            cursor.onReady(ready::incrementAndGet);
            int cached = 0;
            for (long sequence = 1; sequence <= 10; sequence++) {
                cached += push(cursor, sequence) ? 1 : 0;
            }
            assertEquals(7, cached);
            assertEquals(700, usage.getUsage());
            assertEquals(0, store.fetches);
            assertEquals(PullEnd.BLOCKED, cursor.pull(10, batch));
            assertEquals(Blocked.OWN_MARK, batch.blocked());
            assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), pulled());
            assertEquals(5, batch.token(4));
            assertEquals(1005, batch.user(4));
            assertEquals(100, batch.sizeBytes(4));
            assertEquals(4, batch.priority(4));
            assertEquals(0, batch.redeliveries(4));
            for (long sequence = 1; sequence <= 7; sequence++) {
                store.messages.remove(sequence);
                assertEquals(new Released(1000 + sequence, 100, true), cursor.ack(sequence));
            }
            assertEquals(1, ready.get(), "an edge, once");
            assertEquals(PullEnd.EMPTY, cursor.pull(10, batch));
            assertEquals(Blocked.NOT, batch.blocked());
            assertEquals(List.of(8L, 9L, 10L), pulled());
            assertEquals(0, batch.token(0), "it came from the store");
            assertEquals(1, store.fetches);
            assertEquals(1, cursor.getStats().pages());
            assertSame(usage, cursor.getUsage());
        }
        assertEquals(0, usage.getUsage(), "what it had charged is taken off");
    }

    @Test
    void whatIsRequeuedComesAgainAndWhatIsParkedInTheNextRound() {
        try (Cursor cursor = cursor(new CursorOptions())) {
            for (long sequence = 1; sequence <= 5; sequence++) {
                push(cursor, sequence);
            }
            cursor.pull(3, batch);
            cursor.requeue(2);
            cursor.park(1);
            assertEquals(PullEnd.MORE, cursor.pullOn(1, batch));
            assertEquals(List.of(2L), pulled());
            assertEquals(1, batch.redeliveries(0));
            assertEquals(1, cursor.getStats().parkedCount());
            cursor.pull(1, batch);
            assertEquals(List.of(1L), pulled(), "a new round");
            assertThrows(IllegalStateException.class, () -> cursor.ack(4), "nobody has it in hand");
            assertThrows(IllegalStateException.class, () -> cursor.requeue(4));
            assertThrows(IllegalStateException.class, () -> cursor.park(4));
            assertThrows(NoSuchElementException.class, () -> cursor.ack(99));
            assertEquals(100, cursor.remove(4, 0).bytes(), "expired in memory");
            cursor.ack(1);
            assertThrows(NoSuchElementException.class, () -> cursor.ack(1));
            assertEquals(3, cursor.getStats().pendingCount());
        }
    }

    @Test
    void openWritesHoldBackWhatIsBehindThem() {
        try (Cursor cursor = cursor(new CursorOptions().maxOpenWrites(3))) {
            AtomicInteger ready = new AtomicInteger();
            cursor.onReady(ready::incrementAndGet);
            for (long sequence = 1; sequence <= 3; sequence++) {
                store.put(sequence, 100, 4);
                assertTrue(cursor.pushOpen(sequence * 10, sequence == 3 ? 3 : 0, sequence, 100, 4));
            }
            QueuecoreException full = assertThrows(QueuecoreException.class, () -> cursor.pushOpen(40, 0, 4, 100, 4));
            assertTrue(full.getMessage().startsWith("QC_ERR_CAPACITY: "), full.getMessage());
            cursor.committed(10, 1);
            cursor.committed(30, 3);
            assertEquals(PullEnd.BLOCKED, cursor.pull(5, batch));
            assertEquals(Blocked.COMMIT, batch.blocked());
            assertEquals(List.of(1L), pulled());
            assertThrows(NoSuchElementException.class, () -> cursor.committed(11, 2));
            assertThrows(IllegalArgumentException.class, () -> cursor.committed(20, 3), "it does not fit");
            assertEquals(0, ready.get());
            assertEquals(new Released(2, 100, true), cursor.aborted(20));
            assertThrows(NoSuchElementException.class, () -> cursor.aborted(20));
            assertEquals(1, ready.get());
            cursor.pull(5, batch);
            assertEquals(List.of(3L), pulled());
            assertThrows(IllegalArgumentException.class, () -> cursor.push(30, 4, 0, 1, 0), "tokens rise");
            assertThrows(IllegalArgumentException.class, () -> cursor.push(31, 3, 0, 1, 0), "sequences rise");
        }
    }

    @Test
    void afterARestartNothingIsLoadedUntilSomebodyPulls() {
        for (long sequence = 1; sequence <= 100; sequence++) {
            store.put(sequence, 10, (int) (sequence % 2));
        }
        CursorOptions options = new CursorOptions().policy(new CursorPolicy().pageMessages(6).useCache(false));
        try (Cursor cursor = cursor(options)) {
            cursor.open(100, 1000, 100);
            assertEquals(0, store.fetches);
            assertEquals(100, cursor.getStats().pendingCount());
            assertEquals(PullEnd.MORE, cursor.pull(4, batch));
            assertEquals(List.of(1L, 3L, 5L, 2L), pulled(), "by priority in the window");
            assertEquals(1002, batch.user(3), "what the store told");
            assertEquals(6, cursor.getStats().inMemoryCount());
            assertThrows(IllegalArgumentException.class, () -> cursor.open(1, 1, 1), "it is in use");
            assertFalse(push(cursor, 101));
        }
        try (Cursor cursor = cursor(options)) {
            assertThrows(IllegalArgumentException.class, () -> cursor.open(100, 1000, 99));
        }
    }

    @Test
    void memoryIsGivenBackAndBodiesAreTold() {
        try (Cursor cursor = cursor(new CursorOptions())) {
            for (long sequence = 1; sequence <= 6; sequence++) {
                push(cursor, sequence);
            }
            cursor.pull(1, batch);
            assertEquals(new Dropped(5, 500), cursor.dropCache());
            assertEquals(100, usage.getUsage());
            assertEquals(List.of(2L, 3L, 4L, 5L, 6L), store.discarded.stream().sorted().toList());
            assertEquals(5, cursor.getStats().droppedCount());
            assertEquals(PullEnd.MORE, cursor.pull(10, batch), "a page is 30 % of the limit");
            assertEquals(List.of(2L, 3L, 4L), pulled());
            assertEquals(PullEnd.EMPTY, cursor.pull(10, batch));
            assertEquals(List.of(5L, 6L), pulled());

            store.discarded.clear();
            cursor.requeue(5);
            Purged purged = cursor.purge(0, 10);
            assertEquals(1, purged.messages());
            assertFalse(purged.more());
            assertEquals(6, purged.upTo());
            assertEquals(List.of(5L), store.discarded);
            assertThrows(IllegalArgumentException.class, () -> cursor.purge(99, 10));
            assertThrows(IllegalArgumentException.class, () -> cursor.purge(0, -1));
        }
    }

    @Test
    void browsingTakesNothing() {
        try (Cursor cursor = cursor(new CursorOptions().policy(new CursorPolicy().pageMessages(4)))) {
            for (long sequence = 1; sequence <= 10; sequence++) {
                push(cursor, sequence);
            }
            long charged = usage.getUsage();
            CursorPage page = new CursorPage(50);
            List<Long> seen = new ArrayList<>();
            Browsed browsed = new Browsed(0, true);
            while (browsed.more()) {
                browsed = cursor.browse(browsed.after(), page);
                assertTrue(page.count() <= 4);
                for (int i = 0; i < page.count(); i++) {
                    seen.add(page.sequence(i));
                    assertEquals(1000 + page.sequence(i), page.user(i));
                    assertEquals(100, page.sizeBytes(i));
                    assertEquals(4, page.priority(i));
                }
            }
            assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L), seen);
            assertEquals(charged, usage.getUsage());
            assertThrows(IndexOutOfBoundsException.class, () -> page.sequence(page.count()));
            assertThrows(java.nio.BufferOverflowException.class, () -> page.add(1, 0, 0, 0), "it is not a store's");
        }
    }

    @Test
    void thePolicyCanBeChanged() {
        try (Cursor cursor = cursor(new CursorOptions())) {
            assertEquals(new CursorPolicy(), cursor.getPolicy());
            CursorPolicy policy = new CursorPolicy().marks(20, 30).parentCachePercent(90).parentPagePercent(80)
                    .pageMessages(7).pageBytes(100_000).minPageMessages(3).lazyDispatch(true).deliverUncommitted(true);
            cursor.setPolicy(policy);
            assertEquals(policy, cursor.getPolicy());
            assertEquals(policy.hashCode(), cursor.getPolicy().hashCode());
            cursor.setMarks(40, 60);
            assertEquals(40, cursor.getPolicy().lowPercent());
            assertEquals(60, cursor.getPolicy().highPercent());
            assertThrows(IllegalArgumentException.class, () -> cursor.setMarks(60, 40));
            assertThrows(IllegalArgumentException.class, () -> cursor.setMarks(-1, 40));
            assertThrows(IllegalArgumentException.class, () -> cursor.setPolicy(new CursorPolicy().pageMessages(0)));
            assertThrows(IllegalArgumentException.class, () -> cursor.setPolicy(new CursorPolicy().pageBytes(-1)));
            assertThrows(NullPointerException.class, () -> cursor.setPolicy(null));
            assertEquals(40, cursor.getPolicy().lowPercent(), "the old one stays");
        }
        assertThrows(IllegalArgumentException.class, () -> cursor(new CursorOptions().maxEntries(-1)));
        assertThrows(IllegalArgumentException.class,
                () -> cursor(new CursorOptions().policy(new CursorPolicy().marks(71, 70))));
        assertThrows(NullPointerException.class, () -> new Cursor(new CursorOptions(), usage, null));
        assertThrows(NullPointerException.class, () -> new Cursor(new CursorOptions(), null, store));
        assertEquals(0, usage.getUsage());
    }

    @Test
    void numbersOutsideTheirRangesAreRefused() {
        try (Cursor cursor = cursor(new CursorOptions())) {
            assertThrows(IllegalArgumentException.class, () -> cursor.push(1, 1, 0, -1, 0));
            assertThrows(IllegalArgumentException.class, () -> cursor.push(1, 1, 0, 1, 256));
            assertThrows(IllegalArgumentException.class, () -> cursor.push(1, 1, 0, 1, -1));
            assertThrows(IllegalArgumentException.class, () -> cursor.push(1, 0, 0, 1, 0), "sequences begin at 1");
            assertThrows(IllegalArgumentException.class, () -> cursor.pull(-1, batch));
            assertThrows(IllegalArgumentException.class, () -> cursor.open(-1, 0, 5));
            assertThrows(IllegalArgumentException.class, () -> cursor.open(1, -1, 5));
            assertThrows(IllegalArgumentException.class, () -> cursor.open(1, 1, -5));
            assertThrows(IllegalArgumentException.class, () -> cursor.push(-1, 1, 0, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> cursor.push(1, -1, 0, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> cursor.committed(-1, 1));
            assertThrows(IllegalArgumentException.class, () -> cursor.aborted(-1));
            IllegalArgumentException told = assertThrows(IllegalArgumentException.class, () -> cursor.ack(-7));
            assertTrue(told.getMessage().contains("sequence = -7"), told.getMessage());
            assertThrows(IllegalArgumentException.class, () -> cursor.remove(1, -1));
            assertEquals(PullEnd.MORE, cursor.pull(0, batch));
            assertEquals(0, cursor.getStats().pendingCount());
        }
    }

    @Test
    void theHostMayChargeTheMeterItself() {
        try (Cursor cursor = cursor(new CursorOptions().accounting(CursorOptions.Accounting.HOST))) {
            usage.increaseUsage(690);
            assertTrue(push(cursor, 1));
            usage.increaseUsage(100);
            assertFalse(push(cursor, 2), "by the host's own count");
            assertEquals(790, usage.getUsage());
            cursor.pull(1, batch);
            assertEquals(100, cursor.ack(1).bytes(), "what it takes");
            assertEquals(790, usage.getUsage());
            usage.decreaseUsage(790);
        }
    }

    @Test
    void aRaisedLimitIsSeenByLookingAgain() {
        try (Cursor cursor = cursor(new CursorOptions())) {
            AtomicInteger ready = new AtomicInteger();
            for (long sequence = 1; sequence <= 10; sequence++) {
                push(cursor, sequence);
            }
            assertEquals(PullEnd.BLOCKED, cursor.pull(10, batch));
            cursor.onReady(() -> {
                ready.incrementAndGet();
                throw new IllegalStateException("it is logged");
            });
            usage.setLimit(100_000);
            cursor.refresh();
            assertEquals(1, ready.get());
            assertEquals(PullEnd.EMPTY, cursor.pull(10, batch));
            assertEquals(List.of(8L, 9L, 10L), pulled());
            cursor.onReady(null);
        }
    }
}
