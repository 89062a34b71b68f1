package org.queuecore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A store in memory: sizes and priorities by sequence, and a way to fail. */
class MapStore implements CursorStore {
    /** A size and a priority. */
    record Message(int sizeBytes, int priority) {
    }

    final TreeMap<Long, Message> messages = new TreeMap<>();
    final List<Long> discarded = new ArrayList<>();
    int fetches;
    /** What the next fetches throw, or null. */
    Exception failure;

    void put(long sequence, int sizeBytes, int priority) {
        messages.put(sequence, new Message(sizeBytes, priority));
    }

    @Override
    public void fetch(long after, long upTo, CursorPage page) throws Exception {
        fetches++;
        if (failure != null) {
            throw failure;
        }
        for (Map.Entry<Long, Message> one : messages.subMap(after, false, upTo, true).entrySet()) {
            if (!page.hasRoom(one.getValue().sizeBytes())) {
                break;
            }
            page.add(one.getKey(), 1000 + one.getKey(), one.getValue().sizeBytes(), one.getValue().priority());
        }
    }

    @Override
    public void discard(long sequence, long user, int sizeBytes) {
        discarded.add(sequence);
    }
}
