package org.queuecore;

import java.util.HashMap;
import java.util.Map;

/**
 * Who waits on a meter. Native code tells what was waited for by a notice in the tree's mailbox ({@link Tree}); the threads
 * stand here, in Java, so that they can be interrupted, and a virtual one gives up its carrier. None of them runs what is the
 * user's on its way into a wait or out of it: its time is its own.
 */
final class Waiting {
    /** What {@link Native#reserve} answers. */
    private static final int COUNTED = 0;
    private static final int IN_LINE = 1;

    private final MemoryUsage meter;
    private final Tree tree;
    private final long handle;
    private final long mailbox;
    /** What is asked for now, by percent. Guarded by itself. */
    private final Map<Integer, Space> spaces = new HashMap<>(2);

    Waiting(MemoryUsage meter, Tree tree, long handle, long mailbox) {
        this.meter = meter;
        this.tree = tree;
        this.handle = handle;
        this.mailbox = mailbox;
    }

    /** Waits until every level is below a percent: see {@link MemoryUsage#waitForSpace(long, int)}. */
    boolean forSpace(long timeoutMillis, int percent) throws InterruptedException {
        Space space = space(percent);
        if (space == null) {
            return true;
        }
        boolean come = false;
        try {
            come = space.await(timeoutMillis);
        } finally {
            if (!come) {
                giveUp(percent, space);
            }
        }
        return come && isThere(space);
    }

    /** One fewer waits for it. The last one takes the notice back, so that no crossing looks at it any more. */
    private void giveUp(int percent, Space space) {
        try {
            synchronized (spaces) {
                space.users--;
                if (space.users == 0 && !space.hasCome() && takeBack(space)) {
                    spaces.remove(percent, space);
                }
            }
        } finally {
            Delivery.deliver(tree);
        }
    }

    private boolean isThere(Space space) {
        if (space.isClosed()) {
            throw new IllegalStateException("QC_ERR_DESTROYED: " + meter + " was closed during the wait");
        }
        return space.isThere();
    }

    /** The notice for a percent that is asked for already, or is asked for now; null if there is space. */
    private Space space(int percent) {
        // What has come already is not waited for again.
        Delivery.deliver(tree);
        try {
            synchronized (spaces) {
                Space space = spaces.get(percent);
                // If it has been served, it is on its way: whoever comes now would be told of what was before.
                if (space == null || space.hasCome() || !Native.isInLine(handle, mailbox, space.asked[0])) {
                    spaces.values().removeIf(Space::hasCome);
                    space = ask(percent);
                }
                if (space != null) {
                    space.users++;
                }
                return space;
            }
        } finally {
            Delivery.deliver(tree);
        }
    }

    private Space ask(int percent) {
        Space space = expected();
        boolean waits = false;
        try {
            waits = Native.notifyWhenBelow(handle, mailbox, percent, space.number, space.asked);
        } finally {
            if (!waits) {
                tree.notices.remove(space.number);
            }
        }
        if (!waits) {
            return null;
        }
        spaces.put(percent, space);
        return space;
    }

    /** A notice that is looked out for, by its number. */
    private Space expected() {
        Delivery.ensure();
        Space space = new Space(Tree.nextNumber());
        tree.notices.put(space.number, space);
        return space;
    }

    /** Has something run when no level is full: see {@link MemoryUsage#notifyCallbackWhenNotFull}. */
    boolean whenNotFull(Runnable callback) {
        while (meter.isFull()) {
            Space space = space(100);
            if (space == null) {
                return false;
            }
            if (space.add(callback)) {
                return true;
            }
            if (!space.isThere()) {
                // It is stopped already: nothing is to come that would run it.
                callback.run();
                return true;
            }
        }
        return false;
    }

    /** Counts more in its turn: see {@link MemoryUsage#reserve}. */
    boolean reserve(long bytes, long timeoutMillis) throws InterruptedException {
        Space turn = expected();
        int outcome = COUNTED;
        try {
            outcome = Native.reserve(handle, mailbox, bytes, turn.number, turn.asked);
        } finally {
            if (outcome == IN_LINE) {
                Delivery.deliver(tree);
            } else {
                tree.notices.remove(turn.number);
                tree.deliver();
            }
        }
        return outcome == COUNTED || outcome == IN_LINE && inLine(turn, timeoutMillis);
    }

    private boolean inLine(Space turn, long timeoutMillis) throws InterruptedException {
        InterruptedException interrupted = null;
        try {
            if (turn.await(timeoutMillis)) {
                return isThere(turn);
            }
        } catch (InterruptedException thrown) {
            interrupted = thrown;
        }
        boolean taken;
        try {
            taken = takeBack(turn);
        } finally {
            Delivery.deliver(tree);
        }
        if (taken) {
            if (interrupted != null) {
                throw interrupted;
            }
            return false;
        }
        // Its turn, or its end, came before it could be taken back. That counts, and is told in a moment.
        boolean again = comeAtLast(turn);
        if (interrupted != null && !turn.isThere()) {
            throw interrupted;
        }
        if (interrupted != null || again) {
            Thread.currentThread().interrupt();
        }
        return isThere(turn);
    }

    /** Takes back what was asked for; false if it has come, or is on its way. The caller looks at the mailbox afterwards. */
    private boolean takeBack(Space space) {
        boolean taken = false;
        try {
            taken = Native.takeBack(handle, mailbox, space.asked);
        } catch (IllegalStateException closed) {
            // Its end was told, or is being told.
        }
        if (taken) {
            tree.notices.remove(space.number);
        }
        return taken;
    }

    /** Waits for what is sure to come. Answers whether the thread was interrupted meanwhile. */
    private static boolean comeAtLast(Space turn) {
        boolean interrupted = false;
        while (true) {
            try {
                turn.await(-1);
                return interrupted;
            } catch (InterruptedException thrown) {
                interrupted = true;
            }
        }
    }
}
