package org.queuecore;

import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the meters of one tree share: the native mailbox, and the duty to deliver what comes into it.
 *
 * <p>Native code never calls Java. It puts percent steps and notices into the mailbox, and whoever returns from a native
 * call looks ({@link #deliver}): one read of a word, as a rule. Notices are told at once, by any thread: first all who wait, then
 * callbacks. Steps are told by one thread at a time, so that each meter's chain keeps its order; whoever finds somebody at it
 * leaves a mark, and that one looks again. What threads bring about that are not Java's is told by threads of their own, see
 * {@link Delivery}.
 */
final class Tree {
    static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicLong NUMBERS = new AtomicLong();
    static final Map<Long, WeakReference<Tree>> TREES = new ConcurrentHashMap<>();
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
    /** Notices that were polled. Its lock is held for no user's code. */
    private final Happened notified = new Happened();
    /** Whether an error has left some there. */
    private volatile boolean areNoticesLeft;
    /** Steps that were polled, for the one who is at it. */
    private final Happened stepped = new Happened();
    private volatile boolean areStepsLeft;
    /** Whether {@link Delivery} is to tell steps already. */
    final AtomicBoolean isListed = new AtomicBoolean();
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
        if (Region.getLong(pending + Long.BYTES) != 0 || areNoticesLeft) {
            openNotices().forEach(Tree::run);
        }
        if (haveSteps()) {
            tellSteps();
        }
    }

    /**
     * Opens the notices that have come: who waits goes on. Nothing of it is the user's, so nobody who waits depends on what a
     * callback does. Answers what is the user's, for the caller to run. If the memory is at its end, what is left is for the
     * next one who comes.
     */
    List<Runnable> openNotices() {
        List<Runnable> users = List.of();
        Throwable thrown = null;
        synchronized (notified) {
            areNoticesLeft = false;
            try {
                do {
                    for (; notified.next < notified.end; notified.next += 2) {
                        Long number = notified.numbers[notified.next];
                        Runnable theirs = open(number, (int) notified.numbers[notified.next + 1]);
                        if (theirs != null) {
                            users = users.isEmpty() ? new ArrayList<>() : users;
                            users.add(theirs);
                        }
                        notices.remove(number);
                    }
                } while (notified.poll(mailbox.address, false));
            } catch (Throwable failed) {
                areNoticesLeft = true;
                thrown = failed;
            }
        }
        if (thrown != null) {
            complain("the end of a wait was put off", thrown);
        }
        return users;
    }

    /** Opens a notice, and answers what is to run then, or null. It may come twice to the same one, after an error. */
    private Runnable open(Long number, int reason) {
        Space space = notices.get(number);
        if (space != null) {
            return space.come(reason) ? space::runCallbacks : null;
        }
        WeakReference<Cursor> reference = cursors.get(number);
        Cursor cursor = reference == null ? null : reference.get();
        return cursor == null ? null : cursor::tellReady;
    }

    /** Whether steps wait to be told. */
    boolean haveSteps() {
        return Region.getLong(pending) != 0 || areStepsLeft;
    }

    /** Tells steps, unless somebody is at it: that one looks again then. */
    void tellSteps() {
        if (wanted.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        try {
            do {
                areStepsLeft = false;
                do {
                    for (; stepped.next < stepped.end; stepped.next += 2) {
                        tell(stepped.numbers[stepped.next], stepped.numbers[stepped.next + 1]);
                    }
                } while (stepped.poll(mailbox.address, true));
                missed = wanted.addAndGet(-missed);
            } while (missed != 0);
        } catch (Throwable thrown) {
            areStepsLeft = true;
            wanted.set(0);
            complain("the telling of listeners was put off", thrown);
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
            complain("a listener or callback threw", thrown);
        }
    }

    private static void complain(String what, Throwable thrown) {
        try {
            // Asked for here and not before: the agent comes first, and a program may choose its log manager in its main method.
            System.getLogger("org.queuecore").log(Level.WARNING, what, thrown);
        } catch (Throwable alsoThrown) {
            // There is nobody else to tell.
        }
    }

    /** What was polled, two numbers each; those before {@code next} are done. */
    private static final class Happened {
        private final long[] numbers = new long[2 * BATCH];
        private int next;
        private int end;

        /** Takes the next ones, once these are done; false if there are none. */
        boolean poll(long mailbox, boolean steps) {
            next = 0;
            end = 0;
            end = 2 * Native.poll(mailbox, steps, numbers);
            return end > 0;
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
}
