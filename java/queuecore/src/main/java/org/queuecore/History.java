package org.queuecore;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.UUID;

/**
 * An insertion-ordered map of live messages and the history of those that left it lately, which recognises duplicates. A
 * dispatcher inserts each message's key as it arrives and erases it when the message is acknowledged; for a window from its
 * insert on, a key that comes again is a duplicate. Expired keys are collected a few at a time, so that no call ever pays for many.
 *
 * <pre>{@code
 * try (History history = new History(new HistoryOptions().windowNanos(TimeUnit.MINUTES.toNanos(5)))) {
 *     if (history.insert(high, low, now, now) == InsertOutcome.ADDED) {
 *         long entry = history.lastEntry();
 *         ...
 *         history.erase(entry, later);
 *     }
 * }
 * }</pre>
 *
 * <p><b>Keys</b> are 16 bytes. Their two halves are the bytes read as big-endian numbers, as {@link java.util.UUID} has them.
 *
 * <p><b>Entries</b> are numbers that name live entries, 0 for none. One that is not live any more is refused with {@link
 * IllegalStateException} and never comes to mean another one.
 *
 * <p><b>Times</b> are ns of one monotonic clock of the caller's, from any origin, -2<sup>62</sup> to 2<sup>62</sup>. A present
 * smaller than the largest one seen counts as that one. One that is out of range or more than {@code maxClockStepNanos} ahead is
 * refused with {@link IllegalArgumentException}.
 *
 * <p><b>Values</b> are {@code valueSize} bytes with each live entry, copied in and out. Buffers for them may be of any kind, and
 * their positions and limits stay as they are.
 *
 * <p><b>Threads</b>: one at a time; handing it over with synchronisation is fine. Of calls that overlap one throws {@link
 * java.util.ConcurrentModificationException}, and has changed no entry. That is there to find the mistake, and no lock: the other
 * one may come upon its value, or its answer. With a group that holds for all its histories together. After {@link #close()} every
 * method throws {@link IllegalStateException}.
 *
 * <p>Memory is native: {@link HistoryStats#bytesInUse()}. A call for which there is none throws {@link OutOfMemoryError}, one at
 * a limit {@link QueuecoreException}. What throws has changed nothing, unless it says otherwise. Each call crosses into
 * native code, for some 10 ns: {@link HistoryBatch} is for many at a time. Constant time at any size, unless a method says
 * otherwise. What stands in {@code docs/history.md} holds here.
 */
public final class History implements AutoCloseable {
    final HistoryOwnership ownership;
    /** Its histories keep it alive. */
    private final HistoryGroup group;
    private final int valueSize;
    private final Desk desk;
    private final long deskAddress;
    private final long handle;

    /**
     * Makes an empty history.
     *
     * @param options its settings, which are copied
     * @throws IllegalArgumentException if a setting is outside its range
     * @throws OutOfMemoryError if there is no memory for it
     * @throws QueuecoreException if its group is at its limit
     * @throws IllegalStateException if its group is closed
     * @throws UnsatisfiedLinkError if the native libraries are not found: see {@link NativeLibrary}
     */
    public History(HistoryOptions options) {
        long[] settings = options.settings();
        group = options.group();
        ownership = new HistoryOwnership(group == null ? null : group.shared());
        // Before there is anything to own, so that nothing can come in between.
        Tree.CLEANER.register(this, ownership);
        handle = NativeHistory.create(settings, group == null ? 0 : group.toJoin());
        ownership.open(handle);
        valueSize = (int) settings[0];
        desk = new Desk(valueSize);
        deskAddress = desk.address;
    }

