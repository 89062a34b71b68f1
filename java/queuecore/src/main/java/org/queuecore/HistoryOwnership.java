package org.queuecore;

/** A native history, which ends once: when it is closed, or else when the collector has found its object and runs this. */
final class HistoryOwnership implements Runnable {
    /** What it shares with others, or null. */
    private final HistoryGroup.Shared group;
    private long handle;
    private boolean destroyed = true;

    HistoryOwnership(HistoryGroup.Shared group) {
        this.group = group;
    }

    /** Takes over what was made. */
    synchronized void open(long handle) {
        this.handle = handle;
        destroyed = false;
        if (group != null) {
            group.joined(handle);
        }
    }

    /** Ends the history, unless a call on it is running. */
    synchronized void destroy() {
        if (destroyed) {
            return;
        }
        NativeHistory.destroy(handle);
        destroyed = true;
        if (group != null) {
            group.left(handle);
        }
    }

    /** In a group the cleaner's thread must not interfere with the one that calls. */
    @Override
    public synchronized void run() {
        if (group == null) {
            destroy();
        } else if (!destroyed) {
            destroyed = true;
            group.abandon(handle);
        }
    }
}
