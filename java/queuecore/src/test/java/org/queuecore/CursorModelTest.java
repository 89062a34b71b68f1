package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random calls, single ones and in batches, against a naive model: every message that the store has committed is delivered in
 * order and, unless it is requeued or parked, once; and when all is done with nothing is charged.
 */
class CursorModelTest {
    private static final int STEPS = 2_500;
    private static final int CAPACITY = 16;

    private final MapStore store = new MapStore();
    private final CursorBatch batch = new CursorBatch(CAPACITY);
    /** Pushed, by token: its sequence, and its size. Their writes are open. */
    private final Map<Long, Long> open = new LinkedHashMap<>();
    /** In nobody's hands. */
    private final TreeSet<Long> pending = new TreeSet<>();
    private final TreeSet<Long> parked = new TreeSet<>();
    private final List<Long> inFlight = new ArrayList<>();
    private long last;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyMessageComesOnceAndInOrder(long seed) {
        Random random = new Random(seed);
        CursorPolicy policy = new CursorPolicy().pageMessages(1 + random.nextInt(20)).marks(30, 60 + random.nextInt(30));
        try (MemoryUsage usage = new MemoryUsage("orders");
                Cursor cursor = new Cursor(new CursorOptions().policy(policy), usage, store)) {
            usage.setLimit(5_000);
            for (int step = 0; step < STEPS; step++) {
                step(random, cursor);
                CursorStats stats = cursor.getStats();
                assertEquals(inFlight.size(), stats.inFlightCount());
                assertEquals(stats.inMemoryBytes(), usage.getUsage());
                assertEquals(pending.size() + parked.size() + inFlight.size() + open.size(), stats.pendingCount());
            }
            drain(random, cursor);
            assertEquals(0, cursor.getStats().pendingCount());
            assertEquals(0, usage.getUsage());
        }
    }

    private void step(Random random, Cursor cursor) {
        switch (random.nextInt(10)) {
            case 0, 1 -> push(random, cursor);
            case 2 -> answer(random, cursor);
            case 3, 4 -> pull(random, cursor, false);
            case 5, 6 -> acknowledge(random, cursor);
            case 7 -> putBack(random, cursor);
            case 8 -> {
                store.failure = random.nextInt(4) == 0 ? new IOException("the disk") : null;
                if (random.nextInt(10) == 0) {
                    cursor.dropCache();
                }
            }
            default -> expire(random, cursor);
        }
    }

    private void push(Random random, Cursor cursor) {
        boolean isOpen = random.nextInt(3) == 0;
        batch.clear();
        for (int i = random.nextInt(CAPACITY); i >= 0; i--) {
            long sequence = ++last;
            int size = random.nextInt(200);
            if (isOpen) {
                batch.addOpenMessage(sequence, sequence, 0, size, 0);
                open.put(sequence, (long) size);
            } else {
                store.put(sequence, size, 0);
                pending.add(sequence);
                batch.addMessage(sequence, sequence, 0, size, 0);
            }
        }
        if (random.nextBoolean()) {
            cursor.pushBatch(batch);
            assertEquals(batch.messages(), batch.done());
            return;
        }
        long first = last - batch.messages() + 1;
        for (long sequence = first; sequence <= last; sequence++) {
            if (isOpen) {
                cursor.pushOpen(sequence, sequence, 0, (int) (long) open.get(sequence), 0);
            } else {
                cursor.push(sequence, sequence, 0, store.messages.get(sequence).sizeBytes(), 0);
            }
        }
    }

    /** The store answers open writes, in any order. */
    private void answer(Random random, Cursor cursor) {
        List<Long> tokens = new ArrayList<>(open.keySet());
        batch.clear();
        for (long token : tokens) {
            int choice = random.nextInt(6);
            if (choice == 0) {
                open.remove(token);
                cursor.aborted(token);
            } else if (choice < 4 && batch.commits() < CAPACITY) {
                store.put(token, (int) (long) open.remove(token), 0);
                pending.add(token);
                batch.addCommit(token, token);
            }
        }
        cursor.committedBatch(batch);
    }

    private boolean pull(Random random, Cursor cursor, boolean all) {
        boolean continues = !all && random.nextBoolean();
        if (!continues) {
            pending.addAll(parked);
            parked.clear();
        }
        int demand = all ? CAPACITY : 1 + random.nextInt(CAPACITY);
        PullEnd end;
        try {
            end = continues ? cursor.pullOn(demand, batch) : cursor.pull(demand, batch);
        } catch (CursorStoreException failed) {
            assertTrue(store.failure != null, failed.getMessage());
            assertEquals(0, batch.delivered());
            return false;
        }
        assertTrue(batch.delivered() <= demand);
        for (int i = 0; i < batch.delivered(); i++) {
            long sequence = batch.sequence(i);
            assertEquals(pending.pollFirst(), sequence, "the next one, and none is left out");
            assertEquals(store.messages.get(sequence).sizeBytes(), batch.sizeBytes(i));
            inFlight.add(sequence);
        }
        assertTrue(end != PullEnd.EMPTY || pending.isEmpty());
        assertFalse(end == PullEnd.BLOCKED && batch.blocked() == Blocked.NOT);
        return end == PullEnd.EMPTY;
    }

    private void acknowledge(Random random, Cursor cursor) {
        batch.clear();
        while (!inFlight.isEmpty() && batch.acks() < random.nextInt(CAPACITY)) {
            long sequence = inFlight.remove(random.nextInt(inFlight.size()));
            int size = store.messages.remove(sequence).sizeBytes();
            if (random.nextBoolean()) {
                assertEquals(size, cursor.ack(sequence).bytes());
                assertThrows(RuntimeException.class, () -> cursor.ack(sequence));
            } else {
                batch.addAck(sequence);
            }
        }
        cursor.ackBatch(batch);
        assertEquals(batch.acks(), batch.done());
    }

    private void putBack(Random random, Cursor cursor) {
        if (!inFlight.isEmpty()) {
            long sequence = inFlight.remove(random.nextInt(inFlight.size()));
            if (random.nextBoolean()) {
                cursor.requeue(sequence);
                pending.add(sequence);
            } else {
                cursor.park(sequence);
                parked.add(sequence);
            }
        }
    }

    /** Any message of the store that nobody has in hand. */
    private void expire(Random random, Cursor cursor) {
        if (!pending.isEmpty()) {
            Long sequence = pending.ceiling(pending.first() + random.nextInt(50));
            sequence = sequence == null ? pending.first() : sequence;
            pending.remove(sequence);
            cursor.remove(sequence, store.messages.remove(sequence).sizeBytes());
        }
    }

    private void drain(Random random, Cursor cursor) {
        store.failure = null;
        while (!open.isEmpty()) {
            answer(random, cursor);
        }
        boolean isEmpty;
        do {
            isEmpty = pull(random, cursor, true);
            while (!inFlight.isEmpty()) {
                acknowledge(random, cursor);
            }
        } while (!isEmpty);
        assertTrue(pending.isEmpty());
    }
}
