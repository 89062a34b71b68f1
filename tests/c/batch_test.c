/* A batch does what the single calls in a row would do, and stops at the first element that fails. */

#include "support.h"

enum { COUNT = 300 };

static uint64_t scatter(uint64_t i) { return i * 7919 % 211; }

/* Two histories get the same work, one in batches of `size`, one call by call. */
static void compare_with_singles(size_t size, int readmits) {
  qc_history_options options = options_of(50);
  qc_history *one;
  qc_history *many;
  qc_key keys[COUNT];
  uint64_t values[COUNT];
  int64_t times[COUNT];
  qc_insert_result expected[COUNT];
  qc_insert_result results[COUNT];
  size_t i;
  int round;
  options.value_size = sizeof values[0];
  one = create_of(&options);
  many = create_of(&options);
  for (round = 0; round < 6; round++) {
    const int64_t now = round * 20 * TICK_NS;
    size_t from;
    for (i = 0; i < COUNT; i++) { /* with repetitions inside the batch */
      keys[i] = key_of(scatter(i + QC_CAST(size_t, round) * 17));
      values[i] = i * 3 + QC_CAST(uint64_t, round);
      times[i] = now - QC_CAST(int64_t, i % 13) * TICK_NS;
    }
    for (i = 0; i < COUNT; i++) {
      assert_ok((readmits ? qc_history_readmit : qc_history_insert)(one, &keys[i], &values[i], sizeof values[0],
                                                                   times[i], now, &expected[i]));
    }
    for (from = 0; from < COUNT; from += size) {
      const size_t count = from + size <= COUNT ? size : COUNT - from;
      size_t done = 0;
      assert_ok((readmits ? qc_history_readmit_batch : qc_history_insert_batch)(
          many, keys + from, values + from, times + from, count, now, results + from, &done));
      assert_int_equal(done, count);
    }
    for (i = 0; i < COUNT; i++) {
      assert_int_equal(results[i].outcome, expected[i].outcome);
      assert_int_equal(results[i].entry == 0, expected[i].entry == 0);
      assert_int_equal(results[i].reserved, 0);
    }
    for (i = 0; i < COUNT; i++) { /* some go */
      if (results[i].outcome == QC_ADDED && i % 3 != 0) {
        assert_ok(qc_history_erase(one, expected[i].entry, now, NULL));
        assert_ok(qc_history_erase(many, results[i].entry, now, NULL));
      }
    }
    {
      const stats_of a = stats(one);
      const stats_of b = stats(many);
      assert_int_equal(a.live_len, b.live_len);
      assert_int_equal(a.history_len, b.history_len);
      assert_int_equal(a.tombstones, b.tombstones);
      assert_int_equal(a.collected_total, b.collected_total);
      assert_int_equal(a.duplicates, b.duplicates);
      assert_int_equal(a.readmitted, b.readmitted);
    }
  }
  { /* the same order, with the same times and values */
    qc_entry a = 0;
    qc_entry b = 0;
    assert_ok(qc_history_first(one, &a));
    assert_ok(qc_history_first(many, &b));
    while (a != 0 && b != 0) {
      qc_entry_info x;
      qc_entry_info y;
      assert_ok(qc_history_entry_info(one, a, &x));
      assert_ok(qc_history_entry_info(many, b, &y));
      assert_memory_equal(x.key.bytes, y.key.bytes, 16);
      assert_memory_equal(x.value, y.value, 8);
      assert_int_equal(x.inserted_at_ns, y.inserted_at_ns);
      assert_ok(qc_history_next(one, a, &a));
      assert_ok(qc_history_next(many, b, &b));
    }
    assert_int_equal(a, b);
  }
  assert_ok(qc_history_destroy(one));
  assert_ok(qc_history_destroy(many));
}

static void batches_do_what_singles_do(void **state) {
  static const size_t sizes[] = {1, 2, 7, 63, 64, 65, 300};
  size_t s;
  (void)state;
  for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    compare_with_singles(sizes[s], 0);
    compare_with_singles(sizes[s], 1);
  }
}

static void values_and_times_may_be_left_out(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  qc_key keys[3];
  qc_insert_result results[3];
  const uint64_t zero = 0;
  size_t done = 99;
  size_t i;
  (void)state;
  options.value_size = 8;
  history = create_of(&options);
  for (i = 0; i < 3; i++) { keys[i] = key_of(i); }
  assert_ok(qc_history_insert_batch(history, keys, NULL, NULL, 3, 5 * TICK_NS + 1, results, &done));
  assert_int_equal(done, 3);
  for (i = 0; i < 3; i++) {
    qc_entry_info info;
    assert_int_equal(results[i].outcome, QC_ADDED);
    assert_ok(qc_history_entry_info(history, results[i].entry, &info));
    assert_int_equal(info.inserted_at_ns, 5 * TICK_NS);
    assert_memory_equal(info.value, &zero, 8);
  }
  assert_ok(qc_history_destroy(history));
}

