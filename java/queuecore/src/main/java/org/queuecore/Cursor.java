package org.queuecore;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.Objects;

/**
 * The window of one store-backed queue that is held in memory: it caches new messages up to a high watermark, takes whole pages
 * from the store when consumers want more, gives messages out in order, and accounts for every byte on a {@link MemoryUsage}. It never
 * reads past a write that is still open, so no message is skipped; and with a {@link CursorGroup} a queue whose shared limit is filled by
 * others still gets a page.
 *
 * <pre>{@code
 * try (Cursor orders = new Cursor(new CursorOptions(), memory, store)) {
 *     orders.onReady(dispatcher::wake);
 *     if (!orders.push(token, sequence, bodyNumber, body.length, 4)) {
 *         bodies.remove(bodyNumber);                     // the store alone has it
 *     }
 *     PullEnd end = orders.pull(32, batch);              // from memory, or a page
 *     ...
 *     orders.ack(batch.sequence(0));
 * }
 * }</pre>
 *
 * <p>The broker owns the messages, their bodies and the store. A cursor knows of each: a <em>token</em>, the broker's number, rising
 * from push to push; a <em>sequence</em>, the store's, from 1, rising the same way; a size, a priority, and <em>user</em>, a
 * number of the broker's that says where the body is. What the broker does when, and how to choose marks and pages, stands in
 * {@code docs/cursor.md}. Numbers of 64 bits are Java's: keep tokens and sequences below 2<sup>63</sup>.
 *
 * <p><b>Threads</b>: one at a time; handing it over with synchronisation is fine. Of calls that overlap one throws {@link
 * java.util.ConcurrentModificationException}, and has changed no message; so does a call from inside {@link CursorStore#fetch}. After
 * {@link #close()} every method throws {@link IllegalStateException}. The meter, and others above it, may be used by any thread
 * meanwhile; closing them first is fine.
 *
 * <p>Memory of the cursor itself is native. A call for which there is none throws {@link OutOfMemoryError}. What throws has
 * changed nothing, unless it says otherwise. Constant time, unless a method says otherwise. Each call crosses into native code, for some
 * 10 ns: the batch calls do it once for many messages.
 */
public final class Cursor implements AutoCloseable {
    private static final int DISCARDS = 32;
    /** {@code QC_ROUND_BEGIN} and {@code QC_ROUND_CONTINUE}. */
    private static final int BEGIN = 0;
    private static final int CONTINUE = 1;

    private final MemoryUsage usage;
    private final CursorStore store;
    private final Tree tree;
    private final CursorOwnership ownership;
    private final Desk desk = new Desk(0);
    private final CursorPage page = new CursorPage();
    private final long handle;
    private final long mailbox;
    private final long notes;
    private final long deskAddress;
    private volatile Runnable ready;
    /** What the store threw in the present call. */
    private Throwable failure;

    /**
     * Makes a cursor over an empty queue; see {@link #open} for one that the store already holds messages of.
     *
     * @param options its settings, which are copied
     * @param usage this queue's own meter
     * @param store the queue's store
     * @throws IllegalArgumentException if a setting is outside its range, or the low mark above the high one
     * @throws IllegalStateException if the meter, or the group, is closed
     * @throws OutOfMemoryError if there is no memory for it
     * @throws QueuecoreException if the group has 2<sup>20</sup> cursors
     */
    public Cursor(CursorOptions options, MemoryUsage usage, CursorStore store) {
        this.usage = usage;
        this.store = Objects.requireNonNull(store, "store");
        tree = usage.tree();
        mailbox = tree.mailbox();
        long number = Tree.nextNumber();
        long[] made = new long[2];
        // Before there is anything to own, so that nothing can come in between.
        ownership = new CursorOwnership(tree, number);
        Tree.CLEANER.register(this, ownership);
        tree.cursors.put(number, new WeakReference<>(this));
        CursorGroup group = options.group();
        try {
            NativeCursor.create(usage.nativeHandle(), mailbox, group == null ? 0 : group.nativeHandle(),
                    options.settings(number), options.policy().settings(), made);
        } finally {
            back();
            Reference.reachabilityFence(group);
        }
        handle = made[0];
        notes = made[1];
        ownership.open(handle, notes);
        deskAddress = desk.address;
    }

