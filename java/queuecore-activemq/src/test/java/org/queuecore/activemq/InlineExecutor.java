package org.queuecore.activemq;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs what it gets on the calling thread, so that a test sees the steps in order and at once. */
class InlineExecutor extends ThreadPoolExecutor {
    InlineExecutor() {
        super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    @Override
    public void execute(Runnable task) {
        if (isShutdown()) {
            throw new RejectedExecutionException("shut down");
        }
        task.run();
    }
}
