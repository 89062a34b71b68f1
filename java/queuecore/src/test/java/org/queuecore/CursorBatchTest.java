package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.BufferOverflowException;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches of a cursor's calls: their lists, where they stop, and what they refuse. */
class CursorBatchTest {
    private final MemoryUsage usage = new MemoryUsage("orders");
    private final MapStore store = new MapStore();
    private final CursorBatch batch = new CursorBatch(8);
    private Cursor cursor;

    @BeforeEach
    void open() {
        usage.setLimit(1000);
        cursor = new Cursor(new CursorOptions(), usage, store);
    }

    @AfterEach
    void close() {
        cursor.close();
        assertEquals(0, usage.getUsage());
        usage.close();
    }

    @Test
    void pushesPullsAndAcksGoInBatches() {
        for (long sequence = 1; sequence <= 8; sequence++) {
            store.put(sequence, 100, 4);
            assertEquals(sequence - 1, batch.addMessage(sequence, sequence, sequence * 2, 100, 4));
        }
        cursor.pushBatch(batch);
        assertEquals(8, batch.done());
        assertTrue(batch.isCached(6));
        assertFalse(batch.isCached(7));
        assertEquals(700, usage.getUsage());
        assertEquals(PullEnd.BLOCKED, cursor.pull(100, batch));
        assertEquals(7, batch.delivered());
        for (int i = 0; i < batch.delivered(); i++) {
            batch.addAck(batch.sequence(i));
        }
        cursor.ackBatch(batch);
        assertEquals(7, batch.done());
        for (int i = 0; i < batch.acks(); i++) {
            assertEquals(2L * (i + 1), batch.releasedUser(i));
            assertEquals(100, batch.releasedBytes(i));
            assertTrue(batch.wasInMemory(i));
        }
        assertEquals(0, usage.getUsage());
    }

    @Test
    void commitsGoInBatches() {
        for (long token = 1; token <= 4; token++) {
            batch.addOpenMessage(token, 0, 0, 10, 0);
            batch.addCommit(token, token * 5);
        }
        cursor.pushBatch(batch);
        cursor.committedBatch(batch);
        assertEquals(4, batch.done());
        assertEquals(PullEnd.EMPTY, cursor.pull(5, batch));
        assertEquals(4, batch.delivered());
        assertEquals(20, batch.sequence(3));
    }

    @Test
    void aBatchStopsAtTheFirstThatFailsAndGoesOnBehindIt() {
        batch.addMessage(1, 1, 0, 10, 0);
        batch.addMessage(1, 2, 0, 10, 0);
        batch.addMessage(3, 3, 0, 10, 0);
        IllegalArgumentException order = assertThrows(IllegalArgumentException.class, () -> cursor.pushBatch(batch));
        assertTrue(order.getMessage().startsWith("QC_ERR_ORDER: "), order.getMessage());
        assertEquals(1, batch.done());
        cursor.pushBatch(batch, 2);
        assertEquals(3, batch.done());
        assertEquals(2, cursor.getStats().pendingCount());

        cursor.pull(8, batch);
        batch.addAck(1);
        batch.addAck(2);
        batch.addAck(3);
        assertThrows(NoSuchElementException.class, () -> cursor.ackBatch(batch));
        assertEquals(1, batch.done());
        cursor.ackBatch(batch, 2);
        assertEquals(0, cursor.getStats().pendingCount());

        batch.addCommit(9, 9);
        assertThrows(NoSuchElementException.class, () -> cursor.committedBatch(batch));
        assertEquals(0, batch.done());
        cursor.committedBatch(batch, 1);
        assertThrows(IndexOutOfBoundsException.class, () -> cursor.committedBatch(batch, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> cursor.pushBatch(batch, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> cursor.ackBatch(batch, -1));
    }

    @Test
    void placesThatAreNotThereAreRefused() {
        for (int i = 0; i < 8; i++) {
            batch.addMessage(i, i, 0, 0, 0);
            batch.addAck(i);
            batch.addCommit(i, i);
        }
        assertThrows(BufferOverflowException.class, () -> batch.addMessage(9, 9, 0, 0, 0));
        assertThrows(BufferOverflowException.class, () -> batch.addOpenMessage(9, 9, 0, 0, 0));
        assertThrows(BufferOverflowException.class, () -> batch.addAck(9));
        assertThrows(BufferOverflowException.class, () -> batch.addCommit(9, 9));
        assertEquals(8, batch.messages());
        assertEquals(8, batch.commits());
        batch.clear();
        assertThrows(IllegalArgumentException.class, () -> batch.addMessage(1, 1, 0, -1, 0));
        assertThrows(IllegalArgumentException.class, () -> batch.addMessage(-1, 1, 0, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> batch.addOpenMessage(1, -1, 0, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> batch.addAck(-1));
        assertThrows(IllegalArgumentException.class, () -> batch.addCommit(1, -1));
        assertThrows(IllegalArgumentException.class, () -> batch.addOpenMessage(1, 1, 0, 0, 256));
        assertEquals(0, batch.messages());
        for (int wrong : new int[] {-1, 0, 8, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> batch.isCached(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.releasedUser(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.releasedBytes(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.wasInMemory(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.sequence(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.token(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.user(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.sizeBytes(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.redeliveries(wrong));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.priority(wrong));
        }
        for (int wrong : new int[] {0, -1, CursorBatch.MAX_CAPACITY + 1}) {
            assertThrows(IllegalArgumentException.class, () -> new CursorBatch(wrong));
            assertThrows(IllegalArgumentException.class, () -> new CursorPage(wrong));
        }
        assertEquals(CursorBatch.MAX_CAPACITY, new CursorBatch(CursorBatch.MAX_CAPACITY).capacity());
    }
}
