package org.queuecore;

import java.lang.ref.Reference;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Histories of one thread that share a hash seed, a limit on bytes, a cache of blocks and their collection: for a broker with
 * thousands of queues on a thread, most of them idle.
 *
 * <pre>{@code
 * try (HistoryGroup group = new HistoryGroup(new HistoryGroupOptions().limitBytes(1L << 30));
 *         History orders = new History(new HistoryOptions().group(group))) {
 *     ...
 *     group.gcMany(now, 10_000);                  // from a timer of that thread
 * }
 * }</pre>
 *
 * <p>The group and its histories take one thread at a time <em>together</em>: of calls that overlap one throws {@link
 * java.util.ConcurrentModificationException}. Handing all of them to another thread, with synchronisation, is fine. After {@link #close()}
 * every method throws {@link IllegalStateException}.
 *
 * <p>A history that nobody closed is ended by the next call on its group after the collector has found it, a group that
 * nobody closed by the collector, with its histories.
 */
public final class HistoryGroup implements AutoCloseable {
    private final Shared shared = new Shared();
    private final Desk desk = new Desk(0);
    private final long handle;

    /**
     * Makes an empty group.
     *
     * @param options its settings, which are copied
     * @throws IllegalArgumentException if one is outside its range
     * @throws OutOfMemoryError if there is no memory for it
     * @throws QueuecoreException if the limit is too small for the group itself
     */
    public HistoryGroup(HistoryGroupOptions options) {
        // Before there is anything to own, so that nothing can come in between.
        Tree.CLEANER.register(this, shared);
        handle = NativeHistory.groupCreate(options.settings());
        shared.open(handle);
    }

    /**
     * Collects what has expired in all histories, round robin. Those that have nothing to collect cost nothing, however many
     * they are. The time counts as told to all.
     *
     * @param nowNanos the present, by the clock of all histories, -2<sup>62</sup> to 2<sup>62</sup>
     * @param max the most steps to take in all; negative for no limit
     * @return how many entries were removed, and whether another call would find work at once
     * @throws IllegalArgumentException if the time is out of its range or too far ahead
     */
    public Collected gcMany(long nowNanos, long max) {
        try {
            shared.endAbandoned();
            long collected = NativeHistory.groupGcMany(handle, desk.address, nowNanos, max);
            return new Collected(collected, desk.answer(0) != 0);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Sets the largest time that the group was told, forward or back: the way on after a true jump of the clock. After a jump
     * back each history has to be told as well ({@link History#clockReset}).
     *
     * @param nowNanos the present, -2<sup>62</sup> to 2<sup>62</sup>
     * @throws IllegalArgumentException if it is out of its range
     */
    public void clockReset(long nowNanos) {
        try {
            NativeHistory.groupClockReset(handle, nowNanos);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The figures of the group.
     *
     * @return the figures now
     */
    public HistoryGroupStats getStats() {
        try {
            shared.endAbandoned();
            NativeHistory.groupStats(handle, desk.address);
            return HistoryGroupStats.of(desk.answers(HistoryGroupStats.FIGURES));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The group as other languages of this process know it: a {@code qc_history_group *}. It is good until {@link #close()},
     * and only while this object is reachable.
     *
     * @return the handle
     */
    public long nativeHandle() {
        return handle;
    }

    /**
     * Ends the group, which has to be empty. Once closed, it does nothing.
     *
     * @throws IllegalStateException if it still has histories; nothing was done
     * @throws java.util.ConcurrentModificationException if a call on it or on one of its histories is running; nothing was
     *     done
     */
    @Override
    public void close() {
        try {
            shared.close();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** What its histories know of it. */
    Shared shared() {
        return shared;
    }

    /** Its handle, for a history that is to join. */
    long toJoin() {
        shared.endAbandoned();
        return handle;
    }

    /** What ends with the group. It does not keep the group itself alive; its histories do. */
    static final class Shared implements Runnable {
        private final Set<Long> histories = new HashSet<>();
        /** Histories whose objects the collector has found. */
        private final Queue<Long> abandoned = new ConcurrentLinkedQueue<>();
        private long handle;
        private boolean destroyed = true;

        synchronized void open(long handle) {
            this.handle = handle;
            destroyed = false;
        }

        synchronized void joined(long history) {
            histories.add(history);
        }

        synchronized void left(long history) {
            histories.remove(history);
        }

        /** A history ends with the next call of the thread that uses the group. */
        void abandon(long history) {
            abandoned.add(history);
        }

        /** By that thread. */
        void endAbandoned() {
            Long history;
            while ((history = abandoned.peek()) != null) {
                end(history);
            }
        }

        private synchronized void end(Long history) {
            // It may be gone, if two threads call at once, or the group is.
            if (histories.contains(history)) {
                NativeHistory.destroy(history);
                histories.remove(history);
            }
            abandoned.remove(history);
        }

        synchronized void close() {
            if (!destroyed) {
                endAbandoned();
                NativeHistory.groupDestroy(handle);
                destroyed = true;
            }
        }

        /** The collector has found the group, and with it all its histories: nobody can call any more. */
        @Override
        public synchronized void run() {
            if (!destroyed) {
                destroyed = true;
                histories.forEach(NativeHistory::destroy);
                histories.clear();
                NativeHistory.groupDestroy(handle);
            }
        }
    }
}
