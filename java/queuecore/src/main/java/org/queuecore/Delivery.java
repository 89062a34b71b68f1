package org.queuecore;

import java.lang.ref.WeakReference;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The two threads that deliver what others than Java threads have brought about, for all trees; and what a Java thread finds that
 * is about to wait.
 *
 * <pre>
 *   C++, Rust, the cleaner -> mailbox -> queuecore-delivery, or who is about to wait -> who waits
 *                                                |
 *                                                v
 *                                        queuecore-listeners -> listeners, callbacks (the user's code, which may block)
 * </pre>
 *
 * They start when somebody first listens or waits. They are nobody's in particular: in the topmost thread group, without the
 * starting thread's locals and class loader.
 */
final class Delivery {
    private static final BlockingQueue<Runnable> USERS = new LinkedBlockingQueue<>();
    private static final long RETRY_NANOS = 10_000_000;
    private static volatile boolean running;
    private static boolean opens;

    private Delivery() {
    }

    /**
     * Starts them, once. If the system has no thread to give, this throws, and the next one who comes tries again.
     *
     * @throws OutOfMemoryError as {@link Thread#start} does
     */
    static void ensure() {
        if (!running) {
            start();
        }
    }

    private static synchronized void start() {
        if (!opens) {
            thread(Delivery::open, "queuecore-delivery").start();
            opens = true;
        }
        if (!running) {
            thread(Delivery::tell, "queuecore-listeners").start();
            running = true;
        }
    }

    /** A thread that has nothing of the one that makes it. */
    static Thread thread(Runnable loop, String name) {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        Thread thread = new Thread(group, loop, name, 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(null);
        return thread;
    }

    private static void open() {
        // Once, so that it is linked when there is no memory for that.
        LockSupport.parkNanos(1);
        while (true) {
            long number = Native.waitForForeign();
            while (!isOpened(number)) {
                // The memory is at its end. Nobody else would look after this tree.
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    /** A method of its own: between two trees it holds none. */
    private static boolean isOpened(long number) {
        try {
            WeakReference<Tree> reference = Tree.TREES.get(number);
            Tree tree = reference == null ? null : reference.get();
            if (tree != null) {
                deliver(tree);
            }
            return true;
        } catch (Throwable noMemory) {
            return false;
        }
    }

    /**
     * Opens a tree's notices, and leaves what is the user's to the other thread: it may take its time, which neither this thread
     * has nor one that is about to wait. Whoever wants something from a tree has called {@link #ensure}.
     */
    static void deliver(Tree tree) {
        // Without a look at how many there are: only who has polled is told again.
        tree.openNotices().forEach(Delivery::pass);
        if (tree.haveSteps()) {
            // Made before it is listed: there may be no memory for it.
            Runnable telling = () -> {
                tree.isListed.set(false);
                tree.tellSteps();
            };
            if (tree.isListed.compareAndSet(false, true)) {
                pass(telling);
            }
        }
    }

    private static void pass(Runnable users) {
        try {
            USERS.add(users);
        } catch (OutOfMemoryError noRoom) {
            // Late is better than never.
            Tree.run(users);
        }
    }

    private static void tell() {
        while (true) {
            tellNext();
        }
    }

    private static void tellNext() {
        try {
            Tree.run(USERS.take());
        } catch (Throwable interruptedOrNoMemory) {
            // By a listener, which has no right to end this thread; nor has a moment without memory.
        }
    }
}
