package org.queuecore.bench;

import java.nio.file.Path;
import java.util.List;
import org.queuecore.bench.broker.BrokerPart;
import org.queuecore.bench.crossing.CrossingPart;
import org.queuecore.bench.meter.MeterPart;

/**
 * Measures part by part, in rounds in which the engines take turns, each in a virtual machine of its own.
 *
 * <pre>java -jar queuecore-bench-all.jar [--out FILE] [--quick] [--only CASE] [--rounds N]</pre>
 */
public final class Main {
    private final List<Part> parts = List.of(new MeterPart(), new CrossingPart(), new BrokerPart());

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
            System.err.println("usage: queuecore-bench [--out FILE] [--quick] [--only CASE] [--rounds N]\ncases: "
                    + String.join(" ", main.cases()));
            System.exit(2);
        }
        main.run();
    }

    private List<String> cases() {
        return parts.stream().flatMap(part -> part.cases().stream()).toList();
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
                case "--rounds" -> rounds = value != null && value.matches("\\d{1,4}") ? Integer.parseInt(value) : 0;
                default -> value = null;
            }
            if (value == null || rounds < 1) {
                return false;
            }
            i++;
        }
        return only == null || cases().contains(only);
    }

    private void run() throws Exception {
        Settings settings = new Settings(quick, rounds, only);
        for (Part part : parts) {
            if (part.cases().stream().anyMatch(settings::wants)) {
                part.measure(settings);
                System.err.println();
            }
        }
        List<Row> rows = parts.stream().flatMap(part -> part.rows().stream()).toList();
        List<Goal> goals = parts.stream().flatMap(part -> part.goals().stream()).toList();
        Report.print(rows, goals);
        if (out != null) {
            Report.write(out, rows, goals, quick, only == null);
            System.out.println("\nwritten: " + out);
        }
    }
}