    /**
     * Tells a new cursor what the store already holds: after a restart, before every other call. Nothing is loaded.
     *
     * @param pendingCount how many messages are pending, 0 or more
     * @param pendingBytes their bytes, 0 or more
     * @param lastSequence the last one's sequence or a later one: what is pushed comes behind it
     * @throws IllegalArgumentException if another call has used the cursor before, {@code lastSequence} is below
     *     {@code pendingCount}, or a number is negative
     */
    public void open(long pendingCount, long pendingBytes, long lastSequence) {
        try {
            NativeCursor.open(handle, mailbox, pendingCount, pendingBytes, lastSequence);
        } finally {
            back();
        }
    }

    // ---- what comes in ----

    /**
     * Takes note of a message that the store has.
     *
     * @param token the broker's number for it, above that of the last one
     * @param sequence its place in the queue, above all that are known
     * @param user the broker's own, which a pull hands out again
     * @param sizeBytes what it takes in memory, 0 or more
     * @param priority 0 to 255; higher goes first
     * @return whether it stays in memory: then its body does, and is charged. If not, a page brings it back
     * @throws IllegalArgumentException if a number is out of its range or out of order. It has to be pushed again before any
     *     other, as after {@link ArithmeticException} and {@link OutOfMemoryError}
     * @throws ArithmeticException if a level of the meter would be above 2<sup>61</sup>
     */
    public boolean push(long token, long sequence, long user, int sizeBytes, int priority) {
        return push(token, sequence, user, sizeBytes, priority, CursorBatch.COMMITTED);
    }

    /**
     * As {@link #push}, for a message that is on its way to the store: {@link #committed} or {@link #aborted} follows. It is not
     * delivered before, nor is anything behind it.
     *
     * @param token the broker's number for it, above that of the last one
     * @param sequence its place in the queue, if the store has given it one already, else 0
     * @param user the broker's own, which a pull hands out again
     * @param sizeBytes what it takes in memory, 0 or more
     * @param priority 0 to 255; higher goes first
     * @return whether it stays in memory
     * @throws QueuecoreException if {@code maxOpenWrites} are open
     */
    public boolean pushOpen(long token, long sequence, long user, int sizeBytes, int priority) {
        return push(token, sequence, user, sizeBytes, priority, CursorBatch.OPEN);
    }

    private boolean push(long token, long sequence, long user, int sizeBytes, int priority, int write) {
        CursorBatch.check(sizeBytes, priority);
        try {
            return NativeCursor.push(handle, mailbox, token, sequence, user, sizeBytes, priority, write);
        } finally {
            back();
        }
    }

    /**
     * Pushes all messages of a batch in their order; {@link CursorBatch#isCached} has the answers.
     *
     * <p>It stops at the first one that fails and throws what that one would. Those before it are done and stay done: {@link
     * CursorBatch#done()} of them. {@link #pushBatch(CursorBatch, int)} goes on. Time in proportion to the messages.
     *
     * @param batch the messages
     */
    public void pushBatch(CursorBatch batch) {
        pushBatch(batch, 0);
    }

    /**
     * As {@link #pushBatch(CursorBatch)}, for the messages from an index on.
     *
     * @param batch the messages
     * @param from the first index, up to the number of messages
     */
    public void pushBatch(CursorBatch batch, int from) {
        int count = checkFrom(from, batch.messages());
        try {
            NativeCursor.pushBatch(handle, mailbox, batch.address, batch.capacity(), from, count);
        } finally {
            back(batch);
        }
    }

    /**
     * The store has a message whose write was open. Constant time when answers come in order or tokens have no gaps, else in
     * proportion to the open writes.
     *
     * @param token the message's
     * @param sequence its place in the queue
     * @throws java.util.NoSuchElementException if no open write has this token
     * @throws IllegalArgumentException if the sequence does not fit between those around it, or is not the one announced
     */
    public void committed(long token, long sequence) {
        try {
            NativeCursor.committed(handle, mailbox, token, sequence);
        } finally {
            back();
        }
    }

    /**
     * Does so for all commits of a batch in their order. It stops at the first one that fails, as {@link
     * #pushBatch(CursorBatch)} does.
     *
     * @param batch the commits
     */
    public void committedBatch(CursorBatch batch) {
        committedBatch(batch, 0);
    }

    /**
     * As {@link #committedBatch(CursorBatch)}, for the commits from an index on.
     *
     * @param batch the commits
     * @param from the first index, up to the number of commits
     */
    public void committedBatch(CursorBatch batch, int from) {
        int count = checkFrom(from, batch.commits());
        try {
            NativeCursor.committedBatch(handle, mailbox, batch.address, batch.capacity(), from, count);
        } finally {
            back(batch);
        }
    }

