package org.queuecore;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Messages for many calls on a {@link Cursor} in one crossing, and their answers: a direct buffer that is filled, handed over,
 * read and filled again. One object serves all cursors of a thread.
 *
 * <pre>{@code
 * CursorBatch batch = new CursorBatch(64);
 * cursor.pull(64, batch);
 * for (int i = 0; i < batch.delivered(); i++) {
 *     dispatch(batch.sequence(i), batch.user(i));
 * }
 * ...
 * batch.clear();
 * for (long sequence : acknowledged) {
 *     batch.addAck(sequence);
 * }
 * cursor.ackBatch(batch);
 * }</pre>
 *
 * <p>It has three lists that the host fills: messages to push ({@link #addMessage}, {@link #addOpenMessage}), acknowledgements ({@link
 * #addAck}), and commits ({@link #addCommit}); and one that a pull fills ({@link #delivered()}). They do not touch each other.
 *
 * <p>One thread at a time, with the cursors that it is handed to. Every method takes constant time and allocates nothing.
 * Answers of an index at or beyond {@link #done()} are those of an earlier call.
 */
public final class CursorBatch {
    /** The most elements that a batch can have: 2<sup>20</sup>. */
    public static final int MAX_CAPACITY = 1 << 20;
    private static final int MAX_PRIORITY = 255;
    /** {@code QC_WRITE_COMMITTED} and {@code QC_WRITE_OPEN}. */
    static final int COMMITTED = 0;
    static final int OPEN = 1;

    private final int capacity;
    private final ByteBuffer memory;
    /** Good for as long as this object lives. */
    final long address;

    // Where the sections stand: see CursorLayout for the fields in them.
    private final int messagesAt;
    private final int deliveredAt;
    private final int releasedAt;
    private final int acksAt;
    private final int tokensAt;
    private final int committedAt;
    private final int pushedAt;

    private int messages;
    private int acks;
    private int commits;
    private int delivered;
    private int done;

    /**
     * Makes an empty batch.
     *
     * @param capacity how many elements each of its lists is to take, 1 to {@link #MAX_CAPACITY}
     * @throws IllegalArgumentException if it is out of its range
     * @throws OutOfMemoryError if there is no direct memory for it: 124 bytes for each
     */
    public CursorBatch(int capacity) {
        long[] layout = new long[9];
        NativeCursor.layout(capacity, layout);
        this.capacity = capacity;
        messagesAt = (int) layout[0];
        deliveredAt = (int) layout[1];
        releasedAt = (int) layout[2];
        acksAt = (int) layout[3];
        tokensAt = (int) layout[4];
        committedAt = (int) layout[5];
        pushedAt = (int) layout[6];
        memory = ByteBuffer.allocateDirect(Math.toIntExact(layout[7])).order(ByteOrder.nativeOrder());
        address = Native.addressOf(memory, memory.capacity());
    }

    /** Refuses a size or a priority that is none. */
    static void check(int sizeBytes, int priority) {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("sizeBytes = " + sizeBytes + ": it has to be 0 or more");
        }
        if (priority < 0 || priority > MAX_PRIORITY) {
            throw new IllegalArgumentException("priority = " + priority + ": it has to be 0 to " + MAX_PRIORITY);
        }
    }

    private static void natural(String name, long number) {
        if (number < 0) {
            throw new IllegalArgumentException(name + " = " + number + " is negative");
        }
    }

    /**
     * How many elements each list takes.
     *
     * @return what it was made for
     */
    public int capacity() {
        return capacity;
    }

    /** Empties the three lists that the host fills. */
    public void clear() {
        messages = 0;
        acks = 0;
        commits = 0;
    }

    private int free(int used) {
        if (used >= capacity) {
            throw new BufferOverflowException();
        }
        return used;
    }

    /**
     * Adds a message that the store has.
     *
     * @param token the host's number for it, rising from push to push
     * @param sequence its place in the queue, from 1, rising from push to push
     * @param user the host's own, which a pull hands out again: often where its body is
     * @param sizeBytes what it takes in memory, 0 or more
     * @param priority 0 to 255; higher goes first
     * @return its index
     * @throws BufferOverflowException if the list is full
     * @throws IllegalArgumentException if a number is negative, or the priority above 255
     */
    public int addMessage(long token, long sequence, long user, int sizeBytes, int priority) {
        return add(token, sequence, user, sizeBytes, priority, COMMITTED);
    }

    /**
     * Adds a message that is on its way to the store.
     *
     * @param token the host's number for it, rising from push to push
     * @param sequence its place in the queue, if the store has given it one already, else 0
     * @param user the host's own, which a pull hands out again
     * @param sizeBytes what it takes in memory, 0 or more
     * @param priority 0 to 255; higher goes first
     * @return its index
     * @throws BufferOverflowException if the list is full
     * @throws IllegalArgumentException if a number is negative, or the priority above 255
     */
    public int addOpenMessage(long token, long sequence, long user, int sizeBytes, int priority) {
        return add(token, sequence, user, sizeBytes, priority, OPEN);
    }

    private int add(long token, long sequence, long user, int sizeBytes, int priority, int write) {
        int index = free(messages);
        check(sizeBytes, priority);
        natural("token", token);
        natural("sequence", sequence);
        int at = messagesAt + index * CursorLayout.MESSAGE;
        memory.putLong(at + CursorLayout.MESSAGE_TOKEN, token);
        memory.putLong(at + CursorLayout.MESSAGE_SEQUENCE, sequence);
        memory.putLong(at + CursorLayout.MESSAGE_USER, user);
        memory.putInt(at + CursorLayout.MESSAGE_SIZE, sizeBytes);
        memory.put(at + CursorLayout.MESSAGE_PRIORITY, (byte) priority);
        memory.put(at + CursorLayout.MESSAGE_WRITE, (byte) write);
        messages = index + 1;
        return index;
    }

    /**
     * Adds a message that is acknowledged.
     *
     * @param sequence its place in the queue
     * @return its index
     * @throws BufferOverflowException if the list is full
     * @throws IllegalArgumentException if it is negative
     */
    public int addAck(long sequence) {
        int index = free(acks);
        natural("sequence", sequence);
        memory.putLong(acksAt + index * Long.BYTES, sequence);
        acks = index + 1;
        return index;
    }

    /**
     * Adds a write that the store has committed.
     *
     * @param token the message's
     * @param sequence its place in the queue
     * @return its index
     * @throws BufferOverflowException if the list is full
     * @throws IllegalArgumentException if a number is negative
     */
    public int addCommit(long token, long sequence) {
        int index = free(commits);
        natural("token", token);
        natural("sequence", sequence);
        memory.putLong(tokensAt + index * Long.BYTES, token);
        memory.putLong(committedAt + index * Long.BYTES, sequence);
        commits = index + 1;
        return index;
    }

    /**
     * How many messages to push are in it.
     *
     * @return 0 to the capacity
     */
    public int messages() {
        return messages;
    }

    /**
     * How many acknowledgements are in it.
     *
     * @return 0 to the capacity
     */
    public int acks() {
        return acks;
    }

    /**
     * How many commits are in it.
     *
     * @return 0 to the capacity
     */
    public int commits() {
        return commits;
    }

    /**
     * How many elements the last call other than a pull has done, from the first one on. Fewer than there are only if it has
     * thrown.
     *
     * @return 0 to the capacity
     */
    public int done() {
        return done;
    }

    /**
     * Whether a pushed message stays in memory: then its body does. If not, the store alone has it, and a page brings it back.
     *
     * @param index which message
     * @return whether it is cached
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public boolean isCached(int index) {
        return memory.getInt(pushedAt + Objects.checkIndex(index, messages) * Integer.BYTES) == 0;
    }

    private int releasedAt(int index) {
        return releasedAt + Objects.checkIndex(index, acks) * CursorLayout.RELEASED;
    }

    /**
     * The host's own of an acknowledged message.
     *
     * @param index which acknowledgement
     * @return what it was pushed with, or what the store told
     * @throws IndexOutOfBoundsException if there is no such acknowledgement
     */
    public long releasedUser(int index) {
        return memory.getLong(releasedAt(index) + CursorLayout.RELEASED_USER);
    }

    /**
     * What was charged for an acknowledged message and is released.
     *
     * @param index which acknowledgement
     * @return the bytes
     * @throws IndexOutOfBoundsException if there is no such acknowledgement
     */
    public long releasedBytes(int index) {
        return memory.getLong(releasedAt(index) + CursorLayout.RELEASED_BYTES);
    }

    /**
     * Whether the body of an acknowledged message was in memory.
     *
     * @param index which acknowledgement
     * @return whether it was
     * @throws IndexOutOfBoundsException if there is no such acknowledgement
     */
    public boolean wasInMemory(int index) {
        return memory.getInt(releasedAt(index) + CursorLayout.RELEASED_WAS_IN_MEMORY) != 0;
    }

    // ---- what a pull gave ----

    /**
     * How many messages the last pull gave.
     *
     * @return 0 to the capacity
     */
    public int delivered() {
        return delivered;
    }

    /**
     * What blocks the last pull.
     *
     * @return what, or {@link Blocked#NOT}
     */
    public Blocked blocked() {
        return Blocked.of(memory.getInt(CursorLayout.BLOCKED));
    }

    private int deliveredAt(int index) {
        return deliveredAt + Objects.checkIndex(index, delivered) * CursorLayout.DELIVERED;
    }

    /**
     * The place of a delivered message in the queue: {@link Cursor#ack} and the calls beside it name it by this.
     *
     * @param index which message
     * @return its sequence
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public long sequence(int index) {
        return memory.getLong(deliveredAt(index) + CursorLayout.DELIVERED_SEQUENCE);
    }

    /**
     * The token of a delivered message.
     *
     * @param index which message
     * @return what it was pushed with; 0 if it came from the store
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public long token(int index) {
        return memory.getLong(deliveredAt(index) + CursorLayout.DELIVERED_TOKEN);
    }

    /**
     * The host's own of a delivered message.
     *
     * @param index which message
     * @return what it was pushed with, or what the store told
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public long user(int index) {
        return memory.getLong(deliveredAt(index) + CursorLayout.DELIVERED_USER);
    }

    /**
     * The size of a delivered message.
     *
     * @param index which message
     * @return its bytes
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public int sizeBytes(int index) {
        return memory.getInt(deliveredAt(index) + CursorLayout.DELIVERED_SIZE);
    }

    /**
     * How often a delivered message was requeued, as far as memory knows.
     *
     * @param index which message
     * @return the count
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public int redeliveries(int index) {
        return memory.getInt(deliveredAt(index) + CursorLayout.DELIVERED_REDELIVERIES);
    }

    /**
     * The priority of a delivered message.
     *
     * @param index which message
     * @return 0 to 255
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public int priority(int index) {
        return memory.get(deliveredAt(index) + CursorLayout.DELIVERED_PRIORITY) & 0xff;
    }

    /** After a call over one of the lists, which may have thrown. */
    void ran() {
        done = (int) memory.getLong(0);
    }

    /** Before a pull, which may throw. */
    void beginPull() {
        delivered = 0;
        memory.putLong(0, 0);
        memory.putLong(CursorLayout.END, 0);
    }

    /** After a pull. */
    PullEnd pulled() {
        delivered = (int) memory.getLong(0);
        return PullEnd.of(memory.getInt(CursorLayout.END));
    }
}
