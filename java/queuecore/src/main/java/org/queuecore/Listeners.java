package org.queuecore;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/** Who listens to a meter, and who runs what is the user's. */
final class Listeners {
    private final List<UsageListener> all = new CopyOnWriteArrayList<>();
    private volatile Executor executor;

    boolean isEmpty() {
        return all.isEmpty();
    }

    void add(UsageListener listener) {
        all.add(listener);
    }

    /** Answers whether it was the last one. */
    boolean removeLast(UsageListener listener) {
        return all.remove(listener) && all.isEmpty();
    }

    Executor executor() {
        return executor;
    }

    void setExecutor(Executor executor) {
        this.executor = executor;
    }

    /** Tells a step to those who listen now, unless they have gone by the time the executor comes to it. */
    void tell(MemoryUsage usage, int oldPercent, int newPercent) {
        if (all.isEmpty()) {
            return;
        }
        Iterator<UsageListener> now = all.iterator();
        hand(() -> now.forEachRemaining(listener -> {
            if (all.contains(listener)) {
                Tree.run(() -> listener.onUsageChanged(usage, oldPercent, newPercent));
            }
        }));
    }

    /** Has something run by the executor, or by this thread if there is none. */
    void hand(Runnable theirs) {
        Executor executor = this.executor;
        Tree.run(executor == null ? theirs : () -> executor.execute(theirs));
    }
}
