package org.queuecore.bench.crossing;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What a broker writes without the library: a map in insertion order from key to what is known of it, from whose front each insert
 * takes up to four entries that have expired, as the library's default does.
 */
final class UtilHistory {
    private static final int STEP = 4;

    /** A message that is live or remembered. */
    static final class Entry {
        private final long insertedAtNanos;
        private boolean isLive = true;

        Entry(long insertedAtNanos) {
            this.insertedAtNanos = insertedAtNanos;
        }
    }

    private final LinkedHashMap<UUID, Entry> entries = new LinkedHashMap<>();
    private final long windowNanos;

    UtilHistory(long windowNanos) {
        this.windowNanos = windowNanos;
    }

    /** The entry that was added, or null for a duplicate. */
    Entry insert(long high, long low, long nowNanos) {
        collect(nowNanos);
        Entry added = new Entry(nowNanos);
        return entries.putIfAbsent(new UUID(high, low), added) == null ? added : null;
    }

    void erase(Entry entry) {
        entry.isLive = false;
    }

    int size() {
        return entries.size();
    }

    private void collect(long nowNanos) {
        Iterator<Map.Entry<UUID, Entry>> oldest = entries.entrySet().iterator();
        for (int i = 0; i < STEP && oldest.hasNext(); i++) {
            Entry entry = oldest.next().getValue();
            if (entry.isLive || entry.insertedAtNanos + windowNanos > nowNanos) {
                return;
            }
            oldest.remove();
        }
    }
}
