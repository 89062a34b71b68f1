package org.queuecore;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Keys and entries for many calls on a {@link History} in one crossing, and their answers: a direct buffer that is filled,
 * handed over, read and filled again. One object serves all histories of a thread.
 *
 * <pre>{@code
 * HistoryBatch batch = new HistoryBatch(64);
 * batch.clear();
 * for (Message message : arrived) {
 *     batch.addKey(message.high, message.low, now);
 * }
 * history.insertBatch(batch, now);
 * for (int i = 0; i < batch.keys(); i++) {
 *     if (batch.outcome(i) == InsertOutcome.ADDED) {
 *         arrived[i].entry = batch.entry(i);
 *     }
 * }
 * }</pre>
 *
 * <p>It has two lists, of keys ({@link #addKey}) and of entries to erase ({@link #addEntry}), which do not touch each other. So one
 * batch can hold what arrived and what was acknowledged in a turn of a dispatcher. A key is 16 bytes; its two halves are
 * the bytes read as big-endian numbers, as {@link java.util.UUID} has them.
 *
 * <p>One thread at a time, with the histories that it is handed to. Every method takes constant time and allocates nothing.
 * Answers of an index at or beyond {@link #done()} are those of an earlier call.
 */
public final class HistoryBatch {
    /** The most elements that a batch can have: 2<sup>20</sup>. */
    public static final int MAX_CAPACITY = 1 << 20;
    private static final int KEY_BYTES = 16;

    private final int capacity;
    private final int valueSize;
    private final ByteBuffer memory;
    /** The same memory, for keys. */
    private final ByteBuffer bigEndian;
    private final byte[] zeros;
    /** Good for as long as this object lives. */
    final long address;

    // Where the sections stand: native code draws them (bindings/jni/src/history_batch.rs) and says where they are.
    private final int keysAt;
    private final int timesAt;
    private final int entriesAt;
    private final int resultsAt;
    private final int answersAt;
    private final int valuesAt;
    private final int resultBytes;
    private final int outcomeAt;

    private int keys;
    private int entries;

    /**
     * Makes an empty batch for keys without values.
     *
     * @param capacity how many keys, and how many entries, it is to take: 1 to {@link #MAX_CAPACITY}
     * @throws IllegalArgumentException if it is out of its range
     * @throws OutOfMemoryError if there is no direct memory for it: 52 bytes for each
     */
    public HistoryBatch(int capacity) {
        this(capacity, 0);
    }

    /**
     * Makes an empty batch for keys with values.
     *
     * @param capacity how many keys, and how many entries, it is to take: 1 to {@link #MAX_CAPACITY}
     * @param valueSize bytes of a value: that of the histories, or 0, which lets them store zeros
     * @throws IllegalArgumentException if one is out of its range
     * @throws OutOfMemoryError if there is no direct memory for it: 52 bytes and a value for each
     */
    public HistoryBatch(int capacity, int valueSize) {
        long[] layout = new long[10];
        NativeHistory.batchLayout(capacity, valueSize, layout);
        this.capacity = (int) layout[0];
        this.valueSize = valueSize;
        keysAt = (int) layout[1];
        timesAt = (int) layout[2];
        entriesAt = (int) layout[3];
        resultsAt = (int) layout[4];
        answersAt = (int) layout[5];
        valuesAt = (int) layout[6];
        resultBytes = (int) layout[7];
        outcomeAt = resultsAt + (int) layout[8];
        memory = ByteBuffer.allocateDirect(Math.toIntExact(layout[9])).order(ByteOrder.nativeOrder());
        bigEndian = memory.duplicate().order(ByteOrder.BIG_ENDIAN);
        zeros = new byte[valueSize];
        address = Native.addressOf(memory, memory.capacity());
    }

    /**
     * How many keys, and how many entries, it takes.
     *
     * @return at least what it was made for
     */
    public int capacity() {
        return capacity;
    }

    /**
     * Bytes of a value.
     *
     * @return what it was made for
     */
    public int valueSize() {
        return valueSize;
    }

    /** Empties both lists. */
    public void clear() {
        keys = 0;
        entries = 0;
    }

    /**
     * Adds a key to insert, to re-admit or to look for, with a value of zeros.
     *
     * @param high the first 8 bytes of the key
     * @param low the last 8 bytes of the key
     * @param insertedAtNanos the time from which its window runs, if it is inserted
     * @return its index
     * @throws BufferOverflowException if the batch is full
     */
    public int addKey(long high, long low, long insertedAtNanos) {
        int index = keys;
        if (index >= capacity) {
            throw new BufferOverflowException();
        }
        int at = keysAt + index * KEY_BYTES;
        bigEndian.putLong(at, high);
        bigEndian.putLong(at + Long.BYTES, low);
        memory.putLong(timesAt + index * Long.BYTES, insertedAtNanos);
        if (valueSize > 0) {
            memory.put(valuesAt + index * valueSize, zeros);
        }
        keys = index + 1;
        return index;
    }

    /**
     * Sets the value of a key that was added.
     *
     * @param index the key's
     * @param value a buffer of any kind, whose bytes from its position on are the value; its position stays
     * @throws IndexOutOfBoundsException if there is no such key, or fewer bytes than a value has
     */
    public void setValue(int index, ByteBuffer value) {
        Objects.checkIndex(index, keys);
        memory.put(valuesAt + index * valueSize, value, value.position(), valueSize);
    }

    /**
     * Sets the value of a key that was added, in the machine's order of bytes.
     *
     * @param index the key's
     * @param value the value
     * @throws IndexOutOfBoundsException if there is no such key
     * @throws IllegalArgumentException if values do not have 8 bytes
     */
    public void setLongValue(int index, long value) {
        Objects.checkIndex(index, keys);
        History.checkLongValue(valueSize);
        memory.putLong(valuesAt + index * Long.BYTES, value);
    }

    /**
     * Adds an entry to erase.
     *
     * @param entry the entry
     * @return its index
     * @throws BufferOverflowException if the batch is full
     */
    public int addEntry(long entry) {
        int index = entries;
        if (index >= capacity) {
            throw new BufferOverflowException();
        }
        memory.putLong(entriesAt + index * Long.BYTES, entry);
        entries = index + 1;
        return index;
    }

    /**
     * How many keys are in it.
     *
     * @return 0 to the capacity
     */
    public int keys() {
        return keys;
    }

    /**
     * How many entries to erase are in it.
     *
     * @return 0 to the capacity
     */
    public int entries() {
        return entries;
    }

    /**
     * How many elements the last call has done, from the first one on. Fewer than there are only if it has thrown.
     *
     * @return 0 to the capacity
     */
    public int done() {
        return (int) memory.getLong(0);
    }

    /**
     * The first 8 bytes of a key.
     *
     * @param index which key
     * @return the half
     * @throws IndexOutOfBoundsException if there is no such key
     */
    public long high(int index) {
        return bigEndian.getLong(keysAt + Objects.checkIndex(index, keys) * KEY_BYTES);
    }

    /**
     * The last 8 bytes of a key.
     *
     * @param index which key
     * @return the half
     * @throws IndexOutOfBoundsException if there is no such key
     */
    public long low(int index) {
        return bigEndian.getLong(keysAt + Objects.checkIndex(index, keys) * KEY_BYTES + Long.BYTES);
    }

    /**
     * The insert time of a key.
     *
     * @param index which key
     * @return the time in ns
     * @throws IndexOutOfBoundsException if there is no such key
     */
    public long insertedAtNanos(int index) {
        return memory.getLong(timesAt + Objects.checkIndex(index, keys) * Long.BYTES);
    }

    /**
     * What an insert or a readmit did with a key.
     *
     * @param index which key
     * @return what it did
     * @throws IndexOutOfBoundsException if there is no such key
     */
    public InsertOutcome outcome(int index) {
        return InsertOutcome.of(memory.getInt(outcomeAt + Objects.checkIndex(index, keys) * resultBytes));
    }

    /**
     * The live entry of a key: after an insert or a readmit the one that was added, or was there; after a walk or an iteration
     * that of the key.
     *
     * @param index which key
     * @return the entry; 0 if the key is historical
     * @throws IndexOutOfBoundsException if there is no such key
     */
    public long entry(int index) {
        return memory.getLong(resultsAt + Objects.checkIndex(index, keys) * resultBytes);
    }

    /**
     * What {@link History#containsBatch} found of a key.
     *
     * @param index which key
     * @return what is known of it
     * @throws IndexOutOfBoundsException if there is no such key
     */
    public Presence presence(int index) {
        return Presence.of(memory.getInt(answersAt + Objects.checkIndex(index, keys) * Integer.BYTES));
    }

    /**
     * What {@link History#eraseBatch} left behind of an entry. It stands where {@link #presence} does: read one before the
     * other is asked for.
     *
     * @param index which entry
     * @return what is left
     * @throws IndexOutOfBoundsException if there is no such entry
     */
    public Erasure erasure(int index) {
        return Erasure.of(memory.getInt(answersAt + Objects.checkIndex(index, entries) * Integer.BYTES));
    }

    /** After native code has shown keys. */
    void shown(int count) {
        keys = count;
    }
}
