package org.queuecore.bench.broker;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.queuecore.bench.Settings;

/** One run of {@link BrokerProcess}: what it printed. */
record BrokerRun(Map<String, String> figures) {
    private static final List<String> HEAP = List.of("-Xms2g", "-Xmx2g");

    /** Starts one, in a virtual machine with these arguments, and waits for its end. */
    static BrokerRun of(Workload workload, int producers, String[] arguments, Settings settings, boolean records)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("queuecore-broker");
        try {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(HEAP);
            command.addAll(List.of(settings.libraryArguments()));
            command.addAll(List.of(arguments));
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), BrokerProcess.class.getName(), workload.name(),
                    Integer.toString(producers), settings.quick() ? "3000" : "9000", settings.quick() ? "1000" : "3000",
                    folder.toString(), Boolean.toString(records)));
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said;
            try (InputStream output = process.getInputStream()) {
                said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            }
            BrokerRun run = new BrokerRun(figures(said));
            if (process.waitFor() != 0 || run.figures.isEmpty()) {
                throw new IOException("the broker's process failed; it said: " + said);
            }
            run.check(arguments.length > 0);
            return run;
        } finally {
            delete(folder);
        }
    }

    private static Map<String, String> figures(String said) {
        Map<String, String> figures = new HashMap<>();
        said.lines().filter(line -> line.startsWith(BrokerProcess.RESULT)).forEach(line -> {
            for (String figure : line.substring(BrokerProcess.RESULT.length()).split(" ")) {
                String[] pair = figure.split("=", 2);
                figures.put(pair[0], pair[1]);
            }
        });
        return figures;
    }

    /** A figure of the wrong engine, or of one whose recording has holes, would be worse than none. */
    private void check(boolean hasAgent) throws IOException {
        if (Boolean.parseBoolean(figures.get("meter")) != hasAgent) {
            throw new IOException("the broker's meter is " + (hasAgent ? "not " : "") + "this library's");
        }
        if (figures.containsKey("lost") && number("lost") > 0) {
            throw new IOException("Flight Recorder lost " + figures.get("lost") + " pieces");
        }
    }

    private double number(String name) {
        return Double.parseDouble(figures.get(name));
    }

    double rate() {
        return number("messages") / number("seconds");
    }

    double switchesPerMessage() {
        return number("switches") / number("messages");
    }

    /** Waits for locks of meters, parked or at a monitor. */
    double meterWaits() {
        return number("meter_parks") + number("meter_monitors");
    }

    /** Where the last of them was. */
    String where() {
        return figures.get("where");
    }

    double waits() {
        return number("waits");
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
            });
        }
    }
}
