package org.queuecore.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures in rounds, in which the engines take turns, each in a virtual machine of its own.
 *
 * <pre>java -jar queuecore-bench-all.jar [--out FILE] [--quick] [--only CASE] [--rounds N]</pre>
 */
public final class Main {
    private static final int[] THREADS = {1, 2, 4, 8};
    private static final String LIBRARY = "org.queuecore.library.path";

    private Path out;
    private boolean quick;
    private String only;
    private int rounds = 5;

    private Main() {
    }

    /**
     * Runs it.
     *
     * @param args see the class
     * @throws Exception if a benchmark fails, or the file cannot be written
     */
    public static void main(String[] args) throws Exception {
        Main main = new Main();
        if (!main.understands(args)) {
            System.err.println("usage: queuecore-bench [--out FILE] [--quick] [--only mid|edge|limit] [--rounds N]");
            System.exit(2);
        }
        main.run();
    }

    private boolean understands(String[] args) {
        for (int i = 0; i < args.length; i++) {
            String value = i + 1 < args.length ? args[i + 1] : null;
            switch (args[i]) {
                case "--quick" -> {
                    quick = true;
                    rounds = 1;
                    continue;
                }
                case "--out" -> out = value == null ? null : Path.of(value);
                case "--only" -> only = value;
                case "--rounds" -> rounds = value == null ? 0 : Integer.parseInt(value);
                default -> value = null;
            }
            if (value == null || rounds < 1) {
                return false;
            }
            i++;
        }
        return true;
    }

    private void run() throws RunnerException, IOException {
        List<Measured> all = new ArrayList<>();
        for (Case at : Case.values()) {
            for (int threads : THREADS) {
                for (Engine engine : Engine.values()) {
                    if (at.has(engine) && (only == null || only.equals(at.name()))) {
                        all.add(new Measured(at, threads, engine));
                    }
                }
            }
        }
        for (int round = 1; round <= rounds; round++) {
            for (Measured one : all) {
                System.err.printf("\rround %d of %d: %s, %d threads, %s          ", round, rounds, one.at(), one.threads(),
                        one.engine());
                one.rates().add(rate(one));
            }
        }
        System.err.println();
        Report.print(all);
        if (out != null) {
            Report.write(out, all, quick, only == null);
            System.out.println("\nwritten: " + out);
        }
    }

    /** One fork. */
    private double rate(Measured one) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(MessageBenchmark.class.getName() + "." + one.engine() + "$")
                .param("at", one.at().name())
                .threads(one.threads())
                .forks(1)
                .warmupIterations(quick ? 1 : 2)
                .warmupTime(TimeValue.milliseconds(300))
                .measurementIterations(quick ? 1 : 3)
                .measurementTime(new TimeValue(quick ? 200 : 300, TimeUnit.MILLISECONDS))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        String library = System.getProperty(LIBRARY);
        if (library != null) {
            options.jvmArgsAppend("-D" + LIBRARY + "=" + library);
        }
        Collection<RunResult> results = new Runner(options.build()).run();
        return results.iterator().next().getPrimaryResult().getScore();
    }
}
