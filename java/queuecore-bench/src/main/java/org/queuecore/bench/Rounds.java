package org.queuecore.bench;

import java.util.ArrayList;
import java.util.List;

/** The values of one figure, one for each round. */
public final class Rounds {
    private final List<Double> values = new ArrayList<>();

    /**
     * Adds a round.
     *
     * @param value its value
     */
    public void add(double value) {
        values.add(value);
    }

    /**
     * How many rounds there were.
     *
     * @return the number
     */
    public int count() {
        return values.size();
    }

    /**
     * The middle.
     *
     * @return the median, or NaN of none
     */
    public double median() {
        double[] sorted = values.stream().mapToDouble(value -> value).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length == 0 ? Double.NaN
                : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * The lowest.
     *
     * @return it, or NaN of none
     */
    public double low() {
        return values.stream().mapToDouble(value -> value).min().orElse(Double.NaN);
    }

    /**
     * The highest.
     *
     * @return it, or NaN of none
     */
    public double high() {
        return values.stream().mapToDouble(value -> value).max().orElse(Double.NaN);
    }

    /**
     * The values as parts of another figure's, round by round, so that what else the machine did in a round falls out.
     *
     * @param under the other figure
     * @return the ratios
     */
    public Rounds over(Rounds under) {
        Rounds ratios = new Rounds();
        for (int i = 0; i < Math.min(count(), under.count()); i++) {
            ratios.add(values.get(i) / under.values.get(i));
        }
        return ratios;
    }
}