    /**
     * The store has given up a write: the message is gone and its charge with it, even if it was delivered uncommitted.
     *
     * @param token the message's
     * @return what was released
     * @throws java.util.NoSuchElementException if no open write has this token
     */
    public Released aborted(long token) {
        try {
            NativeCursor.aborted(handle, mailbox, deskAddress, token);
            return released();
        } finally {
            back();
        }
    }

    // ---- what goes out ----

    /**
     * Begins a new round, in which parked messages are offered again, and gives out up to {@code demand} messages, as many as the
     * batch takes, in order: priority descending, then sequence, among those in the window. If those do not do, it takes at
     * most one page from the store. They are in flight until {@link #ack}, {@link #requeue}, {@link #park} or {@link #remove}.
     * Time in proportion to the messages given out and paged in.
     *
     * @param demand how many the consumers want. 0 gives nothing out, and up a turn of the guaranteed share
     * @param batch gets the messages, {@link CursorBatch#delivered()} of them, and what blocks the pull
     * @return why it ended
     * @throws IllegalArgumentException if the demand is negative
     * @throws CursorStoreException if the store threw; only when nothing was given out, and the pull can be repeated, as after
     *     the following ones. The next fetch asks for fewer messages, so that what lies before one that cannot be read gets out
     * @throws QueuecoreException if the store broke its word, {@code QC_ERR_BAD_FETCH}
     * @throws OutOfMemoryError if there is no memory for the page
     * @throws ArithmeticException if a level of the meter would be above 2<sup>61</sup>
     */
    public PullEnd pull(int demand, CursorBatch batch) {
        return pull(demand, BEGIN, batch);
    }

    /**
     * As {@link #pull}, in the same round: parked messages stay aside.
     *
     * @param demand how many the consumers want
     * @param batch gets the messages
     * @return why it ended
     */
    public PullEnd pullOn(int demand, CursorBatch batch) {
        return pull(demand, CONTINUE, batch);
    }

    private PullEnd pull(int demand, int round, CursorBatch batch) {
        if (demand < 0) {
            throw new IllegalArgumentException("demand = " + demand + ": it has to be 0 or more");
        }
        batch.beginPull();
        int discards = 1;
        try {
            discards = NativeCursor.pull(handle, mailbox, notes, this, demand, round, batch.address, batch.capacity());
            return batch.pulled();
        } catch (QueuecoreException failed) {
            throw explained(failed);
        } finally {
            Reference.reachabilityFence(batch);
            backFromStore(discards);
        }
    }

    /**
     * Shows what is pending behind a sequence, in order of sequence: at most a page, committed messages only, those in flight
     * included. It asks the store alone and charges nothing. Time in proportion to the messages fetched.
     *
     * @param after 0 for the front of the queue
     * @param page gets the messages. What they have as {@code user} is the store's, and the caller's to let go
     * @return where to go on, while there is more, even if the page is empty
     * @throws CursorStoreException if the store threw; other exceptions as for {@link #pull}
     */
    public Browsed browse(long after, CursorPage page) {
        long address = page.address();
        int discards = 1;
        try {
            discards = NativeCursor.browse(handle, mailbox, notes, this, deskAddress, after, address, page.capacity());
            return new Browsed(desk.answer(0), desk.answer(1) != 0);
        } catch (QueuecoreException failed) {
            throw explained(failed);
        } finally {
            page.shown();
            Reference.reachabilityFence(page);
            backFromStore(discards);
        }
    }

    /**
     * A message in flight is done with: it leaves the window and its charge is released.
     *
     * @param sequence its place in the queue
     * @return what was released
     * @throws java.util.NoSuchElementException if no message of the window has this sequence
     * @throws IllegalStateException if it is not in flight: it was requeued or parked, or not pulled yet
     */
    public Released ack(long sequence) {
        try {
            NativeCursor.ack(handle, mailbox, deskAddress, sequence);
            return released();
        } finally {
            back();
        }
    }

    /**
     * Does so for all acknowledgements of a batch in their order; {@link CursorBatch#releasedBytes} and those beside it have the
     * answers. It stops at the first one that fails, as {@link #pushBatch(CursorBatch)} does.
     *
     * @param batch the acknowledgements
     */
    public void ackBatch(CursorBatch batch) {
        ackBatch(batch, 0);
    }

