package org.queuecore;

import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the meters of one tree share: the native mailbox, and the duty to deliver what comes into it.
 *
 * <p>Native code never calls Java. It puts percent steps and notices into the mailbox, and whoever returns from a native
 * call looks ({@link #deliver}): one read of a word, as a rule. Notices are told at once, by any thread. Steps are told by
 * one thread at a time, so that each meter's chain keeps its order; whoever finds somebody at it leaves a mark, and that one
 * looks again. What threads bring about that are not Java's is told by a thread of its own, see {@link Delivery}.
 */
final class Tree {
    private static final System.Logger LOG = System.getLogger("org.queuecore");
    static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Map<Long, WeakReference<Tree>> TREES = new ConcurrentHashMap<>();
    private static final int BATCH = 32;

    final long number = nextNumber();
    /** By tag. */
    final Map<Long, WeakReference<MemoryUsage>> meters = new ConcurrentHashMap<>();
    /** By number. */
    final Map<Long, Space> notices = new ConcurrentHashMap<>();
    /** By number: those on a meter of this tree. They are told as notices are, any number of times. */
    final Map<Long, WeakReference<Cursor>> cursors = new ConcurrentHashMap<>();
    private final Mailbox mailbox = new Mailbox(number);
    /** Where the words stand that say how many steps and how many notices wait. */
    private int pending;
    /** How often somebody wanted steps to be delivered since the one who is at it looked last. */
    private final AtomicInteger wanted = new AtomicInteger();

    /** A number that nothing else in the process has. */
    static long nextNumber() {
        return NUMBERS.incrementAndGet();
    }

    Tree() {
        // Before there is a mailbox, so that nothing can come in between.
        CLEANER.register(this, mailbox);
        TREES.put(number, new WeakReference<>(this));
    }

    /** Takes over the mailbox that came with the root. */
    void open(long mailbox, int pending) {
        this.mailbox.address = mailbox;
        this.pending = pending;
    }

    /** The native mailbox, or 0 before there is one. */
    long mailbox() {
        return mailbox.address;
    }

    /** Delivers what has happened, if anything has. For every thread that comes back from a native call on the tree. */
    void deliver() {
        if (Region.getLong(pending + Long.BYTES) != 0) {
            deliverNotices();
        }
        if (Region.getLong(pending) != 0 && wanted.getAndIncrement() == 0) {
            deliverSteps();
        }
    }

    private void deliverNotices() {
        long[] happened = new long[2 * BATCH];
        int count;
        while ((count = Native.poll(mailbox.address, false, happened)) > 0) {
            for (int i = 0; i < 2 * count; i += 2) {
                Space space = notices.remove(happened[i]);
                if (space != null) {
                    space.come((int) happened[i + 1]);
                } else {
                    tellReady(happened[i]);
                }
            }
        }
    }

    private void tellReady(long number) {
        WeakReference<Cursor> reference = cursors.get(number);
        Cursor cursor = reference == null ? null : reference.get();
        if (cursor != null) {
            cursor.tellReady();
        }
    }

    private void deliverSteps() {
        long[] happened = new long[2 * BATCH];
        int missed = 1;
        boolean done = false;
        try {
            do {
                int count;
                while ((count = Native.poll(mailbox.address, true, happened)) > 0) {
                    for (int i = 0; i < 2 * count; i += 2) {
                        tell(happened[i], happened[i + 1]);
                    }
                }
                missed = wanted.addAndGet(-missed);
            } while (missed != 0);
            done = true;
        } finally {
            if (!done) {
                wanted.set(0);
            }
        }
    }

    private void tell(long tag, long step) {
        WeakReference<MemoryUsage> reference = meters.get(tag);
        MemoryUsage meter = reference == null ? null : reference.get();
        if (meter != null) {
            meter.fire((int) (step >> 32), (int) step);
        }
    }

    /** Runs what is the user's. What it throws harms nobody else. */
    static void run(Runnable theirs) {
        try {
            theirs.run();
        } catch (Throwable thrown) {
            LOG.log(Level.WARNING, "a listener or callback threw", thrown);
        }
    }

    /** What ends with the tree. */
    private static final class Mailbox implements Runnable {
        private final long tree;
        private long address;

        Mailbox(long tree) {
            this.tree = tree;
        }

        @Override
        public void run() {
            TREES.remove(tree);
            Native.releaseMailbox(address);
        }
    }

    /** The thread that delivers what others than Java threads have brought about. It starts when somebody first listens. */
    static final class Delivery {
        static {
            Thread thread = new Thread(Delivery::loop, "queuecore-delivery");
            thread.setDaemon(true);
            // It is nobody's in particular.
            thread.setContextClassLoader(null);
            thread.start();
        }

        private Delivery() {
        }

        /** Starts it, once. */
        static void ensure() {
            // The initialiser has run by now.
        }

        private static void loop() {
            while (true) {
                WeakReference<Tree> reference = TREES.get(Native.waitForForeign());
                Tree tree = reference == null ? null : reference.get();
                if (tree != null) {
                    run(tree::deliver);
                }
            }
        }
    }
}
