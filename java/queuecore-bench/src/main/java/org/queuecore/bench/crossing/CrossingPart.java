package org.queuecore.bench.crossing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.queuecore.bench.Goal;
import org.queuecore.bench.Part;
import org.queuecore.bench.Rounds;
import org.queuecore.bench.Row;
import org.queuecore.bench.Settings;

/**
 * The history and the cursor from Java, a crossing into native code for each call against one for 64: {@link HistoryBenchmark}
 * and {@link CursorBenchmark}, run by JMH.
 */
public final class CrossingPart implements Part {
    private static final String HISTORY = "history";
    private static final String CURSOR = "cursor";
    private static final int MANY = 1_000_000;
    private static final int[] REMEMBERED = {100_000, MANY};
    private static final int NONE = 0;

    private final List<Measured> all = new ArrayList<>();

    /** One engine. */
    private record Measured(String at, int remembered, Class<?> benchmark, String engine, Rounds rates) {
        String group() {
            return at.equals(CURSOR) ? "Cursor from Java: push, pull and ack"
                    : String.format("History from Java: insert and erase, %,d keys remembered", remembered);
        }

        Row row() {
            return new Row(at, group(), engine.equals("util") ? "java.util" : engine, 1, engine, false, "M messages/s", rates);
        }
    }

    @Override
    public List<String> cases() {
        return List.of(HISTORY, CURSOR);
    }

    @Override
    public void measure(Settings settings) throws RunnerException {
        if (settings.wants(HISTORY)) {
            for (int remembered : REMEMBERED) {
                for (String engine : List.of("util", "single", "batch")) {
                    all.add(new Measured(HISTORY, remembered, HistoryBenchmark.class, engine, new Rounds()));
                }
            }
        }
        if (settings.wants(CURSOR)) {
            for (String engine : List.of("single", "batch", "paged")) {
                all.add(new Measured(CURSOR, NONE, CursorBenchmark.class, engine, new Rounds()));
            }
        }
        for (int round = 1; round <= settings.rounds(); round++) {
            for (Measured one : all) {
                settings.progress(round, one.at() + ", " + one.engine());
                one.rates().add(rate(one, settings) / 1e6);
            }
        }
    }

    /** One fork. */
    private static double rate(Measured one, Settings settings) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(one.benchmark().getName() + "." + one.engine() + "$")
                .forks(1)
                .jvmArgsAppend(settings.libraryArguments())
                .warmupIterations(settings.quick() ? 1 : 3)
                .warmupTime(TimeValue.milliseconds(300))
                .measurementIterations(settings.quick() ? 1 : 3)
                .measurementTime(new TimeValue(settings.quick() ? 200 : 300, TimeUnit.MILLISECONDS))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        if (one.remembered() != NONE) {
            options.param("remembered", Integer.toString(one.remembered()));
        }
        return new Runner(options.build()).run().iterator().next().getPrimaryResult().getScore();
    }

    @Override
    public List<Row> rows() {
        return all.stream().map(Measured::row).toList();
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                goal("history_java_batch_vs_single", 1.5, HISTORY, MANY, "batch", "single"),
                goal("history_java_single_vs_util", 1, HISTORY, MANY, "single", "util"),
                goal("cursor_java_batch_vs_single", 1.5, CURSOR, NONE, "batch", "single"));
    }

    /** At least so many times as fast as another engine. */
    private Goal goal(String name, double limit, String at, int remembered, String engine, String than) {
        return Goal.atLeast(name, limit, rates(at, remembered, engine).over(rates(at, remembered, than)).median());
    }

    private Rounds rates(String at, int remembered, String engine) {
        return all.stream()
                .filter(one -> one.at().equals(at) && one.remembered() == remembered && one.engine().equals(engine))
                .findFirst().map(Measured::rates).orElse(new Rounds());
    }
}
