package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Histories that end, calls of two threads, and groups. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HistoryCloseTest {
    @Test
    void afterwardsEveryCallThrows() {
        History history = new History(HistoryTest.options().valueSize(8));
        HistoryBatch batch = new HistoryBatch(4);
        ByteBuffer buffer = ByteBuffer.allocateDirect(1000);
        batch.addKey(0, 1, 0);
        batch.addEntry(1);
        history.insert(0, 1, 0, 0);
        long entry = history.lastEntry();
        history.close();
        history.close();
        List<Executable> calls = List.of(
                () -> history.insert(0, 2, 0, 0),
                () -> history.insert(0, 2, ByteBuffer.allocate(8), 0, 0),
                () -> history.insertLong(0, 2, 1, 0, 0),
                () -> history.readmit(0, 2, 0, 0),
                () -> history.readmit(0, 2, ByteBuffer.allocate(8), 0, 0),
                () -> history.readmitLong(0, 2, 1, 0, 0),
                () -> history.insertBatch(batch, 0),
                () -> history.readmitBatch(batch, 0),
                () -> history.containsBatch(batch, 0),
                () -> history.eraseBatch(batch, 0),
                () -> history.forget(entry),
                () -> history.forgetKey(0, 1),
                () -> history.erase(entry, 0),
                () -> history.eraseKey(0, 1, 0),
                () -> history.find(0, 1),
                () -> history.contains(0, 1, 0),
                history::first,
                history::last,
                () -> history.next(entry),
                () -> history.previous(entry),
                () -> history.nextFrom(0, 1),
                () -> history.walk(0, batch),
                () -> history.key(entry),
                () -> history.insertedAtNanos(entry),
                () -> history.getValue(entry, buffer),
                () -> history.getLongValue(entry),
                () -> history.setValue(entry, buffer.duplicate().limit(8)),
                () -> history.setLongValue(entry, 1),
                history::liveLen,
                history::historyLen,
                () -> history.gc(0, 1),
                () -> history.eraseAllLive(0),
                history::clear,
                () -> history.clearStep(1),
                () -> history.setWindow(1),
                () -> history.clockReset(0),
                history::getStats,
                history::iterate,
                () -> history.iterateNext(batch),
                history::exportBegin,
                () -> history.exportNext(buffer),
                () -> history.importBuffer(buffer, 0, 0));
        for (Executable call : calls) {
            IllegalStateException thrown = assertThrows(IllegalStateException.class, call);
            assertTrue(thrown.getMessage().startsWith("QC_ERR_DESTROYED: "), thrown.getMessage());
        }
    }

    @Test
    void callsThatOverlapAreRefusedAndNothingIsLost() throws Exception {
        try (History history = new History(HistoryTest.options())) {
            AtomicLong refused = new AtomicLong();
            AtomicLong added = new AtomicLong();
            ThreadsTest.onThreads(2, thread -> {
                HistoryBatch batch = new HistoryBatch(1000);
                for (int turn = 0; refused.get() == 0; turn++) {
                    batch.clear();
                    for (int i = 0; i < batch.capacity(); i++) {
                        batch.addKey(thread, (long) turn * batch.capacity() + i, 0);
                    }
                    try {
                        history.insertBatch(batch, 0);
                        added.addAndGet(batch.done());
                    } catch (ConcurrentModificationException overlapped) {
                        refused.incrementAndGet();
                    }
                }
            });
            assertEquals(added.get(), history.liveLen());
        }
    }

    @Test
    void otherHandlesAreRefused() {
        try (History history = new History(HistoryTest.options()); MemoryUsage usage = new MemoryUsage("usage")) {
            long[] wrong = {0, 1, -1, 0x7fff_ffff_f000L, usage.nativeHandle(), history.nativeHandle() + 2};
            for (long handle : wrong) {
                assertThrows(IllegalStateException.class, () -> NativeHistory.liveLen(handle));
                if (handle != 0) {
                    assertThrows(IllegalStateException.class, () -> NativeHistory.destroy(handle));
                }
            }
            assertEquals(0, history.liveLen());
        }
    }

    @Test
    void theCollectorEndsWhatNobodyClosed() throws Exception {
        List<Abandoned> histories = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            History history = new History(HistoryTest.options());
            history.insert(0, i, 0, 0);
            histories.add(new Abandoned(history.nativeHandle(), history.ownership));
        }
        awaitEnd(histories, () -> { });
    }

    @Test
    void theBytesOfAGroupAreSharedAndBounded() {
        HistoryGroupOptions limited = new HistoryGroupOptions().limitBytes(200_000).cacheBytes(1 << 16).maxClockStepNanos(0);
        HistoryGroup group = new HistoryGroup(limited);
        HistoryOptions options = HistoryTest.options().group(group);
        History orders = new History(options);
        History stocks = new History(options);
        for (int i = 0; i < 100; i++) {
            orders.insert(0, i, 0, 0);
            stocks.insert(0, i, 0, 0);
        }
        orders.eraseAllLive(1);
        stocks.eraseAllLive(1);
        assertEquals(2, group.getStats().histories());
        assertEquals(2, group.getStats().scheduled());
        assertEquals(new Collected(200, false), group.gcMany(1 << 20, -1));
        group.clockReset(0);
        QueuecoreException full = assertThrows(QueuecoreException.class, () -> {
            for (int i = 0; i < 100_000; i++) {
                stocks.insert(1, i, 0, 0);
            }
        });
        assertTrue(full.getMessage().startsWith("QC_ERR_CAPACITY: "), full.getMessage());
        assertTrue(group.getStats().bytesInUse() <= 200_000);
        assertThrows(IllegalStateException.class, group::close, "it still has histories");
        assertThrows(IllegalArgumentException.class, () -> new History(options.seed(5)), "the seed is the group's");
        orders.close();
        stocks.close();
        assertEquals(0, group.getStats().histories());
        group.close();
        group.close();
        assertThrows(IllegalStateException.class, () -> group.gcMany(0, 1));
        assertThrows(IllegalStateException.class, group::getStats);
        assertThrows(IllegalStateException.class, () -> group.clockReset(0));
        assertThrows(IllegalStateException.class, () -> new History(options.seed(0)));
        assertThrows(IllegalArgumentException.class,
                () -> new HistoryGroup(new HistoryGroupOptions().maxClockStepNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> new HistoryGroup(new HistoryGroupOptions().limitBytes(-1)));
        assertThrows(IllegalArgumentException.class, () -> new HistoryGroup(new HistoryGroupOptions().cacheBytes(-1)));
    }

    @Test
    void whatIsAbandonedInAGroupEndsWithItsNextCall() throws Exception {
        try (HistoryGroup group = new HistoryGroup(new HistoryGroupOptions())) {
            awaitEnd(abandonIn(group), () -> group.gcMany(0, 1));
            assertEquals(0, group.getStats().histories());
        }
    }

    @Test
    void anAbandonedGroupEndsWithItsHistories() throws Exception {
        List<Abandoned> histories = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            histories.addAll(abandonIn(new HistoryGroup(new HistoryGroupOptions())));
        }
        awaitEnd(histories, () -> { });
    }

    private static List<Abandoned> abandonIn(HistoryGroup group) {
        List<Abandoned> histories = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            History history = new History(HistoryTest.options().group(group));
            history.insert(0, i, 0, 0);
            histories.add(new Abandoned(history.nativeHandle(), group.shared()));
        }
        return histories;
    }

    /** Collects until all are destroyed. */
    private static void awaitEnd(List<Abandoned> histories, Runnable meanwhile) throws InterruptedException {
        while (!histories.isEmpty()) {
            System.gc();
            Thread.sleep(10);
            meanwhile.run();
            histories.removeIf(Abandoned::isDestroyed);
        }
    }

    /** A history whose object nobody has any more, and what ends it under its lock. */
    private record Abandoned(long handle, Object owner) {
        boolean isDestroyed() {
            // Or else the cleaner might find this call running.
            synchronized (owner) {
                try {
                    NativeHistory.liveLen(handle);
                    return false;
                } catch (IllegalStateException destroyed) {
                    return true;
                }
            }
        }
    }
}
