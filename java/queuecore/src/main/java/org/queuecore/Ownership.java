package org.queuecore;

/**
 * A meter's native tracker, and the hold on its memory. The tracker ends when the meter is closed; the hold when no thread can
 * look at the memory any more: when the collector has found the meter, which runs this.
 */
final class Ownership implements Runnable {
    private final Tree tree;
    private final long tag;
    private long handle;
    private long hold;
    private boolean destroyed;

    /** Owns nothing yet. */
    Ownership(Tree tree, long tag) {
        this.tree = tree;
        this.tag = tag;
    }

    /** Takes over what was made. */
    synchronized void open(long handle, long hold) {
        this.handle = handle;
        this.hold = hold;
    }

    synchronized boolean isDestroyed() {
        return destroyed;
    }

    /** Ends the tracker, once. */
    void destroy(long mailbox) {
        long ending;
        synchronized (this) {
            if (destroyed) {
                return;
            }
            destroyed = true;
            ending = handle;
        }
        Native.destroy(ending, mailbox);
    }

    /** Without a mailbox, so that the delivery thread tells what follows, and not the cleaner's. */
    @Override
    public void run() {
        tree.meters.remove(tag);
        try {
            destroy(0);
        } finally {
            Native.releaseHold(hold, 0);
            Room.released();
        }
    }
}
