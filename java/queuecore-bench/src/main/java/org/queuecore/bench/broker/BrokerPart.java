package org.queuecore.bench.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.queuecore.bench.Goal;
import org.queuecore.bench.Part;
import org.queuecore.bench.Rounds;
import org.queuecore.bench.Row;
import org.queuecore.bench.Settings;

/**
 * A whole broker, unchanged, and the same with the agent: how many messages pass, and how often a thread waits for a lock of a
 * meter.
 *
 * <p>A round runs each engine once for each workload, one process after the other, and begins with another engine than the
 * round before. What is compared is one round's two rates. A last round has Flight Recorder on: that costs something, and the
 * more the more threads wait, so its rates count for nothing.
 */
public final class BrokerPart implements Part {
    /** The agent's jar. */
    private static final String AGENT = "queuecore.agent";
    private static final int[] TOPIC_PRODUCERS = {1, 4, 8, 22};
    private static final int QUEUE_PRODUCERS = 8;

    private final List<Compared> all = new ArrayList<>();

    /** One workload, by both engines. */
    private record Compared(Workload workload, int producers, Side stock, Side agent) {
        String name() {
            return workload + "_" + producers + "t";
        }

        Rounds ratio() {
            return agent.rates.over(stock.rates);
        }
    }

    /** One engine's figures for a workload. */
    private record Side(String engine, String[] arguments, Rounds rates, Rounds switches, Rounds parks, Rounds waits) {
        Side(String engine, String... arguments) {
            this(engine, arguments, new Rounds(), new Rounds(), new Rounds(), new Rounds());
        }
    }

    @Override
    public List<String> cases() {
        return Stream.of(Workload.values()).map(Workload::name).toList();
    }

    @Override
    public void measure(Settings settings) throws IOException, InterruptedException {
        String agent = System.getProperty(AGENT);
        if (agent == null) {
            throw new IllegalArgumentException("-D" + AGENT + "=... has to name queuecore-activemq-agent.jar");
        }
        for (int producers : TOPIC_PRODUCERS) {
            add(Workload.topic, producers, agent, settings);
        }
        add(Workload.queue, QUEUE_PRODUCERS, agent, settings);
        for (int round = 1; round <= settings.rounds(); round++) {
            for (Compared one : all) {
                for (Side side : inTurn(one, round)) {
                    settings.progress(round, one.workload + ", " + one.producers + " producers, " + side.engine);
                    BrokerRun run = BrokerRun.of(one.workload, one.producers, side.arguments, settings, false);
                    side.rates.add(run.rate() / 1e3);
                    side.switches.add(run.switchesPerMessage());
                }
            }
        }
        for (Compared one : all) {
            for (Side side : inTurn(one, 1)) {
                settings.progress(settings.rounds(), "locks, " + one.name() + ", " + side.engine);
                BrokerRun run = BrokerRun.of(one.workload, one.producers, side.arguments, settings, true);
                side.parks.add(run.meterWaits());
                if (side == one.agent && run.meterWaits() > 0) {
                    System.out.printf("%n%s with the agent: a wait for a lock at %s%n", one.name(), run.where());
                }
                side.waits.add(run.waits());
            }
        }
    }

    private void add(Workload workload, int producers, String agent, Settings settings) {
        if (settings.wants(workload.name())) {
            all.add(new Compared(workload, producers, new Side("stock"),
                    new Side("queuecore", "-javaagent:" + Path.of(agent).toAbsolutePath())));
        }
    }

    private static List<Side> inTurn(Compared one, int round) {
        return round % 2 == 1 ? List.of(one.stock, one.agent) : List.of(one.agent, one.stock);
    }

    @Override
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (Workload workload : Workload.values()) {
            add(rows, workload, "", "k messages/s", Side::rates);
            for (Compared one : of(workload)) {
                rows.add(row(one, "with the agent, times as many messages", "queuecore", "", one.ratio()));
            }
            add(rows, workload, "waits for locks of meters while it was measured", "", Side::parks);
            add(rows, workload, "waits for any lock while it was measured", "", Side::waits);
            add(rows, workload, "context switches per message", "", Side::switches);
        }
        return rows;
    }

    private List<Compared> of(Workload workload) {
        return all.stream().filter(one -> one.workload == workload).toList();
    }

    private void add(List<Row> rows, Workload workload, String figure, String unit, Function<Side, Rounds> rounds) {
        for (Compared one : of(workload)) {
            for (Side side : List.of(one.stock, one.agent)) {
                rows.add(row(one, figure, side.engine, unit, rounds.apply(side)));
            }
        }
    }

    private static Row row(Compared one, String figure, String engine, String unit, Rounds rounds) {
        String workload = one.workload == Workload.topic ? "a topic for each producer" : "persistent, a queue for each producer";
        return new Row("broker_" + one.name(), "Broker, " + workload + (figure.isEmpty() ? "" : ": " + figure), producers(one),
                one.producers, engine, false, unit, rounds);
    }

    private static String producers(Compared one) {
        return one.producers == 1 ? "1 producer" : one.producers + " producers";
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.atLeast("broker_topic_1t", 1, ratio("topic_1t")),
                Goal.atLeast("broker_topic_8t", 1, ratio("topic_8t")),
                Goal.atLeast("broker_topic_22t", 1, ratio("topic_22t")),
                Goal.atLeast("broker_queue_8t", 1, ratio("queue_8t")),
                Goal.atMost("broker_usage_parks", 0, parks()));
    }

    private double ratio(String name) {
        return all.stream().filter(one -> one.name().equals(name)).findFirst().map(one -> one.ratio().median()).orElse(Double.NaN);
    }

    /** Of all workloads with the agent together. */
    private double parks() {
        return all.isEmpty() ? Double.NaN : all.stream().mapToDouble(one -> one.agent.parks.median()).sum();
    }
}
