/* Walks over all entries, and what holds when other calls come in between. Times are in ticks. */

#include "support.h"

#define WALKED_MAX 4096

typedef struct walked {
  size_t count;
  uint64_t keys[WALKED_MAX];
  int is_live[WALKED_MAX];
} walked;

static uint64_t number_of(const qc_key *key) {
  uint64_t n;
  for (n = 0; n < WALKED_MAX; n++) {
    const qc_key other = key_of(n);
    if (memcmp(&other, key, sizeof other) == 0) { return n; }
  }
  fail_msg("a key that was never inserted");
  return 0;
}

/* One call; answers whether the walk goes on. */
static int step(qc_history *history, size_t count, walked *items_seen) {
  qc_history_item items[64];
  size_t done = 99;
  uint32_t more = 99;
  size_t i;
  assert_true(count <= 64);
  assert_ok(qc_history_iter_next(history, items, count, &done, &more));
  assert_true(done <= count && more <= 1);
  for (i = 0; i < done; i++) {
    assert_true(items_seen->count < WALKED_MAX);
    items_seen->keys[items_seen->count] = number_of(&items[i].key);
    items_seen->is_live[items_seen->count++] = items[i].entry != 0;
    if (items[i].entry != 0) { assert_int_equal(found(history, number_of(&items[i].key)), items[i].entry); }
  }
  return more == 1;
}

static void walk(qc_history *history, size_t at_a_time, walked *items_seen) {
  items_seen->count = 0;
  assert_ok(qc_history_iter_begin(history));
  while (step(history, at_a_time, items_seen)) {}
}

static void all_come_in_the_order_of_their_inserts(void **state) {
  size_t at_a_time;
  (void)state;
  for (at_a_time = 1; at_a_time < 40; at_a_time += 7) {
    qc_history *history = create_window(100);
    walked items;
    uint64_t i;
    for (i = 0; i < 200; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
    for (i = 0; i < 200; i += 3) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
    for (i = 1; i < 200; i += 10) {
      const qc_key key = key_of(i);
      assert_ok(qc_history_forget_key(history, &key));
    }
    walk(history, at_a_time, &items);
    assert_int_equal(items.count, 180);
    for (i = 1; i < items.count; i++) { assert_true(items.keys[i - 1] < items.keys[i]); }
    for (i = 0; i < items.count; i++) { assert_int_equal(items.is_live[i], items.keys[i] % 3 != 0); }
    assert_ok(qc_history_destroy(history));
  }
}

/* Live entries past their window have left the log; they come all the same, in the live order. */
static void old_live_entries_come_in_their_place(void **state) {
  qc_history *history = create_window(100);
  walked items;
  const uint64_t want[4] = {1, 2, 4, 3};
  size_t i;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 0, 50, NULL), QC_ADDED);
  assert_int_equal(put(history, 4, 60, 60, NULL), QC_ADDED);
  assert_int_equal(put(history, 3, -1000, 60, NULL), QC_ADDED); /* expired when it came */
  assert_int_equal(put(history, 5, 60, 60, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 5, 60), QC_ERASED_HISTORICAL);
  assert_gc(history, 120, 10, 0, 0);
  walk(history, 2, &items);
  assert_int_equal(items.count, 5);
  for (i = 0; i < 4; i++) { assert_int_equal(items.keys[i], want[i]); }
  assert_int_equal(items.keys[4], 5);
  assert_int_equal(items.is_live[4], 0);
  assert_ok(qc_history_destroy(history));
}

static void expired_keys_are_left_out(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  walked items;
  uint64_t i;
  (void)state;
  options.gc_policy = QC_GC_SCHEDULED;
  history = create_of(&options);
  for (i = 0; i < 20; i++) {
    assert_int_equal(put(history, i, QC_CAST(int64_t, i), 20, NULL), QC_ADDED);
    if (i != 3) { assert_int_equal(erase_key(history, i, 20), QC_ERASED_HISTORICAL); }
  }
  assert_int_equal(seen(history, 9, 109), QC_ABSENT);
  walk(history, 4, &items);
  assert_int_equal(items.count, 11); /* 3, which is live, and 10 to 19 */
  assert_int_equal(items.keys[0], 3);
  assert_int_equal(items.keys[1], 10);
  assert_ok(qc_history_destroy(history));
}