    /**
     * As {@link #ackBatch(CursorBatch)}, for the acknowledgements from an index on.
     *
     * @param batch the acknowledgements
     * @param from the first index, up to the number of acknowledgements
     */
    public void ackBatch(CursorBatch batch, int from) {
        int count = checkFrom(from, batch.acks());
        try {
            NativeCursor.ackBatch(handle, mailbox, batch.address, batch.capacity(), from, count);
        } finally {
            back(batch);
        }
    }

    /**
     * A message in flight goes back to its place in the order, with one more redelivery.
     *
     * @param sequence its place in the queue
     * @throws java.util.NoSuchElementException if no message of the window has this sequence
     * @throws IllegalStateException if it is not in flight
     */
    public void requeue(long sequence) {
        try {
            NativeCursor.requeue(handle, mailbox, sequence);
        } finally {
            back();
        }
    }

    /**
     * A message in flight that no consumer took is put aside: {@link #pullOn} leaves it alone, the next {@link #pull} offers it
     * at its place. It stays in memory, and no redelivery is counted.
     *
     * @param sequence its place in the queue
     * @throws java.util.NoSuchElementException if no message of the window has this sequence
     * @throws IllegalStateException if it is not in flight
     */
    public void park(long sequence) {
        try {
            NativeCursor.park(handle, mailbox, sequence);
        } finally {
            back();
        }
    }

    /**
     * A message is gone: expired, purged or moved; in memory or not, in flight or not. If the window does not hold it, it is
     * believed to be in the store, which must not return it from now on.
     *
     * @param sequence its place in the queue
     * @param storedBytes its size, 0 or more, for the figure {@code pendingBytes} alone, if the window does not hold it
     * @return what was released
     * @throws IllegalArgumentException if {@code storedBytes} is negative
     * @throws java.util.NoSuchElementException if it has left the window, or its write is open and the window does not hold it
     */
    public Released remove(long sequence, int storedBytes) {
        try {
            NativeCursor.remove(handle, mailbox, deskAddress, sequence, storedBytes);
            return released();
        } finally {
            back();
        }
    }

    /**
     * Removes what is pending up to the oldest open write and is in no consumer's hands, without fetching any of it: the first
     * call all that lies beyond the window, and each call up to {@code maxMessages} of the window. Go on with the answer's
     * {@code upTo} while there is more; then the host deletes from its store what is up to that and not in flight. Time in proportion to
     * {@code maxMessages} and to the messages in flight.
     *
     * @param upTo 0 to begin a purge, or what its first call answered
     * @param maxMessages how many messages of the window to remove at most, 0 or more
     * @return what was removed
     * @throws IllegalArgumentException if {@code upTo} is not one that a purge has answered, or {@code maxMessages} is negative
     */
    public Purged purge(long upTo, int maxMessages) {
        if (maxMessages < 0) {
            throw new IllegalArgumentException("maxMessages = " + maxMessages + ": it has to be 0 or more");
        }
        try {
            NativeCursor.purge(handle, mailbox, deskAddress, upTo, maxMessages);
            return new Purged(desk.answer(0), desk.answer(1), desk.answer(2), desk.answer(3), desk.answer(4) != 0);
        } finally {
            backFromStore(1);
        }
    }

    /**
     * Gives back the memory of all messages that nobody has in hand; they stay pending, at their places, and a page brings them
     * back. Time in proportion to the window.
     *
     * @return what was given back
     */
    public Dropped dropCache() {
        try {
            NativeCursor.dropCache(handle, mailbox, deskAddress);
            return new Dropped(desk.answer(0), desk.answer(1));
        } finally {
            backFromStore(1);
        }
    }

    // ---- settings and figures ----

    /**
     * Has something run when a pull that was blocked can make progress: an edge, once for each blocked pull. It takes the place of
     * the one before.
     *
     * <p>It runs in the thread whose call freed what was waited for, when that call is over: a call on this cursor, on
     * another one, or on a meter; or in the thread {@code queuecore-listeners}, if that was not a thread of Java's. It may
     * come before the pull that it answers has returned. It tells whoever pulls, and does not pull. What it throws is logged.
     *
     * @param ready what to run, or null for nothing
     */
    public void onReady(Runnable ready) {
        Delivery.ensure();
        Runnable before = this.ready;
        this.ready = ready;
        try {
            NativeCursor.refresh(handle, mailbox);
        } catch (RuntimeException refused) {
            this.ready = before;
            throw refused;
        } finally {
            back();
        }
    }

    /**
     * Takes on a new policy, at once. What is in memory stays.
     *
     * @param policy the policy, which is copied
     * @throws IllegalArgumentException if a setting is outside its range, or the low mark above the high one. The old one
     *     stays
     */
    public void setPolicy(CursorPolicy policy) {
        try {
            NativeCursor.setPolicy(handle, mailbox, policy.settings());
        } finally {
            back();
        }
    }