    /**
     * Inserts a message unless its key is live or in the history: duplicate check and insert in one probe. What a primary
     * calls. Before it looks it collects, as the policy says. A new entry has a value of zeros.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param insertedAtNanos the time from which the window runs, at most the present
     * @param nowNanos the present
     * @return what it did; {@link #lastEntry()} has the entry
     * @throws IllegalArgumentException if the insert time is later than the present
     * @throws QueuecoreException if {@code maxEntries} is reached and nothing that has expired was found
     */
    public InsertOutcome insert(long high, long low, long insertedAtNanos, long nowNanos) {
        try {
            return InsertOutcome.of(NativeHistory.insert(handle, deskAddress, high, low, 0, insertedAtNanos, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * As {@link #insert(long, long, long, long)}, with a value.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param value a buffer whose bytes from its position on are the value
     * @param insertedAtNanos the time from which the window runs, at most the present
     * @param nowNanos the present
     * @return what it did
     * @throws IllegalArgumentException if {@code value} has not {@code valueSize} bytes from its position to its limit
     */
    public InsertOutcome insert(long high, long low, ByteBuffer value, long insertedAtNanos, long nowNanos) {
        try {
            putValue(value);
            return InsertOutcome.of(
                    NativeHistory.insert(handle, deskAddress, high, low, valueSize, insertedAtNanos, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * As {@link #insert(long, long, long, long)}, with a value of 8 bytes.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param value the value, kept in the machine's order of bytes
     * @param insertedAtNanos the time from which the window runs, at most the present
     * @param nowNanos the present
     * @return what it did
     * @throws IllegalArgumentException if {@code valueSize} is not 8
     */
    public InsertOutcome insertLong(long high, long low, long value, long insertedAtNanos, long nowNanos) {
        try {
            checkLongValue(valueSize);
            desk.putLongValue(value);
            return InsertOutcome.of(
                    NativeHistory.insert(handle, deskAddress, high, low, valueSize, insertedAtNanos, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * As {@link #insert(long, long, long, long)}, but a key that is in the history becomes live again, last in the live order.
     * What a replica, a proxy or a recovery calls. The outcome is never {@link InsertOutcome#DUPLICATE_HISTORY}.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param insertedAtNanos the time from which the window runs, at most the present
     * @param nowNanos the present
     * @return what it did; {@link #lastEntry()} has the entry
     */
    public InsertOutcome readmit(long high, long low, long insertedAtNanos, long nowNanos) {
        try {
            return InsertOutcome.of(NativeHistory.readmit(handle, deskAddress, high, low, 0, insertedAtNanos, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * As {@link #readmit(long, long, long, long)}, with a value.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param value a buffer whose bytes from its position on are the value
     * @param insertedAtNanos the time from which the window runs, at most the present
     * @param nowNanos the present
     * @return what it did
     * @throws IllegalArgumentException if {@code value} has not {@code valueSize} bytes from its position to its limit
     */
    public InsertOutcome readmit(long high, long low, ByteBuffer value, long insertedAtNanos, long nowNanos) {
        try {
            putValue(value);
            return InsertOutcome.of(
                    NativeHistory.readmit(handle, deskAddress, high, low, valueSize, insertedAtNanos, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * As {@link #readmit(long, long, long, long)}, with a value of 8 bytes.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param value the value, kept in the machine's order of bytes
     * @param insertedAtNanos the time from which the window runs, at most the present
     * @param nowNanos the present
     * @return what it did
     * @throws IllegalArgumentException if {@code valueSize} is not 8
     */
    public InsertOutcome readmitLong(long high, long low, long value, long insertedAtNanos, long nowNanos) {
        try {
            checkLongValue(valueSize);
            desk.putLongValue(value);
            return InsertOutcome.of(
                    NativeHistory.readmit(handle, deskAddress, high, low, valueSize, insertedAtNanos, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The entry of the last single insert or readmit that returned: the one that was added, or was there. No native call.
     *
     * @return the entry; 0 if it was {@link InsertOutcome#DUPLICATE_HISTORY}, or there was none
     */
    public long lastEntry() {
        return desk.entry();
    }

    /**
     * Inserts all keys of a batch in their order, with their cache misses overlapped. The batch gets outcomes and entries.
     *
     * <p>It stops at the first key that fails and throws what that one would. Those before it are done and stay done: {@link
     * HistoryBatch#done()} of them. {@link #insertBatch(HistoryBatch, int, long)} can go on behind it.
     *
     * @param batch keys, insert times and, unless its {@code valueSize} is 0, values
     * @param nowNanos the present
     * @throws IllegalArgumentException also if the batch has values of another size
     */
    public void insertBatch(HistoryBatch batch, long nowNanos) {
        insertBatch(batch, 0, nowNanos);
    }

    /**
     * As {@link #insertBatch(HistoryBatch, long)}, for the keys from an index on.
     *
     * @param batch keys, insert times and, unless its {@code valueSize} is 0, values
     * @param from the first index, up to the number of keys
     * @param nowNanos the present
     */
    public void insertBatch(HistoryBatch batch, int from, long nowNanos) {
        int count = part(batch, from, batch.keys());
        try {
            NativeHistory.insertBatch(handle, batch.address, batch.capacity(), from, count, batch.valueSize(), nowNanos);
        } finally {
            fence(batch);
        }
    }

    /**
     * Re-admits all keys of a batch in their order. All else as for {@link #insertBatch(HistoryBatch, long)}.
     *
     * @param batch keys, insert times and, unless its {@code valueSize} is 0, values
     * @param nowNanos the present
     */
    public void readmitBatch(HistoryBatch batch, long nowNanos) {
        readmitBatch(batch, 0, nowNanos);
    }

    /**
     * As {@link #readmitBatch(HistoryBatch, long)}, for the keys from an index on.
     *
     * @param batch keys, insert times and, unless its {@code valueSize} is 0, values
     * @param from the first index, up to the number of keys
     * @param nowNanos the present
     */
    public void readmitBatch(HistoryBatch batch, int from, long nowNanos) {
        int count = part(batch, from, batch.keys());
        try {
            NativeHistory.readmitBatch(handle, batch.address, batch.capacity(), from, count, batch.valueSize(), nowNanos);
        } finally {
            fence(batch);
        }
    }

    /**
     * Tells for all keys of a batch whether they are live, historical or neither; {@link HistoryBatch#presence} has the
     * answers.
     *
     * @param batch the keys
     * @param nowNanos the present
     */
    public void containsBatch(HistoryBatch batch, long nowNanos) {
        try {
            NativeHistory.containsBatch(handle, batch.address, batch.capacity(), 0, batch.keys(), nowNanos);
        } finally {
            fence(batch);
        }
    }

    /**
     * Erases all entries of a batch in their order; {@link HistoryBatch#erasure} has the answers. It stops at the first one that
     * fails, as {@link #insertBatch(HistoryBatch, long)} does.
     *
     * @param batch the entries
     * @param nowNanos the present
     */
    public void eraseBatch(HistoryBatch batch, long nowNanos) {
        eraseBatch(batch, 0, nowNanos);
    }

    /**
     * As {@link #eraseBatch(HistoryBatch, long)}, for the entries from an index on.
     *
     * @param batch the entries
     * @param from the first index, up to the number of entries
     * @param nowNanos the present
     */
    public void eraseBatch(HistoryBatch batch, int from, long nowNanos) {
        int count = batch.entries();
        checkFrom(from, count);
        try {
            NativeHistory.eraseBatch(handle, batch.address, batch.capacity(), from, count, nowNanos);
        } finally {
            fence(batch);
        }
    }

    /**
     * Removes a live entry and leaves no trace of it: the undo of an insert whose store write failed, so that the producer's
     * retry is added.
     *
     * @param entry the live entry
     * @throws IllegalStateException if it is not live
     */
    public void forget(long entry) {
        try {
            NativeHistory.forget(handle, entry);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Removes a key, live or historical, and leaves no trace of it.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @throws java.util.NoSuchElementException if it is neither
     */
    public void forgetKey(long high, long low) {
        try {
            NativeHistory.forgetKey(handle, high, low);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Erases a live entry: its message is acknowledged. It leaves the live order, and its key is remembered until its window
     * ends.
     *
     * @param entry the live entry
     * @param nowNanos the present
     * @return what is left behind
     * @throws IllegalStateException if it is not live
     * @throws QueuecoreException if {@code maxHistory} is reached, with {@link HistoryOptions.Overflow#REJECT}
     */
    public Erasure erase(long entry, long nowNanos) {
        try {
            return Erasure.of(NativeHistory.erase(handle, entry, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * As {@link #erase}, for the live entry of a key.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param nowNanos the present
     * @return what is left behind
     * @throws java.util.NoSuchElementException if the key is not live
     * @throws QueuecoreException if {@code maxHistory} is reached, with {@link HistoryOptions.Overflow#REJECT}
     */
    public Erasure eraseKey(long high, long low, long nowNanos) {
        try {
            return Erasure.of(NativeHistory.eraseKey(handle, high, low, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Finds the live entry of a key.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @return the entry, or 0 if the key is not live
     */
    public long find(long high, long low) {
        try {
            return NativeHistory.find(handle, high, low);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Tells whether a key is live, historical or neither. A live key is live at any age.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param nowNanos the present
     * @return what is known of it
     */
    public Presence contains(long high, long low, long nowNanos) {
        try {
            return Presence.of(NativeHistory.contains(handle, high, low, nowNanos));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    // ---- the live order, and what belongs to an entry ----

    /**
     * The oldest live entry. To erase while walking, ask for the next one first.
     *
     * @return the entry, or 0 if none is live
     */
    public long first() {
        try {
            return NativeHistory.first(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The newest live entry.
     *
     * @return the entry, or 0 if none is live
     */
    public long last() {
        try {
            return NativeHistory.last(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The live entry that was inserted after another one.
     *
     * @param entry a live entry
     * @return the next one, or 0 if it is the last
     * @throws IllegalStateException if it is not live
     */
    public long next(long entry) {
        try {
            return NativeHistory.next(handle, entry);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The live entry that was inserted before another one.
     *
     * @param entry a live entry
     * @return the one before, or 0 if it is the first
     * @throws IllegalStateException if it is not live
     */
    public long previous(long entry) {
        try {
            return NativeHistory.prev(handle, entry);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The live entry that was inserted after that of a key: goes on where a walk stopped.
     *
     * @param high the first 8 bytes of a live key
     * @param low the last 8 bytes
     * @return the next one, or 0 if it is the last
     * @throws java.util.NoSuchElementException if the key is not live
     */
    public long nextFrom(long high, long low) {
        try {
            return NativeHistory.nextFrom(handle, high, low);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Walks the live order in one crossing for many: fills a batch with the keys, insert times and entries behind an entry.
     *
     * @param after a live entry, or 0 to begin with the oldest
     * @param batch what to fill; its keys are replaced
     * @return how many there are in it now; fewer than its capacity means that the walk is over
     * @throws IllegalStateException if {@code after} is neither live nor 0
     */
    public int walk(long after, HistoryBatch batch) {
        try {
            batch.shown(NativeHistory.walk(handle, batch.address, batch.capacity(), after));
            return batch.keys();
        } finally {
            fence(batch);
        }
    }

    /**
     * The key of a live entry.
     *
     * @param entry the entry
     * @return its key
     * @throws IllegalStateException if it is not live
     */
    public UUID key(long entry) {
        try {
            NativeHistory.entryInfo(handle, deskAddress, entry);
            return new UUID(desk.answer(0), desk.answer(1));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The insert time of a live entry.
     *
     * @param entry the entry
     * @return the time in ns, rounded down to a multiple of the resolution
     * @throws IllegalStateException if it is not live
     */
    public long insertedAtNanos(long entry) {
        try {
            NativeHistory.entryInfo(handle, deskAddress, entry);
            return desk.answer(2);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Copies the value of a live entry.
     *
     * @param entry the entry
     * @param into where to, from its position on
     * @throws IllegalStateException if it is not live
     * @throws IllegalArgumentException if {@code into} has fewer than {@code valueSize} bytes from its position to its limit
     * @throws ReadOnlyBufferException if it is read-only
     */
    public void getValue(long entry, ByteBuffer into) {
        checkRoom(into.remaining() >= valueSize, into);
        if (into.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
        try {
            NativeHistory.getValue(handle, deskAddress, entry, valueSize);
            desk.getValue(into, valueSize);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The value of a live entry, of 8 bytes.
     *
     * @param entry the entry
     * @return its value
     * @throws IllegalStateException if it is not live
     * @throws IllegalArgumentException if {@code valueSize} is not 8
     */
    public long getLongValue(long entry) {
        checkLongValue(valueSize);
        try {
            NativeHistory.getValue(handle, deskAddress, entry, valueSize);
            return desk.longValue();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Replaces the value of a live entry.
     *
     * @param entry the entry
     * @param value a buffer whose bytes from its position on are the value
     * @throws IllegalStateException if it is not live
     * @throws IllegalArgumentException if {@code value} has not {@code valueSize} bytes from its position to its limit
     */
    public void setValue(long entry, ByteBuffer value) {
        try {
            putValue(value);
            NativeHistory.setValue(handle, deskAddress, entry, valueSize);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Replaces the value of a live entry, of 8 bytes.
     *
     * @param entry the entry
     * @param value its value
     * @throws IllegalStateException if it is not live
     * @throws IllegalArgumentException if {@code valueSize} is not 8
     */
    public void setLongValue(long entry, long value) {
        checkLongValue(valueSize);
        try {
            desk.putLongValue(value);
            NativeHistory.setValue(handle, deskAddress, entry, valueSize);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    // ---- upkeep ----

    /**
     * How many entries are live.
     *
     * @return the number
     */
    public long liveLen() {
        try {
            return NativeHistory.liveLen(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * How many historical entries are held, expired ones that are not collected yet included.
     *
     * @return the number
     */
    public long historyLen() {
        try {
            return NativeHistory.historyLen(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Collects expired entries, the oldest first. For a timer, if the history may be idle. Time in proportion to the steps.
     *
     * @param nowNanos the present
     * @param max the most steps to take; negative for no limit
     * @return how many entries were removed, and whether another call would find work at once
     */
    public Collected gc(long nowNanos, long max) {
        try {
            long collected = NativeHistory.gc(handle, deskAddress, nowNanos, max);
            return new Collected(collected, desk.answer(0) != 0);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Erases every live entry, as {@link #erase} does: the purge of a queue, which keeps its history. Time in proportion to the
     * live entries.
     *
     * @param nowNanos the present
     * @return how many
     * @throws QueuecoreException if they do not all fit under {@code maxHistory}, with {@link
     *     HistoryOptions.Overflow#REJECT}
     */
    public long eraseAllLive(long nowNanos) {
        try {
            return NativeHistory.eraseAllLive(handle, nowNanos);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Forgets everything, live and historical, and gives its memory back. Time in proportion to the memory held. */
    public void clear() {
        try {
            NativeHistory.clear(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Forgets some entries, live ones first, the oldest first: {@link #clear} in steps. Time in proportion to the steps.
     *
     * @param max the most steps to take; negative for no limit
     * @return how many entries were forgotten, and whether any are left
     */
    public Collected clearStep(long max) {
        try {
            long collected = NativeHistory.clearStep(handle, deskAddress, max);
            return new Collected(collected, desk.answer(0) != 0);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Changes how long keys are remembered, at once and for all that is stored. What had expired does not come back.
     *
     * @param windowNanos 0 (no history) to 2<sup>62</sup>, rounded up to a multiple of the resolution
     * @throws IllegalArgumentException if it is out of its range
     * @throws QueuecoreException if it was raised 16 times while what had expired before was not collected: call {@link #gc}
     */
    public void setWindow(long windowNanos) {
        try {
            NativeHistory.setWindow(handle, windowNanos);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Sets the largest time seen, forward or back: the way on after a true jump of the clock. Entries keep their insert times.
     *
     * @param nowNanos the present
     * @throws IllegalArgumentException if it is out of its range
     */
    public void clockReset(long nowNanos) {
        try {
            NativeHistory.clockReset(handle, nowNanos);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The figures of the history.
     *
     * @return the figures now
     */
    public HistoryStats getStats() {
        try {
            NativeHistory.stats(handle, deskAddress);
            return HistoryStats.of(desk.answers(HistoryStats.FIGURES));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Begins an iteration over all entries, live and historical, in the order of their inserts. One under way ends. */
    public void iterate() {
        try {
            NativeHistory.iterBegin(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The next entries of the iteration: keys, insert times, and entries, which are 0 for historical ones. Those whose window has
     * ended are left out. Other calls may come in between: an entry that is there all the while comes exactly once, and again
     * each time it is re-admitted after it came. Time in proportion to the capacity of the batch.
     *
     * @param batch what to fill; its keys are replaced. It may get fewer than its capacity, or none, and go on all the same
     * @return whether the iteration goes on
     */
    public boolean iterateNext(HistoryBatch batch) {
        try {
            int shown = NativeHistory.iterNext(handle, batch.address, batch.capacity());
            batch.shown(shown < 0 ? -(shown + 1) : shown);
            return shown >= 0;
        } finally {
            fence(batch);
        }
    }

    /** Begins an export of all entries. One under way ends. */
    public void exportBegin() {
        try {
            NativeHistory.exportBegin(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Writes the next buffer of the export, in the format of {@code docs/history.md}, which {@link #importBuffer} and the other
     * languages read. Other calls may come in between, as for {@link #iterateNext}. Time in proportion to the room.
     *
     * @param buffer a direct buffer; the bytes from its position to its limit are the room, 89 and {@code valueSize} at least.
     *     Its position and limit stay
     * @return how many bytes of it are to be kept, and whether another buffer follows
     * @throws IllegalArgumentException if it is not direct, or too small
     * @throws ReadOnlyBufferException if it is read-only
     * @throws IllegalStateException if no export was begun, or its last buffer was written
     */
    public ExportResult exportNext(ByteBuffer buffer) {
        if (buffer.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
        try {
            touch(buffer);
            NativeHistory.export(handle, deskAddress, buffer, buffer.position(), buffer.remaining());
            return new ExportResult((int) desk.answer(0), (int) desk.answer(1), desk.answer(2) != 0);
        } finally {
            fence(buffer);
        }
    }

    /**
     * Takes in the entries of one buffer of an export, with their original insert times: live ones as by {@link #readmit},
     * historical ones as such. All of it is checked before any of it is taken in. Time in proportion to its length.
     *
     * @param buffer a direct buffer, whose bytes from its position to its limit are one buffer of an export of a history
     *     with the same {@code valueSize}. Its position and limit stay
     * @param nowNanos the present
     * @param shiftNanos added to each insert time: what this history's clock shows more than the exporter's
     * @return what became of the entries
     * @throws IllegalArgumentException if the buffer is not direct, or truncated, changed, foreign or out of its turn; or if
     *     {@code valueSize} is another, or a time does not fit
     * @throws UnsupportedOperationException if it is of a later version of the library
     * @throws QueuecoreException if a limit is reached. Then, as after {@link OutOfMemoryError}, the first entries are in, and
     *     the same buffer can be given again when there is room
     */
    public ImportResult importBuffer(ByteBuffer buffer, long nowNanos, long shiftNanos) {
        try {
            touch(buffer);
            NativeHistory.importBuffer(
                    handle, deskAddress, buffer, buffer.position(), buffer.remaining(), nowNanos, shiftNanos);
            return new ImportResult(desk.answer(0), desk.answer(1), desk.answer(2), desk.answer(3), desk.answer(4),
                    desk.answer(5) != 0);
        } finally {
            fence(buffer);
        }
    }

    /**
     * The history as other languages of this process know it: a {@code qc_history *}, for code that is linked with the same
     * {@code libqueuecore.so}. It is good until {@link #close()}, and only while this object is reachable.
     *
     * @return the handle
     */
    public long nativeHandle() {
        return handle;
    }

    /**
     * Ends the history and gives its memory back. Once closed, it does nothing. Takes time in proportion to the memory held.
     *
     * @throws java.util.ConcurrentModificationException if another thread is inside a call; nothing was done
     */
    @Override
    public void close() {
        try {
            ownership.destroy();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Of a buffer in an arena: throws if that is closed, or another thread's. Native code would not notice. */
    static void touch(ByteBuffer buffer) {
        if (buffer.hasRemaining()) {
            buffer.get(buffer.position());
        }
    }

    static void checkLongValue(int valueSize) {
        if (valueSize != Long.BYTES) {
            throw new IllegalArgumentException("valueSize = " + valueSize + ": a long takes one of 8");
        }
    }

    private void putValue(ByteBuffer value) {
        checkRoom(value.remaining() == valueSize, value);
        desk.putValue(value, valueSize);
    }

    private void checkRoom(boolean isRight, ByteBuffer buffer) {
        if (!isRight) {
            throw new IllegalArgumentException(
                    "the buffer has " + buffer.remaining() + " bytes from its position to its limit; valueSize = " + valueSize);
        }
    }

    private int part(HistoryBatch batch, int from, int count) {
        if (batch.valueSize() != 0 && batch.valueSize() != valueSize) {
            throw new IllegalArgumentException(
                    "the batch has values of " + batch.valueSize() + " bytes; valueSize = " + valueSize);
        }
        return checkFrom(from, count);
    }

    private static int checkFrom(int from, int count) {
        if (from < 0 || from > count) {
            throw new IndexOutOfBoundsException("from = " + from + ": the batch has " + count + " elements");
        }
        return count;
    }

    /** Until here the collector must end neither. */
    private void fence(Object other) {
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(other);
    }
}
