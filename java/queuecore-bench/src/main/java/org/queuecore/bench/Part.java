package org.queuecore.bench;

import java.util.List;

/** One benchmark among those that {@link Main} runs: it measures in rounds of its own, then shows what came of it. */
public interface Part {
    /**
     * The names by which {@code --only} chooses from it.
     *
     * @return the names of its cases
     */
    List<String> cases();

    /**
     * Measures.
     *
     * @param settings how
     * @throws Exception if a benchmark fails
     */
    void measure(Settings settings) throws Exception;

    /**
     * What was measured.
     *
     * @return a row for each figure
     */
    List<Row> rows();

    /**
     * What it was to reach.
     *
     * @return every goal, with what was measured
     */
    List<Goal> goals();
}
