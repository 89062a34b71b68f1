package org.queuecore.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table for people, and a file in the form of the other benches for {@code queuecore-report}. */
final class Report {
    private Report() {
    }

    static void print(List<Measured> all) {
        Case last = null;
        for (Measured one : all) {
            if (one.at() != last) {
                last = one.at();
                System.out.printf("%n%s%n  M operations/s        median  lowest .. highest%n", last.title);
            }
            System.out.printf(Locale.ROOT, "  %-9s %-10s %8.2f  %7.2f .. %.2f%n", threads(one), one.engine(),
                    one.median() / 1e6, one.low() / 1e6, one.high() / 1e6);
        }
        System.out.printf("%nGoals%n  %-28s %10s %10s%n", "name", "limit", "value");
        for (Goal goal : Goal.ALL) {
            Double value = goal.value(all);
            System.out.printf(Locale.ROOT, "  %-28s %10s %10s%s%n", goal.name(), ">= " + number(goal.limit()),
                    value == null ? "-" : String.format(Locale.ROOT, "%.3f", value),
                    value == null || value >= goal.limit() ? "" : "  short");
        }
    }

    static void write(Path file, List<Measured> all, boolean quick, boolean complete) throws IOException {
        List<String> rows = new ArrayList<>();
        for (Measured one : all) {
            rows.add(String.format(Locale.ROOT,
                    "    {\"case\": \"%s\", \"group\": \"%s\", \"what\": \"%s\", \"threads\": %d, \"engine\": \"%s\", "
                            + "\"role\": %s, \"unit\": \"M ops/s\", \"median\": %.4f, \"low\": %.4f, \"high\": %.4f, \"passes\": %d}",
                    one.at(), one.at().title, threads(one), one.threads(), one.engine(),
                    one.engine().isCeiling() ? "\"ceiling\"" : "null", one.median() / 1e6, one.low() / 1e6,
                    one.high() / 1e6, one.rates().size()));
        }
        List<String> goals = new ArrayList<>();
        for (Goal goal : Goal.ALL) {
            Double value = goal.value(all);
            goals.add(String.format(Locale.ROOT, "    {\"name\": \"%s\", \"op\": \">=\", \"limit\": %s, \"value\": %s}",
                    goal.name(), number(goal.limit()), value == null ? "null" : String.format(Locale.ROOT, "%.4f", value)));
        }
        Path folder = file.toAbsolutePath().getParent();
        Files.createDirectories(folder);
        Files.writeString(file, String.format("{%n  \"quick\": %b,%n  \"complete\": %b,%n  \"rows\": [%n%s%n  ],%n"
                        + "  \"goals\": [%n%s%n  ]%n}%n", quick, complete, String.join(",\n", rows), String.join(",\n", goals)));
    }

    private static String threads(Measured one) {
        return one.threads() == 1 ? "1 thread" : one.threads() + " threads";
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
