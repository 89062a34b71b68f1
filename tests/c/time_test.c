/* The rules of time: ticks, clocks that misbehave, the ends of time, entries far apart. */

#include "support.h"

/* Insert, erase and ask in ns. */
static void put_ns(qc_history *history, uint64_t number, int64_t at, int64_t now) {
  const qc_key key = key_of(number);
  qc_insert_result result;
  assert_ok(qc_history_insert(history, &key, NULL, 0, at, now, &result));
  assert_int_equal(result.outcome, QC_ADDED);
}

static qc_presence seen_ns(qc_history *history, uint64_t number, int64_t now) {
  const qc_key key = key_of(number);
  uint32_t presence = 99;
  assert_ok(qc_history_contains(history, &key, now, &presence));
  return QC_CAST(qc_presence, presence);
}

static qc_erased erase_ns(qc_history *history, uint64_t number, int64_t now) {
  const qc_key key = key_of(number);
  uint32_t erased = 99;
  assert_ok(qc_history_erase_key(history, &key, now, &erased));
  return QC_CAST(qc_erased, erased);
}

static int64_t at_ns(qc_history *history, uint64_t number) {
  qc_entry_info info;
  assert_ok(qc_history_entry_info(history, found(history, number), &info));
  return info.inserted_at_ns;
}

static qc_history *create_ns(int64_t window_ns, int64_t resolution_ns, int64_t max_clock_step_ns) {
  qc_history_options options = options_of(0);
  options.window_ns = window_ns;
  options.resolution_ns = resolution_ns;
  options.max_clock_step_ns = max_clock_step_ns;
  return create_of(&options);
}