/* Entries that are there all the while come once, whatever else is inserted, erased, forgotten, collected. */
static void what_stays_comes_once(void **state) {
  uint64_t round;
  (void)state;
  for (round = 0; round < 20; round++) {
    qc_history *history = create_window(100000);
    walked items;
    int times[WALKED_MAX];
    uint64_t i;
    uint64_t next = 600;
    uint64_t random = round + 1;
    int more = 1;
    /* 0..299 stay; 300..599 are disturbed. */
    for (i = 0; i < 600; i++) {
      const uint64_t key = i % 2 == 0 ? i / 2 : 300 + i / 2;
      assert_int_equal(put(history, key, 0, 0, NULL), QC_ADDED);
    }
    for (i = 0; i < 600; i += 5) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
    memset(times, 0, sizeof times);
    items.count = 0;
    assert_ok(qc_history_iter_begin(history));
    while (more) {
      const uint64_t other = 300 + (random >> 33) % 300;
      const qc_key key = key_of(other);
      random = random * UINT64_C(6364136223846793005) + 1;
      more = step(history, 1 + QC_CAST(size_t, random >> 62), &items);
      switch ((random >> 50) % 5) {
        case 0:
          if (next < 900) { assert_int_equal(put(history, next++, 1, 1, NULL), QC_ADDED); }
          break;
        case 1: (void)qc_history_erase_key(history, &key, 1, NULL); break;
        case 2: (void)qc_history_forget_key(history, &key); break;
        case 3: (void)readmit(history, other, 1, 1, NULL); break;
        default: {
          /* One that stays is erased or re-admitted: it is there all the same. */
          const qc_key stays = key_of(other - 300);
          (void)qc_history_erase_key(history, &stays, 1, NULL);
          break;
        }
      }
    }
    for (i = 0; i < items.count; i++) { times[items.keys[i]]++; }
    for (i = 0; i < 300; i++) { assert_int_equal(times[i], 1); }
    assert_ok(qc_history_destroy(history));
  }
}

static void a_call_is_bounded_where_nothing_is_left(void **state) {
  qc_history *history = create_window(100);
  walked items;
  uint64_t i;
  int calls = 1;
  (void)state;
  for (i = 0; i < 1000; i++) {
    const qc_key key = key_of(i);
    assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED);
    if (i + 1 < 1000) { assert_int_equal(put(history, 2000, 0, 0, NULL), i == 0 ? QC_ADDED : QC_DUPLICATE_LIVE); }
    assert_ok(qc_history_forget_key(history, &key));
  }
  items.count = 0;
  assert_ok(qc_history_iter_begin(history));
  while (step(history, 1, &items)) { calls++; }
  assert_int_equal(items.count, 1);
  assert_true(calls >= 1);
  assert_ok(qc_history_destroy(history));
}

static void without_a_walk_there_is_nothing_to_come(void **state) {
  qc_history *history = create_window(100);
  walked items;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  items.count = 0;
  assert_false(step(history, 10, &items));
  assert_int_equal(items.count, 0);
  walk(history, 1, &items);
  assert_int_equal(items.count, 1);
  assert_false(step(history, 10, &items));
  assert_int_equal(items.count, 1);
  assert_ok(qc_history_iter_begin(history));
  assert_ok(qc_history_clear(history));
  assert_false(step(history, 10, &items));
  assert_int_equal(items.count, 1);
  assert_ok(qc_history_destroy(history));
}

static void next_from_goes_on_by_key(void **state) {
  qc_history *history = create_window(100);
  qc_entry last = 0;
  qc_entry entry = 77;
  const qc_key first = key_of(1);
  const qc_key second = key_of(2);
  const qc_key unknown = key_of(3);
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 0, 0, &last), QC_ADDED);
  assert_status(qc_history_next_from(history, &unknown, &entry), QC_ERR_NOT_FOUND);
  assert_int_equal(entry, 77);
  assert_ok(qc_history_next_from(history, &first, &entry));
  assert_int_equal(entry, last);
  assert_ok(qc_history_next_from(history, &second, &entry));
  assert_int_equal(entry, 0);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  assert_status(qc_history_next_from(history, &first, &entry), QC_ERR_NOT_FOUND);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_come_in_the_order_of_their_inserts),
      cmocka_unit_test(old_live_entries_come_in_their_place),
      cmocka_unit_test(expired_keys_are_left_out),
      cmocka_unit_test(what_stays_comes_once),
      cmocka_unit_test(a_call_is_bounded_where_nothing_is_left),
      cmocka_unit_test(without_a_walk_there_is_nothing_to_come),
      cmocka_unit_test(next_from_goes_on_by_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
