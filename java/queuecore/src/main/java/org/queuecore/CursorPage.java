package org.queuecore;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A page of messages as the store has them, in a direct buffer: what a {@link CursorStore} fills, and what {@link
 * Cursor#browse} fills. Native code draws the buffer ({@code bindings/jni/src/cursor_batch.rs}).
 *
 * <p>One thread at a time. Every method takes constant time and allocates nothing.
 */
public final class CursorPage {
    /** Whether it is a cursor's own, which a store fills, and which grows. */
    private final boolean isOwn;
    private ByteBuffer memory;
    /** Good for as long as {@code memory} is there. */
    private long address;
    private int capacity;

    private int maxMessages;
    private long maxBytes;
    private int count;
    private long bytes;

    /** A page that has no room yet. */
    CursorPage() {
        isOwn = true;
    }

    /**
     * Makes an empty page, to browse into.
     *
     * @param capacity how many messages it is to take, 1 to {@link CursorBatch#MAX_CAPACITY}
     * @throws IllegalArgumentException if it is out of its range
     * @throws OutOfMemoryError if there is no direct memory for it: 24 bytes for each
     */
    public CursorPage(int capacity) {
        isOwn = false;
        make(capacity);
    }

    private void make(int messages) {
        long[] layout = new long[9];
        NativeCursor.layout(messages, layout);
        ByteBuffer made = ByteBuffer.allocateDirect(Math.toIntExact(layout[8])).order(ByteOrder.nativeOrder());
        address = Native.addressOf(made, made.capacity());
        memory = made;
        capacity = messages;
    }

    /** Empties it for a store, with room for what the cursor asks for. */
    void begin(int maxMessages, long maxBytes) {
        if (maxMessages > capacity) {
            make(maxMessages);
        }
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
        count = 0;
        bytes = 0;
    }

    /** After the store has filled it: nothing is added any more. Answers its address. */
    long end() {
        memory.putLong(0, count);
        maxMessages = 0;
        return address;
    }

    /** The address, for native code to fill: not that of a cursor's own page, which a fetch may replace meanwhile. */
    long address() {
        if (isOwn) {
            throw new IllegalArgumentException("the page is a cursor's own: make one to browse into");
        }
        return address;
    }

    /** After native code has filled it. */
    void shown() {
        count = (int) memory.getLong(0);
    }

    /**
     * How many messages it takes.
     *
     * @return what it was made for, or is large enough for by now
     */
    public int capacity() {
        return capacity;
    }

    /**
     * How many messages the cursor wants at most, for a store's query.
     *
     * @return 1 or more; 0 when it is not to be filled
     */
    public int maxMessages() {
        return maxMessages;
    }

    /**
     * How many bytes the cursor wants at most together, but for the first message, whatever its size.
     *
     * @return the bytes
     */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Whether a message may be added.
     *
     * @param sizeBytes its size
     * @return whether the page has room for it, in messages and in bytes
     */
    public boolean hasRoom(int sizeBytes) {
        return count < maxMessages && (count == 0 || bytes + sizeBytes <= maxBytes);
    }

    /**
     * Adds a message.
     *
     * @param sequence its place in the queue, from 1, above those before it
     * @param user the host's own, which a pull hands out with the message: often where its body is
     * @param sizeBytes what it takes in memory, 0 or more; it is charged as this says
     * @param priority 0 to 255; higher goes first
     * @throws BufferOverflowException if there are {@link #maxMessages()} on it
     * @throws IllegalArgumentException if a number is out of its range
     */
    public void add(long sequence, long user, int sizeBytes, int priority) {
        if (count >= maxMessages) {
            throw new BufferOverflowException();
        }
        CursorBatch.check(sizeBytes, priority);
        int at = CursorLayout.HEAD + count * CursorLayout.STORED;
        memory.putLong(at + CursorLayout.STORED_SEQUENCE, sequence);
        memory.putLong(at + CursorLayout.STORED_USER, user);
        memory.putInt(at + CursorLayout.STORED_SIZE, sizeBytes);
        memory.put(at + CursorLayout.STORED_PRIORITY, (byte) priority);
        count++;
        bytes += sizeBytes;
    }

    /**
     * How many messages are on it.
     *
     * @return 0 to the capacity
     */
    public int count() {
        return count;
    }

    private int at(int index) {
        return CursorLayout.HEAD + Objects.checkIndex(index, count) * CursorLayout.STORED;
    }

    /**
     * A message's place in the queue.
     *
     * @param index which message
     * @return its sequence
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public long sequence(int index) {
        return memory.getLong(at(index) + CursorLayout.STORED_SEQUENCE);
    }

    /**
     * What the store gave for a message.
     *
     * @param index which message
     * @return the host's own
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public long user(int index) {
        return memory.getLong(at(index) + CursorLayout.STORED_USER);
    }

    /**
     * A message's size.
     *
     * @param index which message
     * @return its bytes
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public int sizeBytes(int index) {
        return memory.getInt(at(index) + CursorLayout.STORED_SIZE);
    }

    /**
     * A message's priority.
     *
     * @param index which message
     * @return 0 to 255
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public int priority(int index) {
        return memory.get(at(index) + CursorLayout.STORED_PRIORITY) & 0xff;
    }
}