    /**
     * The present policy.
     *
     * @return a copy
     */
    public CursorPolicy getPolicy() {
        long[] settings = CursorPolicy.empty();
        try {
            NativeCursor.getPolicy(handle, mailbox, settings);
            return new CursorPolicy(settings);
        } finally {
            back();
        }
    }

    /**
     * Sets the pair of marks, at once; the rest of the policy stays.
     *
     * @param lowPercent 1 to {@code highPercent}
     * @param highPercent up to 100 percent of the meter's limit
     * @throws IllegalArgumentException if one is out of its range. The old pair stays
     */
    public void setMarks(int lowPercent, int highPercent) {
        try {
            NativeCursor.setMarks(handle, mailbox, lowPercent, highPercent);
        } finally {
            back();
        }
    }

    /**
     * Looks again whether a blocked pull can make progress: after something changed that the cursor could not see, as the meter's
     * limit, which the host has raised.
     */
    public void refresh() {
        try {
            NativeCursor.refresh(handle, mailbox);
        } finally {
            back();
        }
    }

    /**
     * The figures of the cursor. Asking changes nothing.
     *
     * @return the figures now
     */
    public CursorStats getStats() {
        try {
            NativeCursor.stats(handle, mailbox, deskAddress);
            return CursorStats.of(desk.entry(), desk.answers(CursorStats.FIGURES));
        } finally {
            back();
        }
    }

    /**
     * The meter.
     *
     * @return what the cursor was made with
     */
    public MemoryUsage getUsage() {
        return usage;
    }

    /**
     * The cursor as other languages of this process know it: a {@code qc_cursor *}. It is good until {@link #close()}, and only
     * while this object is reachable. A pull by another language that needs a page fails: the store is Java's.
     *
     * @return the handle
     */
    public long nativeHandle() {
        return handle;
    }

    /**
     * Ends the cursor: gives back all memory and takes off what it has charged. The messages stay what they are in the store,
     * which is not told to discard. Once closed, it does nothing. Time in proportion to the window.
     *
     * @throws java.util.ConcurrentModificationException if another thread is inside a call; nothing was done
     */
    @Override
    public void close() {
        try {
            ownership.destroy(mailbox);
            ready = null;
        } finally {
            back();
        }
    }

    // ---- behind the calls ----

    /** The store's turn: the address of a page, or 0 if it threw. Native code calls it from inside a pull or a browse. */
    long fetch(long after, long upTo, int maxMessages, long maxBytes) {
        try {
            page.begin(maxMessages, maxBytes);
            store.fetch(after, upTo, page);
            return page.end();
        } catch (Throwable thrown) {
            failure = thrown;
            return 0;
        }
    }

    private QueuecoreException explained(QueuecoreException failed) {
        return failure == null ? failed : new CursorStoreException(failed.getMessage(), failure);
    }

    /** A blocked pull can make progress. For the tree, which catches what is thrown. */
    void tellReady() {
        Runnable told = ready;
        if (told != null) {
            told.run();
        }
    }

    private Released released() {
        return new Released(desk.answer(0), desk.answer(1), desk.answer(2) != 0);
    }

    private static int checkFrom(int from, int count) {
        if (from < 0 || from > count) {
            throw new IndexOutOfBoundsException("from = " + from + ": the batch has " + count + " elements");
        }
        return count;
    }

    /** After every native call: delivers what has happened. Until here the collector must not end the cursor. */
    private void back() {
        tree.deliver();
        Reference.reachabilityFence(this);
    }

    private void back(CursorBatch batch) {
        batch.ran();
        Reference.reachabilityFence(batch);
        back();
    }

    /** After a native call in which the store may have been asked, or messages discarded: so many, or not known how many. */
    private void backFromStore(int discards) {
        failure = null;
        if (discards != 0 && NativeCursor.noted(notes, mailbox) != 0) {
            tellDiscards();
        }
        back();
    }

    private void tellDiscards() {
        long[] noted = new long[3 * DISCARDS];
        int count;
        while ((count = NativeCursor.takeDiscards(notes, noted)) > 0) {
            for (int i = 0; i < 3 * count; i += 3) {
                long sequence = noted[i];
                long user = noted[i + 1];
                int sizeBytes = (int) noted[i + 2];
                Tree.run(() -> store.discard(sequence, user, sizeBytes));
            }
        }
    }
}
