package org.queuecore;

/**
 * Where the fields of messages stand in a {@link CursorBatch} and a {@link CursorPage}: native code draws them
 * ({@code bindings/jni/src/cursor_batch.rs}) and says where they are.
 */
final class CursorLayout {
    static final int HEAD;
    static final int END;
    static final int BLOCKED;
    static final int MESSAGE;
    static final int MESSAGE_TOKEN;
    static final int MESSAGE_SEQUENCE;
    static final int MESSAGE_USER;
    static final int MESSAGE_SIZE;
    static final int MESSAGE_PRIORITY;
    static final int MESSAGE_WRITE;
    static final int DELIVERED;
    static final int DELIVERED_SEQUENCE;
    static final int DELIVERED_TOKEN;
    static final int DELIVERED_USER;
    static final int DELIVERED_SIZE;
    static final int DELIVERED_REDELIVERIES;
    static final int DELIVERED_PRIORITY;
    static final int RELEASED;
    static final int RELEASED_USER;
    static final int RELEASED_BYTES;
    static final int RELEASED_WAS_IN_MEMORY;
    static final int STORED;
    static final int STORED_SEQUENCE;
    static final int STORED_USER;
    static final int STORED_SIZE;
    static final int STORED_PRIORITY;

    static {
        long[] fields = new long[26];
        NativeCursor.fields(fields);
        int i = 0;
        HEAD = (int) fields[i++];
        END = (int) fields[i++];
        BLOCKED = (int) fields[i++];
        MESSAGE = (int) fields[i++];
        MESSAGE_TOKEN = (int) fields[i++];
        MESSAGE_SEQUENCE = (int) fields[i++];
        MESSAGE_USER = (int) fields[i++];
        MESSAGE_SIZE = (int) fields[i++];
        MESSAGE_PRIORITY = (int) fields[i++];
        MESSAGE_WRITE = (int) fields[i++];
        DELIVERED = (int) fields[i++];
        DELIVERED_SEQUENCE = (int) fields[i++];
        DELIVERED_TOKEN = (int) fields[i++];
        DELIVERED_USER = (int) fields[i++];
        DELIVERED_SIZE = (int) fields[i++];
        DELIVERED_REDELIVERIES = (int) fields[i++];
        DELIVERED_PRIORITY = (int) fields[i++];
        RELEASED = (int) fields[i++];
        RELEASED_USER = (int) fields[i++];
        RELEASED_BYTES = (int) fields[i++];
        RELEASED_WAS_IN_MEMORY = (int) fields[i++];
        STORED = (int) fields[i++];
        STORED_SEQUENCE = (int) fields[i++];
        STORED_USER = (int) fields[i++];
        STORED_SIZE = (int) fields[i++];
        STORED_PRIORITY = (int) fields[i];
    }

    private CursorLayout() {
    }
}
