package org.queuecore;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests of waiting start from a broker's meter with a limit of 1,000 bytes, and one for a queue below it. */
abstract class LimitedMeters {
    MemoryUsage broker;
    MemoryUsage orders;

    @BeforeEach
    void open() {
        broker = new MemoryUsage("broker");
        broker.setLimit(1000);
        orders = new MemoryUsage(broker, "orders");
    }

    @AfterEach
    void close() {
        orders.close();
        broker.close();
    }

    static <T> FutureTask<T> started(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        new Thread(task).start();
        return task;
    }

    void untilWaiters(long count) {
        while (broker.getStats().waiters() != count) {
            Thread.onSpinWait();
        }
    }
}
