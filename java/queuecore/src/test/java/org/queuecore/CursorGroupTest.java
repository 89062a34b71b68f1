package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cursors below one parent: its level, loans, the division of its limit, and who is told by whom. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CursorGroupTest {
    private static final CursorPolicy POLICY = new CursorPolicy().pageMessages(5).parentPagePercent(60);

    private static Cursor restarted(MemoryUsage broker, CursorGroup group, int messages) {
        MapStore store = new MapStore();
        for (long sequence = 1; sequence <= messages; sequence++) {
            store.put(sequence, 1000, 0);
        }
        MemoryUsage usage = new MemoryUsage(broker, "queue");
        Cursor cursor = new Cursor(new CursorOptions().group(group).policy(POLICY), usage, store);
        cursor.open(messages, messages * 1000L, messages);
        return cursor;
    }

    @Test
    void anIdleQueueThatSitsOnTheMemoryDoesNotStarveOthers() {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(100_000);
            CursorGroup group = new CursorGroup(broker);
            assertSame(broker, group.getParent());
            Cursor idle = restarted(broker, group, 0);
            for (long sequence = 1; sequence <= 100; sequence++) {
                idle.push(sequence, sequence, 0, 1000, 0);
            }
            assertEquals(70, broker.getPercentUsage());
            Cursor busy = restarted(broker, group, 20);
            CursorBatch batch = new CursorBatch(20);
            int done = 0;
            while (done < 20) {
                batch.clear();
                busy.pull(20, batch);
                for (int i = 0; i < batch.delivered(); i++, done++) {
                    batch.addAck(batch.sequence(i));
                }
                busy.ackBatch(batch);
            }
            assertEquals(4, busy.getStats().lentPages());
            assertEquals(4, group.getStats().lentPages());
            assertEquals(0, group.getStats().lentBytes());
            assertEquals(2, group.getStats().members());
            idle.close();
            busy.close();
            group.close();
            group.close();
            assertEquals(0, broker.getUsage());
        }
    }

    @Test
    void aPullThatIsBlockedByTheParentIsToldByWhoeverFreesIt() throws Exception {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(100_000);
            // It lends one page, which the first cursor takes.
            CursorGroup group = new CursorGroup(broker, false, 1);
            broker.increaseUsage(80_000);
            Cursor first = restarted(broker, group, 20);
            Cursor second = restarted(broker, group, 20);
            CursorBatch batch = new CursorBatch(20);
            first.pull(20, batch);
            assertEquals(5, batch.delivered());
            assertEquals(PullEnd.BLOCKED, second.pull(20, batch));
            assertEquals(Blocked.PARENT, batch.blocked());
            assertEquals(1, group.getStats().waiting());
            CountDownLatch told = new CountDownLatch(1);
            AtomicReference<Thread> by = new AtomicReference<>();
            second.onReady(() -> {
                by.set(Thread.currentThread());
                told.countDown();
            });
            Thread releaser = new Thread(() -> broker.decreaseUsage(80_000));
            releaser.start();
            told.await();
            releaser.join();
            assertSame(releaser, by.get(), "a thread of Java's, after its own call");
            second.pull(20, batch);
            assertEquals(5, batch.delivered());
            first.close();
            second.close();
            assertEquals(0, broker.getUsage());
        }
    }

    @Test
    void dispatchersThatWaitToBeToldAndForNothingElseGetAllMessages() throws Exception {
        int messages = 3_000;
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            // One page of anybody's, and the parent is over its paging mark.
            broker.setLimit(50_000);
            broker.increaseUsage(28_000);
            AtomicLong waits = new AtomicLong();
            CursorGroup group = new CursorGroup(broker, false, 1);
            ThreadsTest.onThreads(3, thread -> {
                Semaphore told = new Semaphore(0);
                CursorBatch batch = new CursorBatch(30);
                try (Cursor cursor = restarted(broker, group, messages)) {
                    cursor.onReady(told::release);
                    batch.clear();
                    for (int done = 0; done < messages;) {
                        PullEnd end = cursor.pull(batch.capacity() - batch.acks(), batch);
                        for (int i = 0; i < batch.delivered(); i++) {
                            batch.addAck(batch.sequence(i));
                        }
                        if (end != PullEnd.MORE || batch.acks() == batch.capacity()) {
                            // It holds memory until then, so that the others have to wait.
                            cursor.ackBatch(batch);
                            done += batch.acks();
                            batch.clear();
                            if (end == PullEnd.BLOCKED) {
                                told.acquire();
                                waits.incrementAndGet();
                            }
                        }
                    }
                    assertEquals(0, cursor.getStats().pendingCount());
                }
            });
            assertEquals(28_000, broker.getUsage());
            assertEquals(0, group.getStats().waiting());
            assertTrue(waits.get() > messages / 10, "there was next to nothing to wait for");
        }
    }

    @Test
    void aLimitIsDividedAmongThoseThatAreThere() {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(80_000);
            CursorGroup group = new CursorGroup(broker, true, 0);
            List<Cursor> cursors = new ArrayList<>();
            for (int members = 1; members <= 4; members *= 2) {
                while (cursors.size() < members) {
                    cursors.add(restarted(broker, group, 0));
                }
                assertEquals(80_000 / members, cursors.get(0).getUsage().getLimit());
            }
            cursors.forEach(Cursor::close);
            assertEquals(0, group.getStats().members());
        }
    }

    @Test
    void settingsOutsideTheirRangesMakeNoGroup() {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            assertThrows(IllegalArgumentException.class, () -> new CursorGroup(broker, false, -1));
            assertThrows(NullPointerException.class, () -> new CursorGroup(null));
            CursorGroup group = new CursorGroup(broker);
            assertTrue(group.getStats().bytesInUse() > 0);
            assertTrue(group.nativeHandle() != 0);
            group.close();
        }
    }
}
