package org.queuecore.bench;

import java.util.List;

/** One goal: queuecore is to be at least that many times as fast as another engine. */
record Goal(String name, double limit, Case at, int threads, Engine than) {
    static final List<Goal> ALL = List.of(
            new Goal("jmh_1t_vs_atomic", 1.4, Case.mid, 1, Engine.atomic),
            new Goal("jmh_2t_vs_atomic", 5, Case.mid, 2, Engine.atomic),
            new Goal("jmh_4t_vs_atomic", 5, Case.mid, 4, Engine.atomic),
            new Goal("jmh_8t_vs_atomic", 5, Case.mid, 8, Engine.atomic),
            new Goal("jmh_1t_vs_stock", 8, Case.mid, 1, Engine.stock),
            new Goal("jmh_2t_vs_stock", 20, Case.mid, 2, Engine.stock),
            new Goal("jmh_8t_vs_stock", 20, Case.mid, 8, Engine.stock),
            new Goal("edge_2t_vs_atomic", 5, Case.edge, 2, Engine.atomic));

    /** The value, or null if it was not measured. */
    Double value(List<Measured> all) {
        Measured over = find(all, Engine.queuecore);
        Measured under = find(all, than);
        return over == null || under == null ? null : over.medianRatio(under);
    }

    private Measured find(List<Measured> all, Engine engine) {
        return all.stream().filter(one -> one.is(at, threads, engine)).findFirst().orElse(null);
    }
}