/* The third of five is later than the present. */
static void a_batch_stops_at_the_first_that_fails(void **state) {
  qc_history *history = create_window(100);
  int64_t times[5] = {0, 0, 20 * TICK_NS, 0, 0};
  qc_key keys[5];
  qc_insert_result results[5];
  size_t done = 99;
  size_t i;
  (void)state;
  for (i = 0; i < 5; i++) { keys[i] = key_of(i); }
  memset(results, 0xa5, sizeof results);
  assert_status(qc_history_insert_batch(history, keys, NULL, times, 5, 10 * TICK_NS, results, &done),
                QC_ERR_OUT_OF_RANGE);
  assert_error_names("inserted_at_ns");
  assert_int_equal(done, 2);
  assert_int_equal(results[0].outcome, QC_ADDED);
  assert_int_equal(results[1].outcome, QC_ADDED);
  for (i = 2 * sizeof results[0]; i < sizeof results; i++) {
    assert_int_equal(QC_CAST(unsigned char *, QC_CAST(void *, results))[i], 0xa5);
  }
  assert_int_equal(live_len(history), 2);
  assert_int_equal(seen(history, 0, 10), QC_LIVE);
  assert_int_equal(seen(history, 2, 10), QC_ABSENT);
  assert_int_equal(seen(history, 3, 10), QC_ABSENT);
  times[2] = INT64_MIN;
  done = 99;
  assert_status(qc_history_readmit_batch(history, keys, NULL, times, 5, 10 * TICK_NS, results, &done), QC_ERR_CLOCK);
  assert_int_equal(done, 2);
  assert_int_equal(results[1].outcome, QC_DUPLICATE_LIVE);
  assert_ok(qc_history_destroy(history));
}

static void erase_batch_goes_as_far_as_it_can(void **state) {
  qc_history *history = create_window(100);
  qc_entry entries[6];
  uint32_t erased[6];
  size_t done = 99;
  uint64_t i;
  (void)state;
  assert_int_equal(put(history, 0, -200, 0, &entries[0]), QC_ADDED);
  for (i = 1; i < 6; i++) { assert_int_equal(put(history, i, 0, 0, &entries[i]), QC_ADDED); }
  assert_ok(qc_history_erase(history, entries[3], 0, NULL));
  memset(erased, 0xa5, sizeof erased);
  assert_status(qc_history_erase_batch(history, entries, 6, 0, erased, &done), QC_ERR_STALE_HANDLE);
  assert_int_equal(done, 3);
  assert_int_equal(erased[0], QC_ERASED_GONE);
  assert_int_equal(erased[1], QC_ERASED_HISTORICAL);
  assert_int_equal(erased[2], QC_ERASED_HISTORICAL);
  assert_int_equal(erased[3], UINT32_C(0xa5a5a5a5));
  assert_int_equal(live_len(history), 2);
  assert_int_equal(history_len(history), 3);
  assert_ok(qc_history_erase_batch(history, entries + 4, 2, 0, NULL, &done));
  assert_int_equal(done, 2);
  assert_int_equal(live_len(history), 0);
  /* The same entry twice in one batch: the second time it is stale. */
  assert_int_equal(put(history, 10, 0, 0, &entries[0]), QC_ADDED);
  entries[1] = entries[0];
  assert_status(qc_history_erase_batch(history, entries, 2, 0, erased, &done), QC_ERR_STALE_HANDLE);
  assert_int_equal(done, 1);
  assert_ok(qc_history_destroy(history));
}

static void contains_batch_says_what_contains_says(void **state) {
  static qc_key keys[1000];
  static uint32_t presences[1000];
  qc_history *history = create_window(100);
  uint64_t i;
  (void)state;
  for (i = 0; i < 500; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  for (i = 0; i < 250; i++) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
  for (i = 0; i < 1000; i++) { keys[i] = key_of(i); }
  assert_ok(qc_history_contains_batch(history, keys, 1000, 99 * TICK_NS, presences));
  for (i = 0; i < 1000; i++) {
    assert_int_equal(presences[i], i < 250 ? QC_HISTORICAL : i < 500 ? QC_LIVE : QC_ABSENT);
  }
  assert_ok(qc_history_contains_batch(history, keys, 1000, 100 * TICK_NS, presences));
  for (i = 0; i < 1000; i++) { assert_int_equal(presences[i], i >= 250 && i < 500 ? QC_LIVE : QC_ABSENT); }
  /* It told the time. */
  assert_int_equal(seen(history, 0, 99), QC_ABSENT);
  assert_int_equal(stats(history).clock_regressions, 1);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_do_what_singles_do),
      cmocka_unit_test(values_and_times_may_be_left_out),
      cmocka_unit_test(a_batch_stops_at_the_first_that_fails),
      cmocka_unit_test(erase_batch_goes_as_far_as_it_can),
      cmocka_unit_test(contains_batch_says_what_contains_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
