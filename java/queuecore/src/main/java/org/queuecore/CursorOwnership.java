package org.queuecore;

/**
 * A native cursor, and the notes of what it discards. The cursor ends when it is closed; the notes when no thread can look at
 * them any more: when the collector has found the cursor, which runs this.
 */
final class CursorOwnership implements Runnable {
    private final Tree tree;
    private final long number;
    private long handle;
    private long notes;
    private boolean destroyed = true;

    /** Owns nothing yet. */
    CursorOwnership(Tree tree, long number) {
        this.tree = tree;
        this.number = number;
    }

    /** Takes over what was made. */
    synchronized void open(long handle, long notes) {
        this.handle = handle;
        this.notes = notes;
        destroyed = false;
    }

    /** Ends the cursor, once, unless a call on it is running. */
    synchronized void destroy(long mailbox) {
        if (!destroyed) {
            NativeCursor.destroy(handle, mailbox);
            destroyed = true;
            tree.cursors.remove(number);
        }
    }

    /** Without a mailbox, so that the delivery thread tells what follows, and not the cleaner's. */
    @Override
    public void run() {
        tree.cursors.remove(number);
        destroy(0);
        NativeCursor.releaseNotes(notes, 0);
    }
}
