package org.queuecore;

import java.lang.ref.Reference;

/**
 * What the {@link Cursor}s below one parent meter share: the parent's level, loans by the guaranteed share, and the division of
 * the parent's limit. An idle queue that sits on the memory must not starve the rest: one with nothing in memory may take a
 * page whatever others hold, in turns.
 *
 * <p>All methods may be called by any thread at any time. After {@link #close()}, or when the collector has found it, its cursors
 * keep the native group and go on as before.
 */
public final class CursorGroup implements AutoCloseable {
    private final MemoryUsage parent;
    private final Handle owned = new Handle();
    private final long handle;

    /**
     * Makes a group that lends up to 10 % of the parent's limit and does not divide it.
     *
     * @param parent the meter above those of the cursors
     * @throws IllegalStateException if it is closed
     */
    public CursorGroup(MemoryUsage parent) {
        this(parent, false, 0);
    }

    /**
     * Makes a group.
     *
     * @param parent the meter above those of the cursors
     * @param dividesLimit whether the parent's limit is divided evenly among the meters of the cursors, anew whenever one comes
     *     or goes; those have to be children of the parent
     * @param maxLentBytes the most bytes on loan by the guaranteed share, up to 2<sup>62</sup>; 0 for 10 % of the parent's limit
     * @throws IllegalArgumentException if {@code maxLentBytes} is out of its range
     * @throws IllegalStateException if the parent is closed
     */
    public CursorGroup(MemoryUsage parent, boolean dividesLimit, long maxLentBytes) {
        this.parent = parent;
        // Before there is anything to own, so that nothing can come in between.
        Tree.CLEANER.register(this, owned);
        handle = NativeCursor.groupCreate(parent.nativeHandle(), parent.tree().mailbox(), dividesLimit, maxLentBytes);
        owned.open(handle);
        Reference.reachabilityFence(parent);
    }

    /**
     * The parent meter.
     *
     * @return what the group was made with
     */
    public MemoryUsage getParent() {
        return parent;
    }

    /**
     * The figures of the group.
     *
     * @return the figures now
     * @throws IllegalStateException if it is closed
     */
    public CursorGroupStats getStats() {
        try {
            long[] figures = new long[CursorGroupStats.FIGURES];
            NativeCursor.groupStats(handle, figures);
            return CursorGroupStats.of(figures);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The group as other languages of this process know it: a {@code qc_cursor_group *}. It is good until {@link #close()}, and
     * only while this object is reachable.
     *
     * @return the handle
     */
    public long nativeHandle() {
        return handle;
    }

    /** Ends the group for new cursors; those that it has go on. Once closed, it does nothing. */
    @Override
    public void close() {
        owned.run();
    }

    /** The native handle, which ends once. */
    private static final class Handle implements Runnable {
        private long handle;

        synchronized void open(long handle) {
            this.handle = handle;
        }

        @Override
        public synchronized void run() {
            if (handle != 0) {
                NativeCursor.groupDestroy(handle, 0);
                handle = 0;
            }
        }
    }
}