static void inserts_round_down_windows_up_and_the_present_down(void **state) {
  qc_history *history = create_ns(1500, 1000, 0); /* a window of two ticks */
  (void)state;
  put_ns(history, 1, 999, 999);
  put_ns(history, 2, 1000, 1000);
  assert_int_equal(at_ns(history, 1), 0);
  assert_int_equal(at_ns(history, 2), 1000);
  assert_int_equal(erase_ns(history, 1, 1000), QC_ERASED_HISTORICAL);
  assert_int_equal(seen_ns(history, 1, 1999), QC_HISTORICAL);
  assert_int_equal(seen_ns(history, 1, 2000), QC_ABSENT);
  assert_int_equal(erase_ns(history, 2, 2999), QC_ERASED_HISTORICAL);
  assert_int_equal(seen_ns(history, 2, 2999), QC_HISTORICAL);
  assert_int_equal(seen_ns(history, 2, 3000), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

static void down_is_down_below_zero_too(void **state) {
  qc_history *history = create_ns(1000, 1000, 0);
  (void)state;
  put_ns(history, 1, -1, -1);
  put_ns(history, 2, -1000, -1);
  put_ns(history, 3, -1001, -1);
  assert_int_equal(at_ns(history, 1), -1000);
  assert_int_equal(at_ns(history, 2), -1000);
  assert_int_equal(at_ns(history, 3), -2000);
  assert_int_equal(erase_ns(history, 3, -1), QC_ERASED_GONE);
  assert_int_equal(erase_ns(history, 1, -1), QC_ERASED_HISTORICAL);
  assert_int_equal(seen_ns(history, 1, -1), QC_HISTORICAL);
  assert_int_equal(seen_ns(history, 1, 0), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

static void an_odd_resolution_is_exact(void **state) {
  qc_history *history = create_ns(50, 7, 0); /* 8 ticks of 7 ns */
  (void)state;
  put_ns(history, 1, 13, 13); /* tick 1 */
  assert_int_equal(at_ns(history, 1), 7);
  assert_int_equal(erase_ns(history, 1, 13), QC_ERASED_HISTORICAL);
  assert_int_equal(seen_ns(history, 1, 62), QC_HISTORICAL); /* tick 8 */
  assert_int_equal(seen_ns(history, 1, 63), QC_ABSENT);     /* tick 9 */
  assert_ok(qc_history_destroy(history));
}

static void a_present_that_goes_back_counts_as_the_largest_seen(void **state) {
  qc_history *history = create_window(100);
  const qc_key key = key_of(9);
  qc_insert_result result;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  assert_int_equal(stats(history).clock_regressions, 0);
  assert_int_equal(seen(history, 2, 100), QC_ABSENT); /* contains tells the time as well */
  assert_int_equal(seen(history, 1, 50), QC_ABSENT);
  assert_int_equal(stats(history).clock_regressions, 1);
  assert_int_equal(put(history, 1, 40, 40, NULL), QC_ADDED);
  assert_int_equal(stats(history).clock_regressions, 2);
  /* An insert time is held against the present that counts: 80 is not later than 100. */
  assert_int_equal(put(history, 3, 80, 60, NULL), QC_ADDED);
  assert_status(qc_history_insert(history, &key, NULL, 0, 100 * TICK_NS + 1, 60 * TICK_NS, &result),
                QC_ERR_OUT_OF_RANGE);
  assert_gc(history, 30, 10, 0, 0);
  assert_int_equal(erase_key(history, 1, 100), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 1, 139), QC_HISTORICAL);
  assert_int_equal(seen(history, 1, 140), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

/* A batch is one call, and tells the time once, however long it is. */
static void batch_goes_back(size_t count) {
  static qc_key keys[1000];
  static qc_insert_result results[1000];
  static qc_entry entries[1000];
  static uint32_t presences[1000];
  qc_history *history = create_window(100);
  size_t done = 0;
  size_t i;
  assert_int_equal(put(history, 5000, 50, 50, NULL), QC_ADDED);
  for (i = 0; i < count; i++) { keys[i] = key_of(i); }
  assert_ok(qc_history_insert_batch(history, keys, NULL, NULL, count, 40 * TICK_NS, results, &done));
  assert_int_equal(stats(history).clock_regressions, 1);
  assert_ok(qc_history_readmit_batch(history, keys, NULL, NULL, count, 40 * TICK_NS, results, &done));
  assert_int_equal(stats(history).clock_regressions, 2);
  assert_ok(qc_history_contains_batch(history, keys, count, 40 * TICK_NS, presences));
  assert_int_equal(stats(history).clock_regressions, 3);
  for (i = 0; i < count; i++) { entries[i] = results[i].entry; }
  assert_ok(qc_history_erase_batch(history, entries, count, 40 * TICK_NS, NULL, &done));
  assert_int_equal(stats(history).clock_regressions, 4);
  assert_ok(qc_history_destroy(history));
}

static void a_batch_that_goes_back_counts_once(void **state) {
  static const size_t counts[] = {1, 5, 64, 65, 1000};
  size_t i;
  (void)state;
  for (i = 0; i < sizeof counts / sizeof counts[0]; i++) { batch_goes_back(counts[i]); }
}

static void without_a_window_a_reset_remembers_nothing_either(void **state) {
  qc_history *history = create_window(0);
  (void)state;
  assert_int_equal(put(history, 1, 1000, 1000, NULL), QC_ADDED);
  assert_ok(qc_history_clock_reset(history, 0));
  assert_int_equal(erase_key(history, 1, 5), QC_ERASED_GONE);
  assert_int_equal(history_len(history), 0);
  assert_int_equal(seen(history, 1, 5), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

static void a_step_too_far_is_refused_until_reset(void **state) {
  qc_history *history = create_ns(100, 1, 1000);
  const qc_key key = key_of(1);
  uint32_t presence = 99;
  (void)state;
  assert_int_equal(seen_ns(history, 1, 5000), QC_ABSENT); /* the first time may be any */
  assert_int_equal(seen_ns(history, 1, 6000), QC_ABSENT);
  assert_status(qc_history_contains(history, &key, 7001, &presence), QC_ERR_CLOCK);
  assert_error_names("7001");
  assert_status(qc_history_contains(history, &key, 7001, &presence), QC_ERR_CLOCK); /* still */
  assert_int_equal(presence, 99);
  assert_ok(qc_history_clock_reset(history, 1000000));
  assert_int_equal(seen_ns(history, 1, 1001000), QC_ABSENT);
  assert_status(qc_history_contains(history, &key, 1002001, &presence), QC_ERR_CLOCK);
  assert_ok(qc_history_destroy(history));

  history = create_ns(100, 1, 0); /* switched off */
  assert_int_equal(seen_ns(history, 1, -TIME_MAX_NS), QC_ABSENT);
  assert_int_equal(seen_ns(history, 1, TIME_MAX_NS), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

static void a_reset_goes_back_too(void **state) {
  qc_history *history = create_window(100);
  (void)state;
  assert_int_equal(put(history, 1, 1000, 1000, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 1000, 1000, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 1000), QC_ERASED_HISTORICAL);
  assert_ok(qc_history_clock_reset(history, 0));
  assert_int_equal(seen(history, 1, 0), QC_HISTORICAL); /* entries keep their insert times */
  assert_int_equal(put(history, 3, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 2, 5), QC_ERASED_HISTORICAL);
  assert_int_equal(erase_key(history, 3, 5), QC_ERASED_HISTORICAL);
  assert_int_equal(stats(history).clock_regressions, 0);
  assert_int_equal(seen(history, 3, 100), QC_ABSENT);
  assert_int_equal(seen(history, 1, 1099), QC_HISTORICAL);
  assert_int_equal(seen(history, 2, 1100), QC_ABSENT);
  assert_gc(history, 1100, 100, 3, 0);
  assert_ok(qc_history_destroy(history));
}

static void time_has_ends_and_they_are_in_it(void **state) {
  static const int64_t resolutions[] = {1, 1000, 7};
  size_t r;
  (void)state;
  for (r = 0; r < 3; r++) {
    qc_history *history = create_ns(TIME_MAX_NS, resolutions[r], 0);
    put_ns(history, 1, -TIME_MAX_NS, -TIME_MAX_NS);
    assert_int_equal(erase_ns(history, 1, -TIME_MAX_NS), QC_ERASED_HISTORICAL);
    assert_int_equal(seen_ns(history, 1, -2 * resolutions[r]), QC_HISTORICAL); /* half of all time later */
    assert_int_equal(seen_ns(history, 1, resolutions[r]), QC_ABSENT);
    put_ns(history, 2, -TIME_MAX_NS, resolutions[r]); /* expired when it comes in; live all the same */
    put_ns(history, 3, 2 * resolutions[r], TIME_MAX_NS);
    put_ns(history, 4, TIME_MAX_NS, TIME_MAX_NS);
    assert_int_equal(erase_ns(history, 2, TIME_MAX_NS), QC_ERASED_GONE);
    assert_int_equal(erase_ns(history, 3, TIME_MAX_NS), QC_ERASED_HISTORICAL);
    assert_int_equal(erase_ns(history, 4, TIME_MAX_NS), QC_ERASED_HISTORICAL);
    assert_int_equal(seen_ns(history, 3, TIME_MAX_NS), QC_HISTORICAL);
    assert_int_equal(seen_ns(history, 4, TIME_MAX_NS), QC_HISTORICAL);
    assert_ok(qc_history_destroy(history));
  }
}

/* Gaps in which a 4-byte offset of ticks would wrap, many times over. */
static void idle_years_wrap_nothing(void **state) {
  const int64_t year = INT64_C(31536000000000000);
  qc_history *history = create_ns(3 * year, 1, 0);
  int64_t i;
  (void)state;
  for (i = 0; i < 50; i++) {
    put_ns(history, QC_CAST(uint64_t, i), i * year, i * year);
    assert_int_equal(erase_ns(history, QC_CAST(uint64_t, i), i * year), QC_ERASED_HISTORICAL);
    assert_int_equal(seen_ns(history, QC_CAST(uint64_t, i), i * year), QC_HISTORICAL);
    if (i >= 3) {
      assert_int_equal(seen_ns(history, QC_CAST(uint64_t, i - 2), i * year), QC_HISTORICAL);
      assert_int_equal(seen_ns(history, QC_CAST(uint64_t, i - 3), i * year), QC_ABSENT);
    }
  }
  assert_ok(qc_history_destroy(history));
}

/* Times that jump there and back, by more than an offset holds either way. */
static void insert_times_may_come_in_any_order(void **state) {
  static const int64_t offsets[] = {0, -5, -6000000000, -3, -60000000000000000, -1, -4294967296, -4294967295, -2};
  qc_history *history = create_ns(10, 1, 0);
  const int64_t now = 1000;
  size_t i;
  (void)state;
  for (i = 0; i < sizeof offsets / sizeof offsets[0]; i++) { put_ns(history, i, now + offsets[i], now); }
  for (i = 0; i < sizeof offsets / sizeof offsets[0]; i++) { assert_int_equal(at_ns(history, i), now + offsets[i]); }
  for (i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
    assert_int_equal(erase_ns(history, i, now), offsets[i] > -10 ? QC_ERASED_HISTORICAL : QC_ERASED_GONE);
  }
  for (i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
    if (offsets[i] > -10) { assert_int_equal(seen_ns(history, i, now), QC_HISTORICAL); }
  }
  for (i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
    assert_int_equal(seen_ns(history, i, now + 7), offsets[i] > -3 ? QC_HISTORICAL : QC_ABSENT);
  }
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inserts_round_down_windows_up_and_the_present_down),
      cmocka_unit_test(down_is_down_below_zero_too),
      cmocka_unit_test(an_odd_resolution_is_exact),
      cmocka_unit_test(a_present_that_goes_back_counts_as_the_largest_seen),
      cmocka_unit_test(a_batch_that_goes_back_counts_once),
      cmocka_unit_test(without_a_window_a_reset_remembers_nothing_either),
      cmocka_unit_test(a_step_too_far_is_refused_until_reset),
      cmocka_unit_test(a_reset_goes_back_too),
      cmocka_unit_test(time_has_ends_and_they_are_in_it),
      cmocka_unit_test(idle_years_wrap_nothing),
      cmocka_unit_test(insert_times_may_come_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
