package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Supplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever a program does first, the library is loaded once: a second copy would have its own list of what happened, and
 * whoever waits at the first one would wait for ever.
 */
class FirstUseTest {
    private static final String CHOSEN = "queuecore.test.first";

    enum First {
        LOAD(() -> {
            NativeLibrary.load();
            return NativeLibrary.origin();
        }),
        VERSION(NativeLibrary::version),
        METER(() -> new MemoryUsage("first")),
        DELIVERY(() -> {
            Delivery.ensure();
            return "ensured";
        }),
        HISTORY(() -> new History(new HistoryOptions())),
        HISTORY_BATCH(() -> new HistoryBatch(4)),
        HISTORY_GROUP(() -> new HistoryGroup(new HistoryGroupOptions())),
        CURSOR(() -> new Cursor(new CursorOptions(), new MemoryUsage("first"), new MapStore())),
        CURSOR_POLICY(CursorPolicy::new),
        CURSOR_BATCH(() -> new CursorBatch(4));

        private final Supplier<Object> use;

        First(Supplier<Object> use) {
            this.use = use;
        }
    }

    @ParameterizedTest
    @EnumSource
    void isLoadedOnce(First first) throws Exception {
        once(first.name());
    }

    @RepeatedTest(5)
    void isLoadedOnceThoughAllComeAtOnce() throws Exception {
        once("");
    }

    private static void once(String chosen) throws Exception {
        Child.Outcome outcome = Child.run(FirstUseTest.class, true, "-D" + CHOSEN + "=" + chosen);
        assertEquals(0, outcome.code(), outcome.said());
        // Before it, Java 24 and later may warn of native code.
        assertTrue(outcome.said().endsWith("\n1 copy\n"), outcome.said());
    }

    /**
     * The child: the chosen one comes first and the others after it, or all at once, each on its own thread.
     *
     * @param args none
     * @throws Exception if anything is not as it should be
     */
    public static void main(String[] args) throws Exception {
        String chosen = System.getProperty(CHOSEN);
        if (!chosen.isEmpty()) {
            First.valueOf(chosen).use.get();
        }
        List<First> all = List.of(First.values());
        CyclicBarrier together = new CyclicBarrier(all.size());
        ThreadsTest.onThreads(all.size(), thread -> {
            together.await();
            all.get(thread).use.get();
        });
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            long copies = lines.filter(line -> line.contains("libqueuecore_jni.so")).map(line -> line.substring(line.indexOf('/')))
                    .distinct().count();
            System.out.println("\n" + copies + (copies == 1 ? " copy" : " copies"));
        }
    }
}
