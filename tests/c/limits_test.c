/* max_entries and max_history: what is refused at them, what makes room, what is evicted. */

#include "support.h"

static void expect_insert(qc_history *history, uint64_t number, int64_t at, int64_t now, qc_status want,
                          const char *file, int line) {
  const qc_key key = key_of(number);
  qc_insert_result result;
  check_status(qc_history_insert(history, &key, NULL, 0, at * TICK_NS, now * TICK_NS, &result), want, "insert", file,
               line);
}
#define assert_insert(history, number, at, now, want) \
  expect_insert((history), (number), (at), (now), (want), __FILE__, __LINE__)

static void max_entries_counts_live_and_historical(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  uint64_t before;
  (void)state;
  options.max_entries = 3;
  options.gc_policy = QC_GC_SCHEDULED;
  history = create_of(&options);
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 0, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 3, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  before = digest(history, 0);
  assert_insert(history, 4, 0, 0, QC_ERR_CAPACITY);
  assert_error_names("max_entries");
  assert_int_equal(digest(history, 0), before);
  assert_int_equal(put(history, 2, 0, 0, NULL), QC_DUPLICATE_LIVE); /* a duplicate needs no room */
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_DUPLICATE_HISTORY);
  assert_int_equal(readmit(history, 1, 0, 0, NULL), QC_ADDED); /* and this takes the place it has */
  assert_ok(qc_history_forget(history, found(history, 1)));
  assert_int_equal(put(history, 4, 0, 0, NULL), QC_ADDED);
  assert_insert(history, 5, 0, 0, QC_ERR_CAPACITY);
  assert_int_equal(erase_key(history, 2, 100), QC_ERASED_GONE);
  assert_int_equal(put(history, 5, 100, 100, NULL), QC_ADDED);
  assert_int_equal(live_len(history), 3);
  assert_ok(qc_history_destroy(history));
}

static void at_max_entries_inserts_collect_their_own_room(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  uint64_t i;
  (void)state;
  options.max_entries = 10;
  history = create_of(&options); /* steady */
  for (i = 0; i < 10; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  for (i = 0; i < 10; i++) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
  assert_insert(history, 100, 99, 99, QC_ERR_CAPACITY);
  assert_insert(history, 100, 100, 100, QC_OK);
  assert_int_equal(live_len(history), 1);
  assert_ok(qc_history_destroy(history));
}

static void a_batch_stops_at_max_entries(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  qc_key keys[6];
  qc_insert_result results[6];
  size_t done = 99;
  uint64_t i;
  (void)state;
  options.max_entries = 4;
  history = create_of(&options);
  for (i = 0; i < 6; i++) { keys[i] = key_of(i); }
  assert_status(qc_history_insert_batch(history, keys, NULL, NULL, 6, 0, results, &done), QC_ERR_CAPACITY);
  assert_int_equal(done, 4);
  assert_int_equal(live_len(history), 4);
  assert_ok(qc_history_destroy(history));
}

static qc_history *create_limited(uint32_t overflow, uint32_t policy) {
  qc_history_options options = options_of(100);
  options.max_history = 2;
  options.overflow = overflow;
  options.gc_policy = policy;
  return create_of(&options);
}

static void what_is_due_makes_room_first(void **state) {
  static const uint32_t overflows[] = {QC_OVERFLOW_REJECT, QC_OVERFLOW_EVICT_OLDEST};
  size_t o;
  (void)state;
  for (o = 0; o < 2; o++) {
    qc_history *history = create_limited(overflows[o], QC_GC_SCHEDULED);
    uint64_t i;
    for (i = 0; i < 3; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
    assert_int_equal(put(history, 3, 50, 50, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, 0, 50), QC_ERASED_HISTORICAL);
    assert_int_equal(erase_key(history, 1, 50), QC_ERASED_HISTORICAL);
    assert_int_equal(erase_key(history, 3, 100), QC_ERASED_HISTORICAL); /* 0 is due now */
    assert_int_equal(history_len(history), 2);
    assert_int_equal(stats(history).evicted_early, 0);
    assert_int_equal(stats(history).collected_total, 1);
    assert_int_equal(erase_key(history, 2, 100), QC_ERASED_GONE); /* needs no room */
    assert_ok(qc_history_destroy(history));
  }
}

static void at_the_limit_erase_refuses_and_the_entry_stays(void **state) {
  static const uint32_t policies[] = {QC_GC_STEADY, QC_GC_ON_DEMAND, QC_GC_SCHEDULED};
  size_t p;
  (void)state;
  for (p = 0; p < 3; p++) {
    qc_history *history = create_limited(QC_OVERFLOW_REJECT, policies[p]);
    qc_entry entries[4];
    uint32_t erased[4];
    size_t done = 99;
    uint64_t before;
    uint64_t i;
    for (i = 0; i < 4; i++) { assert_int_equal(put(history, i, 0, 0, &entries[i]), QC_ADDED); }
    assert_status(qc_history_erase_batch(history, entries, 4, 0, erased, &done), QC_ERR_CAPACITY);
    assert_error_names("max_history");
    assert_int_equal(done, 2);
    before = digest(history, 0);
    assert_status(qc_history_erase(history, entries[2], 0, NULL), QC_ERR_CAPACITY);
    assert_int_equal(digest(history, 0), before);
    assert_int_equal(found(history, 2), entries[2]);
    assert_ok(qc_history_forget(history, entries[3])); /* leaves nothing, so needs no room */
    assert_int_equal(readmit(history, 0, 0, 0, NULL), QC_ADDED);
    assert_int_equal(erase_entry(history, entries[2], 0), QC_ERASED_HISTORICAL); /* room again */
    assert_int_equal(history_len(history), 2);
    assert_ok(qc_history_destroy(history));
  }
}

static void eviction_takes_the_oldest_and_counts_it(void **state) {
  qc_history *history = create_limited(QC_OVERFLOW_EVICT_OLDEST, QC_GC_SCHEDULED);
  uint64_t i;
  (void)state;
  assert_int_equal(put(history, 1000, 0, 0, NULL), QC_ADDED); /* an old live one before them all */
  for (i = 0; i < 50; i++) {
    const int64_t now = QC_CAST(int64_t, i);
    assert_int_equal(put(history, i, now, now, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, i, now), QC_ERASED_HISTORICAL);
    assert_int_equal(history_len(history), i < 2 ? i + 1 : 2);
    if (i >= 2) {
      assert_int_equal(seen(history, i - 2, now), QC_ABSENT);
      assert_int_equal(seen(history, i - 1, now), QC_HISTORICAL);
      assert_int_equal(seen(history, i, now), QC_HISTORICAL);
      assert_int_equal(stats(history).evicted_early, i - 1);
    }
  }
  assert_int_equal(put(history, 40, 50, 50, NULL), QC_ADDED); /* evicted: nobody knows it */
  assert_int_equal(seen(history, 1000, 50), QC_LIVE);
  assert_gc(history, 500, UINT64_MAX, 2, 0);
  assert_int_equal(live_len(history), 2);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(max_entries_counts_live_and_historical),
      cmocka_unit_test(at_max_entries_inserts_collect_their_own_room),
      cmocka_unit_test(a_batch_stops_at_max_entries),
      cmocka_unit_test(what_is_due_makes_room_first),
      cmocka_unit_test(at_the_limit_erase_refuses_and_the_entry_stays),
      cmocka_unit_test(eviction_takes_the_oldest_and_counts_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
