package org.queuecore.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One case, number of threads and engine, with a rate for each round in operations a second. */
record Measured(Case at, int threads, Engine engine, List<Double> rates) {
    Measured(Case at, int threads, Engine engine) {
        this(at, threads, engine, new ArrayList<>());
    }

    boolean is(Case at, int threads, Engine engine) {
        return this.at == at && this.threads == threads && this.engine == engine;
    }

    double median() {
        return median(rates.stream().mapToDouble(rate -> rate).toArray());
    }

    double low() {
        return rates.stream().mapToDouble(rate -> rate).min().orElse(Double.NaN);
    }

    double high() {
        return rates.stream().mapToDouble(rate -> rate).max().orElse(Double.NaN);
    }

    /** How many times as fast this one was, round by round, so that what else the machine did in a round falls out. */
    double medianRatio(Measured under) {
        double[] ratios = new double[Math.min(rates.size(), under.rates.size())];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = rates.get(i) / under.rates.get(i);
        }
        return median(ratios);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        int middle = values.length / 2;
        return values.length == 0 ? Double.NaN
                : values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
