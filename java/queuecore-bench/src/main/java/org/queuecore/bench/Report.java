package org.queuecore.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A table for people, and a file in the form of the other benches for {@code queuecore-report}. */
final class Report {
    private Report() {
    }

    static void print(List<Row> rows, List<Goal> goals) {
        String last = null;
        for (Row row : rows) {
            if (!row.group().equals(last)) {
                last = row.group();
                System.out.printf("%n%s%n  %-32s %12s  %s%n", last, "", "median", "lowest .. highest");
            }
            Rounds rounds = row.rounds();
            System.out.printf(Locale.ROOT, "  %-10s %-21s %12.2f  %.2f .. %.2f %s%n", row.engine(), row.what(),
                    rounds.median(), rounds.low(), rounds.high(), row.unit());
        }
        System.out.printf("%nGoals%n  %-28s %10s %10s%n", "name", "limit", "value");
        for (Goal goal : goals) {
            System.out.printf(Locale.ROOT, "  %-28s %10s %10s%s%n", goal.name(), goal.sign() + " " + number(goal.limit()),
                    Double.isNaN(goal.value()) ? "-" : String.format(Locale.ROOT, "%.3f", goal.value()),
                    goal.isShort() ? "  short" : "");
        }
    }

    static void write(Path file, List<Row> rows, List<Goal> goals, boolean quick, boolean complete) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, String.format("{%n  \"quick\": %b,%n  \"complete\": %b,%n  \"rows\": [%n%s%n  ],%n"
                        + "  \"goals\": [%n%s%n  ]%n}%n", quick, complete,
                rows.stream().map(Report::json).collect(Collectors.joining(",\n")),
                goals.stream().map(Report::json).collect(Collectors.joining(",\n"))));
    }

    private static String json(Row row) {
        Rounds rounds = row.rounds();
        return String.format(Locale.ROOT,
                "    {\"case\": \"%s\", \"group\": \"%s\", \"what\": \"%s\", \"threads\": %d, \"engine\": \"%s\", "
                        + "\"role\": %s, \"unit\": \"%s\", \"median\": %.4f, \"low\": %.4f, \"high\": %.4f, \"passes\": %d}",
                row.at(), row.group(), row.what(), row.threads(), row.engine(), row.isCeiling() ? "\"ceiling\"" : "null",
                row.unit(), rounds.median(), rounds.low(), rounds.high(), rounds.count());
    }

    private static String json(Goal goal) {
        return String.format(Locale.ROOT, "    {\"name\": \"%s\", \"op\": \"%s\", \"limit\": %s, \"value\": %s}", goal.name(),
                goal.sign(), number(goal.limit()),
                Double.isNaN(goal.value()) ? "null" : String.format(Locale.ROOT, "%.4f", goal.value()));
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
