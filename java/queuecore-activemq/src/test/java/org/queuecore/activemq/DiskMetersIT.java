package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.usage.StoreUsage;
import org.apache.activemq.usage.TempUsage;
import org.apache.activemq.usage.Usage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters for disks with the agent: the answers of the broker's own, without its lock. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DiskMetersIT {
    /** A store's meter whose store holds what the test says. */
    private static class Disk extends StoreUsage {
        private volatile long bytes;

        Disk() {
        }

        @SuppressWarnings("this-escape")
        Disk(StoreUsage parent) {
            super(parent, "child");
        }

        @Override
        protected long retrieveUsage() {
            return bytes;
        }

        void holdingItsLock(Runnable task) {
            usageLock.writeLock().lock();
            try {
                task.run();
            } finally {
                usageLock.writeLock().unlock();
            }
        }

        int keptPercent() {
            return percentUsage;
        }
    }

    /** As the broker's own answers: always under the lock. */
    private static final class Locked extends Disk {
        Locked() {
        }

        Locked(StoreUsage parent) {
            super(parent);
        }

        @Override
        public boolean isFull(int percent) {
            if (parent != null && parent.isFull(percent)) {
                return true;
            }
            usageLock.writeLock().lock();
            try {
                percentUsage = caclPercentUsage();
                return percentUsage >= percent;
            } finally {
                usageLock.writeLock().unlock();
            }
        }
    }

    private static final class Steps {
        private final List<String> seen = new ArrayList<>();

        Steps(Usage<?> usage) {
            usage.setExecutor(new InlineExecutor());
            usage.addUsageListener((of, from, to) -> seen.add(from + ">" + to));
            usage.start();
        }
    }

    @Test
    void theAnswersAreThoseOfTheBrokersOwn() {
        Disk[] ours = {new Disk(), null};
        Disk[] theirs = {new Locked(), null};
        ours[0].setLimit(1000);
        theirs[0].setLimit(1000);
        ours[1] = new Disk(ours[0]);
        theirs[1] = new Locked(theirs[0]);
        Steps[] ourSteps = {new Steps(ours[0]), new Steps(ours[1])};
        Steps[] theirSteps = {new Steps(theirs[0]), new Steps(theirs[1])};
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            int level = random.nextInt(2);
            int amount = random.nextInt(1500);
            switch (random.nextInt(8)) {
                case 0 -> {
                    ours[level].setLimit(amount);
                    theirs[level].setLimit(amount);
                }
                case 1 -> {
                    int step = 1 + random.nextInt(20);
                    ours[level].setPercentUsageMinDelta(step);
                    theirs[level].setPercentUsageMinDelta(step);
                }
                case 2, 3 -> {
                    ours[level].bytes = amount;
                    theirs[level].bytes = amount;
                }
                default -> {
                    int percent = random.nextInt(150);
                    assertEquals(theirs[level].isFull(percent), ours[level].isFull(percent));
                }
            }
            for (int at = 0; at < 2; at++) {
                assertEquals(theirs[at].keptPercent(), ours[at].keptPercent());
                assertEquals(theirSteps[at].seen, ourSteps[at].seen);
            }
        }
        assertTrue(ourSteps[0].seen.size() > 100);
    }

    @Test
    void nobodyWaitsForTheLockWhileThePercentStays() throws Exception {
        Disk disk = new Disk();
        disk.setLimit(1000);
        disk.bytes = 700;
        assertTrue(disk.isFull(70));
        disk.bytes = 705;
        FutureTask<Boolean> asking = new FutureTask<>(() -> disk.isFull(70) && !disk.isFull(71) && !disk.isFull());
        disk.holdingItsLock(() -> {
            new Thread(asking).start();
            assertTrue(answer(asking));
        });
        disk.bytes = 710;
        assertTrue(disk.isFull(71));
        assertEquals(71, disk.keptPercent());
    }

    private static boolean answer(FutureTask<Boolean> task) {
        try {
            return task.get();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    @Test
    void threadsThatAskWhileItChangesEndWithTheTruth() throws Exception {
        Disk disk = new Disk();
        disk.setLimit(1000);
        List<FutureTask<Boolean>> asking = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            asking.add(new FutureTask<>(() -> {
                for (int i = 0; i < 50_000; i++) {
                    assertTrue(disk.isFull(0) && !disk.isFull(101));
                }
                return disk.isFull(99);
            }));
        }
        asking.forEach(task -> new Thread(task).start());
        for (int i = 0; i <= 50_000; i++) {
            disk.bytes = i % 1001;
        }
        disk.bytes = 990;
        for (FutureTask<Boolean> task : asking) {
            task.get();
        }
        assertTrue(disk.isFull(99));
        assertFalse(disk.isFull(100));
        assertEquals(99, disk.keptPercent());
    }

    @Test
    void aMeterWithoutAStoreAndWithoutALimitIsNeverFull() {
        TempUsage none = new TempUsage();
        assertFalse(none.isFull());
        assertTrue(none.isFull(0));
        none.setLimit(10);
        assertFalse(new TempUsage(none, "child").isFull(1));
    }
}
