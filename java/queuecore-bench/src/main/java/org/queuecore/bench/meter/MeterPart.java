package org.queuecore.bench.meter;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.queuecore.bench.Goal;
import org.queuecore.bench.Part;
import org.queuecore.bench.Rounds;
import org.queuecore.bench.Row;
import org.queuecore.bench.Settings;

/** The life of a message on the meter alone, by each engine: {@link MessageBenchmark}, run by JMH. */
public final class MeterPart implements Part {
    private static final int[] THREADS = {1, 2, 4, 8};

    private final List<Measured> all = new ArrayList<>();

    @Override
    public List<String> cases() {
        return Stream.of(Case.values()).map(Case::name).toList();
    }

    @Override
    public void measure(Settings settings) throws RunnerException {
        for (Case at : Case.values()) {
            for (int threads : THREADS) {
                for (Engine engine : Engine.values()) {
                    if (at.has(engine) && settings.wants(at.name())) {
                        all.add(new Measured(at, threads, engine, new Rounds()));
                    }
                }
            }
        }
        for (int round = 1; round <= settings.rounds(); round++) {
            for (Measured one : all) {
                settings.progress(round, one.at() + ", " + one.threads() + " threads, " + one.engine());
                one.rates().add(rate(one, settings) / 1e6);
            }
        }
    }

    /** One fork. */
    private static double rate(Measured one, Settings settings) throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                .include(MessageBenchmark.class.getName() + "." + one.engine() + "$")
                .param("at", one.at().name())
                .threads(one.threads())
                .forks(1)
                .jvmArgsAppend(settings.libraryArguments())
                .warmupIterations(settings.quick() ? 1 : 2)
                .warmupTime(TimeValue.milliseconds(300))
                .measurementIterations(settings.quick() ? 1 : 3)
                .measurementTime(new TimeValue(settings.quick() ? 200 : 300, TimeUnit.MILLISECONDS))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build()).run();
        return results.iterator().next().getPrimaryResult().getScore();
    }

    @Override
    public List<Row> rows() {
        return all.stream().map(one -> new Row(one.at().name(), one.at().title,
                one.threads() == 1 ? "1 thread" : one.threads() + " threads", one.threads(), one.engine().name(),
                one.engine().isCeiling(), "M ops/s", one.rates())).toList();
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                goal("jmh_1t_vs_atomic", 1.4, Case.mid, 1, Engine.atomic),
                goal("jmh_2t_vs_atomic", 5, Case.mid, 2, Engine.atomic),
                goal("jmh_4t_vs_atomic", 5, Case.mid, 4, Engine.atomic),
                goal("jmh_8t_vs_atomic", 5, Case.mid, 8, Engine.atomic),
                goal("jmh_1t_vs_stock", 8, Case.mid, 1, Engine.stock),
                goal("jmh_2t_vs_stock", 20, Case.mid, 2, Engine.stock),
                goal("jmh_8t_vs_stock", 20, Case.mid, 8, Engine.stock),
                goal("edge_2t_vs_atomic", 5, Case.edge, 2, Engine.atomic));
    }

    /** At least so many times as fast as another engine. */
    private Goal goal(String name, double limit, Case at, int threads, Engine than) {
        return Goal.atLeast(name, limit, rates(at, threads, Engine.queuecore).over(rates(at, threads, than)).median());
    }

    private Rounds rates(Case at, int threads, Engine engine) {
        return all.stream().filter(one -> one.is(at, threads, engine)).findFirst().map(Measured::rates).orElse(new Rounds());
    }
}
