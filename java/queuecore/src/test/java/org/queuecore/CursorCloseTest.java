package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Cursors that end, and calls of two threads. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CursorCloseTest {
    @Test
    void afterwardsEveryCallThrows() {
        try (MemoryUsage usage = new MemoryUsage("orders")) {
            Cursor cursor = new Cursor(new CursorOptions(), usage, new MapStore());
            CursorBatch batch = new CursorBatch(4);
            cursor.push(1, 1, 0, 100, 0);
            assertEquals(100, usage.getUsage());
            cursor.close();
            cursor.close();
            assertEquals(0, usage.getUsage());
            batch.addAck(1);
            batch.addCommit(1, 1);
            batch.addMessage(2, 2, 0, 1, 0);
            List<Executable> calls = List.of(
                    () -> cursor.open(0, 0, 0),
                    () -> cursor.push(2, 2, 0, 1, 0),
                    () -> cursor.pushOpen(2, 2, 0, 1, 0),
                    () -> cursor.pushBatch(batch),
                    () -> cursor.committed(1, 1),
                    () -> cursor.committedBatch(batch),
                    () -> cursor.aborted(1),
                    () -> cursor.pull(1, batch),
                    () -> cursor.pullOn(1, batch),
                    () -> cursor.browse(0, new CursorPage(1)),
                    () -> cursor.ack(1),
                    () -> cursor.ackBatch(batch),
                    () -> cursor.requeue(1),
                    () -> cursor.park(1),
                    () -> cursor.remove(1, 0),
                    () -> cursor.purge(0, 1),
                    cursor::dropCache,
                    () -> cursor.onReady(() -> { }),
                    () -> cursor.setPolicy(new CursorPolicy()),
                    cursor::getPolicy,
                    () -> cursor.setMarks(1, 2),
                    cursor::refresh,
                    cursor::getStats);
            for (Executable call : calls) {
                IllegalStateException thrown = assertThrows(IllegalStateException.class, call);
                assertTrue(thrown.getMessage().startsWith("QC_ERR_DESTROYED: "), thrown.getMessage());
            }
            assertEquals(0, usage.getUsage());
        }
    }

    @Test
    void theMeterMayBeClosedFirst() {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            MemoryUsage usage = new MemoryUsage(broker, "orders");
            Cursor cursor = new Cursor(new CursorOptions(), usage, new MapStore());
            cursor.push(1, 1, 0, 100, 0);
            usage.close();
            assertEquals(100, broker.getUsage(), "what the cursor has charged stays counted");
            cursor.push(2, 2, 0, 100, 0);
            cursor.close();
            assertEquals(0, broker.getUsage());
            assertThrows(IllegalStateException.class, () -> new Cursor(new CursorOptions(), usage, new MapStore()));
            CursorGroup group = new CursorGroup(broker);
            group.close();
            MemoryUsage other = new MemoryUsage(broker, "other");
            assertThrows(IllegalStateException.class,
                    () -> new Cursor(new CursorOptions().group(group), other, new MapStore()));
            assertThrows(IllegalStateException.class, group::getStats);
        }
    }

    @Test
    void callsThatOverlapAreRefusedAndNothingIsLost() throws Exception {
        try (MemoryUsage usage = new MemoryUsage("orders");
                Cursor cursor = new Cursor(new CursorOptions(), usage, new MapStore())) {
            AtomicLong tokens = new AtomicLong();
            AtomicLong refused = new AtomicLong();
            AtomicLong pushed = new AtomicLong();
            ThreadsTest.onThreads(2, thread -> {
                CursorBatch batch = new CursorBatch(1000);
                while (refused.get() == 0) {
                    batch.clear();
                    synchronized (tokens) {
                        long first = tokens.getAndAdd(batch.capacity());
                        for (int i = 1; i <= batch.capacity(); i++) {
                            batch.addMessage(first + i, first + i, 0, 10, 0);
                        }
                    }
                    try {
                        cursor.pushBatch(batch);
                        pushed.addAndGet(batch.done());
                    } catch (ConcurrentModificationException overlapped) {
                        refused.incrementAndGet();
                    } catch (IllegalArgumentException outOfOrder) {
                        assertTrue(outOfOrder.getMessage().startsWith("QC_ERR_ORDER: "), outOfOrder.getMessage());
                        pushed.addAndGet(batch.done());
                    }
                }
            });
            assertEquals(pushed.get(), cursor.getStats().pendingCount());
            assertEquals(pushed.get() * 10, usage.getUsage());
        }
    }

    @Test
    void theCollectorEndsWhatNobodyClosedAlthoughItsStoreKnowsIt() throws Exception {
        try (MemoryUsage usage = new MemoryUsage("orders")) {
            CursorGroup group = new CursorGroup(usage);
            List<CursorStore> known = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                known.add(opened(usage, i % 2 == 0 ? group : new CursorGroup(usage)));
            }
            assertEquals(50 * 100, usage.getUsage());
            Reference.reachabilityFence(known);
            known.clear();
            while (usage.getUsage() != 0 || group.getStats().members() != 0) {
                System.gc();
                Thread.sleep(10);
            }
        }
    }

    /** The store of a cursor, which it knows. */
    private static CursorStore opened(MemoryUsage parent, CursorGroup group) {
        MemoryUsage usage = new MemoryUsage(parent, "abandoned");
        class Knowing extends MapStore {
            private Cursor cursor;
        }

        Knowing store = new Knowing();
        store.cursor = new Cursor(new CursorOptions().group(group), usage, store);
        store.put(1, 100, 0);
        store.cursor.open(1, 100, 1);
        store.cursor.onReady(() -> store.cursor.refresh());
        store.cursor.pull(1, new CursorBatch(1));
        return store;
    }

    @Test
    void otherHandlesAreRefused() {
        try (MemoryUsage usage = new MemoryUsage("usage");
                Cursor cursor = new Cursor(new CursorOptions(), usage, new MapStore())) {
            long[] wrong = {0, 1, -1, 0x7fff_ffff_f000L, usage.nativeHandle(), cursor.nativeHandle() + 2};
            for (long handle : wrong) {
                assertThrows(IllegalStateException.class, () -> NativeCursor.refresh(handle, 0));
                if (handle != 0) {
                    assertThrows(IllegalStateException.class, () -> NativeCursor.destroy(handle, 0));
                    assertThrows(IllegalStateException.class, () -> NativeCursor.groupDestroy(handle, 0));
                }
            }
            long[] settings = {0, 0, 0, 1};
            long[] policy = new CursorPolicy().settings();
            long mailbox = usage.tree().mailbox();
            long on = usage.nativeHandle();
            assertThrows(RuntimeException.class, () -> NativeCursor.create(on, mailbox, 0, new long[3], policy, new long[2]));
            assertThrows(RuntimeException.class, () -> NativeCursor.create(on, mailbox, 0, settings, new long[9], new long[2]));
            assertThrows(RuntimeException.class, () -> NativeCursor.create(on, mailbox, 0, settings, policy, new long[1]));
            assertThrows(RuntimeException.class, () -> NativeCursor.create(on, mailbox, 0, settings, policy, null));
            CursorGroup group = new CursorGroup(usage);
            assertThrows(IllegalArgumentException.class,
                    () -> NativeCursor.create(on, 0, group.nativeHandle(), settings, policy, new long[2]), "no mailbox");
            assertEquals(0, group.getStats().members(), "what was made by then is gone");
            group.close();
            assertThrows(IllegalArgumentException.class,
                    () -> NativeCursor.create(on, mailbox, 0, new long[] {2, 0, 0, 1}, policy, new long[2]));
        }
    }
}
