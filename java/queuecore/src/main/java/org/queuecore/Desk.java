package org.queuecore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory of an object for what its native calls answer beside one number: an entry, answers, a value. Native code draws it
 * ({@code bindings/jni/src/direct.rs}). So no call allocates, and none asks the virtual machine for an array.
 */
final class Desk {
    /** Where the value stands. */
    private static final int VALUE = Native.deskValue();
    private static final int ANSWERS = Long.BYTES;

    private final ByteBuffer memory;
    /** Good for as long as this object lives. */
    final long address;

    /** A desk with room for a value. */
    Desk(int valueSize) {
        memory = ByteBuffer.allocateDirect(VALUE + valueSize).order(ByteOrder.nativeOrder());
        address = Native.addressOf(memory, memory.capacity());
    }

    /** The entry that an insert has left. */
    long entry() {
        return memory.getLong(0);
    }

    /** An answer that a call has left. */
    long answer(int index) {
        return memory.getLong(ANSWERS + index * Long.BYTES);
    }

    /** The first answers. */
    long[] answers(int count) {
        long[] answers = new long[count];
        for (int i = 0; i < count; i++) {
            answers[i] = answer(i);
        }
        return answers;
    }

    /** Puts a value there for the next call. */
    void putValue(ByteBuffer value, int size) {
        memory.put(VALUE, value, value.position(), size);
    }

    /** Puts a value of 8 bytes there for the next call. */
    void putLongValue(long value) {
        memory.putLong(VALUE, value);
    }

    /** Copies the value that the last call has left. */
    void getValue(ByteBuffer into, int size) {
        into.put(into.position(), memory, VALUE, size);
    }

    /** The value of 8 bytes that the last call has left. */
    long longValue() {
        return memory.getLong(VALUE);
    }
}
