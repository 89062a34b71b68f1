package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random calls, single ones and in batches, against a naive map. */
class HistoryModelTest {
    private static final long WINDOW = 300;
    private static final int KEYS = 200;

    /** What a history is to answer, by keys and times alone. */
    private static final class Model {
        private final Map<Long, Long> live = new LinkedHashMap<>();
        private final Map<Long, Long> historical = new LinkedHashMap<>();

        InsertOutcome insert(long key, long at, long now, boolean readmits) {
            if (live.containsKey(key)) {
                return InsertOutcome.DUPLICATE_LIVE;
            }
            if (!readmits && contains(key, now) == Presence.HISTORICAL) {
                return InsertOutcome.DUPLICATE_HISTORY;
            }
            historical.remove(key);
            live.put(key, at);
            return InsertOutcome.ADDED;
        }

        Presence contains(long key, long now) {
            if (live.containsKey(key)) {
                return Presence.LIVE;
            }
            Long at = historical.get(key);
            return at != null && now < at + WINDOW ? Presence.HISTORICAL : Presence.ABSENT;
        }

        Erasure erase(long key, long now) {
            long at = live.remove(key);
            historical.put(key, at);
            return now < at + WINDOW ? Erasure.HISTORICAL : Erasure.GONE;
        }
    }

    private final Model model = new Model();
    private final HistoryBatch batch = new HistoryBatch(32, 8);
    private long now;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void answersAreThoseOfTheModel(long seed) {
        Random random = new Random(seed);
        HistoryOptions options = HistoryTest.options().windowNanos(WINDOW).valueSize(8)
                .gcPolicy(HistoryOptions.GcPolicy.values()[(int) (seed % 3)]);
        try (History history = new History(options)) {
            for (int step = 0; step < 10_000; step++) {
                now += random.nextInt(8);
                if (random.nextBoolean()) {
                    single(random, history);
                } else {
                    several(random, history);
                }
                assertEquals(model.live.size(), history.liveLen());
                if (step % 500 == 0) {
                    compareOrder(history);
                }
            }
            compareOrder(history);
        }
    }

    private static long key(Random random) {
        return random.nextInt(KEYS);
    }

    private void single(Random random, History history) {
        long key = key(random);
        switch (random.nextInt(6)) {
            case 0, 1 -> {
                long at = now - random.nextInt(20);
                assertEquals(model.insert(key, at, now, false), history.insertLong(~key, key, key + 1, at, now));
                assertEquals(history.find(~key, key), history.lastEntry());
            }
            case 2 -> assertEquals(model.insert(key, now, now, true), history.readmitLong(~key, key, key + 1, now, now));
            case 3 -> {
                if (model.live.containsKey(key)) {
                    assertEquals(key + 1, history.getLongValue(history.find(~key, key)));
                    assertEquals(model.erase(key, now), history.eraseKey(~key, key, now));
                }
            }
            case 4 -> {
                if (model.live.remove(key) != null) {
                    history.forget(history.find(~key, key));
                } else {
                    assertEquals(0, history.find(~key, key));
                }
            }
            default -> assertEquals(model.contains(key, now), history.contains(~key, key, now));
        }
        if (random.nextInt(50) == 0) {
            history.gc(now, random.nextInt(20));
        }
    }

    private void several(Random random, History history) {
        batch.clear();
        boolean erases = random.nextBoolean();
        List<Long> keys = new ArrayList<>();
        for (int i = random.nextInt(batch.capacity() + 1); i > 0; i--) {
            long key = key(random);
            if (!erases) {
                batch.setLongValue(batch.addKey(~key, key, now), key + 1);
                keys.add(key);
            } else if (model.live.containsKey(key) && !keys.contains(key)) {
                batch.addEntry(history.find(~key, key));
                keys.add(key);
            }
        }
        if (erases) {
            history.eraseBatch(batch, now);
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(model.erase(keys.get(i), now), batch.erasure(i));
            }
        } else if (random.nextInt(3) == 0) {
            history.containsBatch(batch, now);
            for (int i = 0; i < keys.size(); i++) {
                assertEquals(model.contains(keys.get(i), now), batch.presence(i));
            }
        } else {
            boolean readmits = random.nextInt(4) == 0;
            if (readmits) {
                history.readmitBatch(batch, now);
            } else {
                history.insertBatch(batch, now);
            }
            for (int i = 0; i < keys.size(); i++) {
                long key = keys.get(i);
                assertEquals(model.insert(key, now, now, readmits), batch.outcome(i));
                assertEquals(history.find(~key, key), batch.entry(i));
            }
        }
        assertEquals(keys.size(), batch.done());
    }

    private void compareOrder(History history) {
        List<Long> there = new ArrayList<>();
        long after = 0;
        while (history.walk(after, batch) > 0) {
            for (int i = 0; i < batch.keys(); i++) {
                there.add(batch.low(i));
                assertEquals(model.live.get(batch.low(i)), batch.insertedAtNanos(i));
                after = batch.entry(i);
            }
        }
        assertEquals(new ArrayList<>(model.live.keySet()), there);
    }
}
