package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.Test;

/** The native meter and the broker's own do the same things, and after each everything that can be seen of them is the same. */
class LikeTheBrokersOwnTest {
    private static final int LEVELS = 4;
    private static final int SEEDS = 20;
    private static final int OPERATIONS = 2_000;

    /** Two meters that ought to be alike. */
    private static final class Pair {
        private final MemoryUsage theirs;
        private final QueuecoreMemoryUsage ours;
        private final List<String> theirSteps = new ArrayList<>();
        private final List<String> ourSteps = new ArrayList<>();
        private final AtomicInteger theirCalls = new AtomicInteger();
        private final AtomicInteger ourCalls = new AtomicInteger();

        Pair(Pair parent, float portion) {
            theirs = new MemoryUsage(parent == null ? null : parent.theirs, "level", portion);
            ours = new QueuecoreMemoryUsage(parent == null ? null : parent.ours, "level", portion);
            theirs.setExecutor(new InlineExecutor());
            ours.setExecutor(new InlineExecutor());
            theirs.addUsageListener((usage, from, to) -> theirSteps.add(from + ">" + to));
            ours.addUsageListener((usage, from, to) -> ourSteps.add(from + ">" + to));
        }

        void check(String after) throws InterruptedException {
            assertEquals(theirs.getLimit(), ours.getLimit(), after);
            assertEquals(theirs.getUsage(), ours.getUsage(), after);
            assertEquals(theirs.getPercentUsage(), ours.getPercentUsage(), after);
            assertEquals(theirs.getUsagePortion(), ours.getUsagePortion(), after);
            assertEquals(theirs.isStarted(), ours.isStarted(), after);
            assertEquals(theirs.isFull(), ours.isFull(), after);
            for (int percent : new int[] {-20, 0, 1, 50, 99, 100, 101, 150}) {
                assertEquals(theirs.isFull(percent), ours.isFull(percent), after);
            }
            assertEquals(theirSteps, ourSteps, after);
            assertEquals(theirCalls.get(), ourCalls.get(), after);
            theirSteps.clear();
            ourSteps.clear();
        }
    }

    /** Usually one that is met in brokers. */
    private static float portion(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1, 2 -> 1;
            case 3 -> 1.7f;
            default -> random.nextFloat();
        };
    }

    @Test
    void whateverIsDone() throws Exception {
        int full = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Pair[] pairs = new Pair[LEVELS];
            for (int i = 0; i < LEVELS; i++) {
                pairs[i] = new Pair(i == 0 ? null : pairs[random.nextInt(i)], portion(random));
            }
            for (int i = 0; i < OPERATIONS; i++) {
                Pair pair = pairs[random.nextInt(LEVELS)];
                String done = "seed " + seed + ", operation " + i + ": " + one(random, pair);
                for (Pair each : pairs) {
                    each.check(done);
                }
                full += pair.ours.isFull() ? 1 : 0;
            }
        }
        assertTrue(full > SEEDS * OPERATIONS / 20, "levels were full " + full + " times");
    }

    private static String one(Random random, Pair pair) {
        int amount = random.nextInt(2000);
        switch (random.nextInt(14)) {
            case 0 -> {
                pair.theirs.setLimit(amount);
                pair.ours.setLimit(amount);
                return "setLimit(" + amount + ")";
            }
            case 1 -> {
                float portion = portion(random);
                pair.theirs.setUsagePortion(portion);
                pair.ours.setUsagePortion(portion);
                return "setUsagePortion(" + portion + ")";
            }
            case 2 -> {
                int step = 1 + random.nextInt(10);
                pair.theirs.setPercentUsageMinDelta(step);
                pair.ours.setPercentUsageMinDelta(step);
                return "setPercentUsageMinDelta(" + step + ")";
            }
            case 3, 4 -> {
                pair.theirs.start();
                pair.ours.start();
                return "start()";
            }
            case 5 -> {
                pair.theirs.stop();
                pair.ours.stop();
                return "stop()";
            }
            case 6, 7, 8, 9 -> {
                // Towards zero, so that it does not run away.
                long usage = pair.theirs.getUsage();
                long less = usage > 1500 ? amount : amount / 4;
                pair.theirs.decreaseUsage(less);
                pair.ours.decreaseUsage(less);
                return "decreaseUsage(" + less + ")";
            }
            default -> {
                long more = pair.theirs.getUsage() < 0 ? amount : amount / 2;
                pair.theirs.increaseUsage(more);
                pair.ours.increaseUsage(more);
                return "increaseUsage(" + more + ")";
            }
        }
    }
}
