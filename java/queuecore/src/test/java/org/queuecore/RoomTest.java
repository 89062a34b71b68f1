package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Meters that come and go in a small region, in virtual machines of their own, whose heaps hardly fill up. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RoomTest {
    /** More than fit into it at once. */
    private static final int MANY = 20_000;

    private static void wellIn(Class<?> main) throws Exception {
        Child.Outcome outcome = Child.run(main, true, "-Dorg.queuecore.region.bytes=1048576", "-Xms512m");
        assertEquals(0, outcome.code(), outcome.said());
        assertTrue(outcome.said().endsWith("done\n"), outcome.said());
    }

    @Test
    void closedMetersUseUpNoRoom() throws Exception {
        wellIn(Churn.class);
    }

    @Test
    void beyondTheRegionTheWordsNameTheProperty() throws Exception {
        wellIn(Exhaust.class);
    }

    @Test
    void aLengthThatIsNoNumberIsRefused() throws Exception {
        Child.Outcome outcome = Child.run(true, "-Dorg.queuecore.region.bytes=2g");
        assertEquals(1, outcome.code(), outcome.said());
        assertTrue(outcome.said().contains("-Dorg.queuecore.region.bytes=2g: it has to be a number"), outcome.said());
    }

    /** Makes and closes. */
    static final class Churn {
        private Churn() {
        }

        /**
         * Does so.
         *
         * @param args none
         * @throws Exception if it fails
         */
        public static void main(String[] args) throws Exception {
            try (MemoryUsage broker = new MemoryUsage("broker")) {
                ThreadsTest.onThreads(3, thread -> {
                    for (int i = 0; i < MANY; i++) {
                        MemoryUsage meter = thread == 0 ? new MemoryUsage("root") : new MemoryUsage(broker, "child");
                        meter.increaseUsage(5);
                        if (thread < 2) {
                            meter.close();
                        }
                    }
                });
            }
            System.out.println("done");
        }
    }

    /** Holds on to all. */
    static final class Exhaust {
        private Exhaust() {
        }

        /**
         * Does so.
         *
         * @param args none
         */
        public static void main(String[] args) {
            try (MemoryUsage broker = new MemoryUsage("broker")) {
                List<MemoryUsage> children = new ArrayList<>();
                String words = fill(broker, children);
                broker.setLimit(10);
                broker.increaseUsage(10);
                int fitted = children.size();
                children.forEach(MemoryUsage::close);
                children.clear();
                String again = fill(broker, children);
                for (String said : List.of(words, again)) {
                    if (!said.contains("QC_ERR_NO_MEMORY") || !said.contains(Region.BYTES_PROPERTY)) {
                        throw new AssertionError(said);
                    }
                }
                if (fitted < 1000 || children.size() < fitted) {
                    throw new AssertionError(fitted + " have fitted, then " + children.size());
                }
            }
            System.out.println("done");
        }

        private static String fill(MemoryUsage broker, List<MemoryUsage> children) {
            while (children.size() < MANY) {
                try {
                    children.add(new MemoryUsage(broker, "child"));
                } catch (OutOfMemoryError full) {
                    return full.getMessage();
                }
            }
            return "there is no end";
        }
    }
}
