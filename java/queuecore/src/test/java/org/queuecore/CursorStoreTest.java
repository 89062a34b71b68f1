package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.BufferOverflowException;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stores that fail, break their word, call back or want to know: nothing is lost, and the call can be repeated. */
class CursorStoreTest {
    private final MemoryUsage usage = new MemoryUsage("orders");
    private final MapStore store = new MapStore();
    private final CursorBatch batch = new CursorBatch(20);

    @BeforeEach
    void fill() {
        usage.setLimit(100_000);
        for (long sequence = 1; sequence <= 10; sequence++) {
            store.put(sequence, 100, 4);
        }
    }

    @AfterEach
    void close() {
        assertEquals(0, usage.getUsage());
        usage.close();
    }

    private Cursor restarted(CursorStore store) {
        Cursor cursor = new Cursor(new CursorOptions(), usage, store);
        cursor.open(10, 1000, 10);
        return cursor;
    }

    @Test
    void whatTheStoreThrowsIsTheCause() {
        try (Cursor cursor = restarted(store)) {
            for (Throwable thrown : List.of(new IOException("the disk"), new IllegalStateException("closed"))) {
                store.failure = (Exception) thrown;
                CursorStoreException failed =
                        assertThrows(CursorStoreException.class, () -> cursor.pull(5, batch));
                assertSame(thrown, failed.getCause());
                assertTrue(failed.getMessage().startsWith("QC_ERR_STORE: "), failed.getMessage());
                assertEquals(0, batch.delivered());
                assertSame(thrown,
                        assertThrows(CursorStoreException.class, () -> cursor.browse(0, new CursorPage(5))).getCause());
            }
            assertEquals(2, cursor.getStats().failedFetches());
            store.failure = null;
            assertEquals(PullEnd.MORE, cursor.pull(5, batch));
            assertEquals(5, batch.delivered());
        }
    }

    @Test
    void whatMemoryHasIsGivenOutAlthoughTheStoreFails() {
        try (Cursor cursor = new Cursor(new CursorOptions(), usage, store)) {
            usage.setLimit(1000);
            for (long sequence = 1; sequence <= 10; sequence++) {
                cursor.push(sequence, sequence, 0, 100, 4);
            }
            cursor.pull(3, batch);
            for (long sequence = 1; sequence <= 3; sequence++) {
                cursor.ack(sequence);
            }
            store.failure = new IOException("the disk");
            assertEquals(PullEnd.MORE, cursor.pull(9, batch), "four are there");
            assertEquals(4, batch.delivered());
            assertEquals(1, cursor.getStats().failedFetches());
            assertThrows(CursorStoreException.class, () -> cursor.pull(9, batch));
        }
    }

    @Test
    void errorsOfTheStoreDoNotGetPast() {
        try (Cursor cursor = restarted((after, upTo, page) -> overflow(1))) {
            CursorStoreException failed = assertThrows(CursorStoreException.class, () -> cursor.pull(5, batch));
            assertEquals(StackOverflowError.class, failed.getCause().getClass());
            assertEquals(10, cursor.getStats().pendingCount());
        }
    }

    private static int overflow(int depth) {
        return 1 + overflow(depth + 1);
    }

    @Test
    void aPageThatBreaksItsWordIsRefusedAsAWhole() {
        List<Consumer<CursorPage>> wrong = List.of(
                page -> {
                    page.add(2, 0, 100, 0);
                    page.add(1, 0, 100, 0);
                },
                page -> page.add(11, 0, 100, 0),
                page -> page.add(0, 0, 100, 0),
                page -> {
                    page.add(1, 0, Integer.MAX_VALUE, 0);
                    page.add(2, 0, 1, 0);
                });
        for (Consumer<CursorPage> fill : wrong) {
            List<Long> discarded = new ArrayList<>();
            CursorStore broken = new CursorStore() {
                @Override
                public void fetch(long after, long upTo, CursorPage page) {
                    fill.accept(page);
                }

                @Override
                public void discard(long sequence, long user, int sizeBytes) {
                    discarded.add(sequence);
                    throw new IllegalStateException("it is logged");
                }
            };
            try (Cursor cursor = restarted(broken)) {
                QueuecoreException refused = assertThrows(QueuecoreException.class, () -> cursor.pull(5, batch));
                assertTrue(refused.getMessage().startsWith("QC_ERR_BAD_FETCH: "), refused.getMessage());
                assertEquals(QueuecoreException.class, refused.getClass());
                assertEquals(10, cursor.getStats().pendingCount());
                assertEquals(0, usage.getUsage());
                assertTrue(discarded.size() >= 1, "its bodies can go");
            }
        }
    }

    @Test
    void aPageTakesNoMoreThanWasAskedForAndNothingThatIsNoMessage() {
        CursorStore generous = (after, upTo, page) -> {
            assertThrows(IllegalArgumentException.class, () -> page.add(1, 0, -1, 0));
            assertThrows(IllegalArgumentException.class, () -> page.add(1, 0, 1, 256));
            for (int i = 0; i <= page.maxMessages(); i++) {
                page.add(after + i + 1, 0, 1, 0);
            }
        };
        try (Cursor cursor = restarted(generous)) {
            CursorStoreException failed = assertThrows(CursorStoreException.class, () -> cursor.pull(5, batch));
            assertEquals(BufferOverflowException.class, failed.getCause().getClass());
        }
    }

    @Test
    void aStoreThatCallsTheCursorIsRefused() {
        Cursor[] called = new Cursor[1];
        CursorPage[] kept = new CursorPage[1];
        CursorStore curious = (after, upTo, page) -> {
            kept[0] = page;
            assertThrows(ConcurrentModificationException.class, () -> called[0].pull(1, new CursorBatch(1)));
            assertThrows(ConcurrentModificationException.class, () -> called[0].getStats());
            assertThrows(ConcurrentModificationException.class, () -> called[0].close());
            // Another cursor and meter may be used.
            try (MemoryUsage other = new MemoryUsage(usage, "other"); Cursor second = restarted(store)) {
                other.increaseUsage(1);
                assertEquals(PullEnd.MORE, second.pull(5, new CursorBatch(5)));
            }
            store.fetch(after, upTo, page);
        };
        try (Cursor cursor = restarted(curious)) {
            called[0] = cursor;
            assertEquals(PullEnd.MORE, cursor.pull(5, batch));
            assertEquals(5, batch.delivered());
            assertThrows(BufferOverflowException.class, () -> kept[0].add(1, 0, 1, 0), "its time is over");
            assertThrows(IllegalArgumentException.class, () -> cursor.browse(0, kept[0]), "it is the cursor's own");
        }
    }

    @Test
    void aMessageThatComesByAgainIsDiscarded() {
        CursorPolicy classic = new CursorPolicy().pageMessages(4).minPageMessages(1);
        try (Cursor cursor = new Cursor(new CursorOptions().policy(classic), usage, store)) {
            for (long sequence = 1; sequence <= 10; sequence++) {
                cursor.push(sequence, sequence, 0, 100, 4);
            }
            cursor.pull(2, batch);
            cursor.dropCache();
            store.discarded.clear();
            cursor.pull(1, batch);
            cursor.ack(3);
            cursor.dropCache();
            assertTrue(store.discarded.contains(4L));
            store.discarded.clear();
            // The store does not know of the ack yet, and its page begins at 4.
            cursor.browse(0, new CursorPage(10));
            assertEquals(List.of(3L), store.discarded);
        }
    }
}
