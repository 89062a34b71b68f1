/* Another window while entries are stored, and forgetting everything in steps. Times are in ticks. */

#include "support.h"

static void set_window(qc_history *history, int64_t window) {
  assert_ok(qc_history_set_window(history, window * TICK_NS));
}

static qc_history *of_policy(uint32_t policy) {
  qc_history_options options = options_of(100);
  options.gc_policy = policy;
  return create_of(&options);
}

static void a_lower_window_holds_at_once(void **state) {
  qc_history *history = create_window(100);
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 1), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 1, 59), QC_HISTORICAL);
  set_window(history, 60);
  assert_int_equal(seen(history, 1, 59), QC_HISTORICAL);
  assert_int_equal(seen(history, 1, 60), QC_ABSENT);
  set_window(history, 10);
  assert_int_equal(seen(history, 1, 60), QC_ABSENT);
  assert_gc(history, 60, 10, 1, 0);
  assert_ok(qc_history_destroy(history));
}

/* What a lower window lets go is collected a step at a time, as ever. */
static void a_lower_window_is_collected_in_steps(void **state) {
  qc_history *history = of_policy(QC_GC_SCHEDULED);
  uint64_t i;
  (void)state;
  for (i = 0; i < 1000; i++) {
    assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL);
  }
  set_window(history, 0);
  assert_int_equal(history_len(history), 1000);
  assert_int_equal(seen(history, 7, 0), QC_ABSENT);
  assert_gc(history, 0, 100, 100, 1);
  assert_int_equal(history_len(history), 900);
  assert_gc(history, 0, 900, 900, 0);
  assert_int_equal(put(history, 7, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 7, 0), QC_ERASED_GONE);
  assert_ok(qc_history_destroy(history));
}

static void a_higher_window_keeps_what_had_not_expired(void **state) {
  qc_history *history = of_policy(QC_GC_SCHEDULED);
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 50, 50, NULL), QC_ADDED);
  assert_int_equal(put(history, 3, 0, 50, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 50), QC_ERASED_HISTORICAL);
  assert_int_equal(erase_key(history, 2, 50), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 1, 120), QC_ABSENT); /* expired, and not collected */
  set_window(history, 1000);
  assert_int_equal(seen(history, 1, 120), QC_ABSENT); /* and it stays so */
  assert_int_equal(erase_key(history, 3, 150), QC_ERASED_HISTORICAL); /* a live entry goes by the new one */
  assert_int_equal(seen(history, 3, 999), QC_HISTORICAL);
  assert_int_equal(seen(history, 3, 1000), QC_ABSENT);
  assert_int_equal(seen(history, 2, 1049), QC_HISTORICAL);
  assert_int_equal(seen(history, 2, 1050), QC_ABSENT);
  assert_int_equal(history_len(history), 3);
  assert_gc(history, 1050, 10, 3, 0);
  assert_ok(qc_history_destroy(history));
}

/* The same answers whether or not what expired was collected before the window was raised. */
static void answers_do_not_depend_on_collection(void **state) {
  int collects;
  (void)state;
  for (collects = 0; collects < 2; collects++) {
    qc_history *history = of_policy(QC_GC_SCHEDULED);
    uint64_t i;
    for (i = 0; i < 100; i++) {
      assert_int_equal(put(history, i, QC_CAST(int64_t, i), 99, NULL), QC_ADDED);
      if (i % 3 != 0) { assert_int_equal(erase_key(history, i, 99), QC_ERASED_HISTORICAL); }
    }
    if (collects) { assert_gc(history, 150, 1000, 34, 0); }
    assert_int_equal(seen(history, 1000, 150), QC_ABSENT);
    set_window(history, 300);
    for (i = 0; i < 100; i++) {
      const qc_presence want = i % 3 == 0 ? QC_LIVE : i <= 50 ? QC_ABSENT : QC_HISTORICAL;
      assert_int_equal(seen(history, i, 150), want);
    }
    for (i = 0; i < 100; i += 3) { assert_int_equal(erase_key(history, i, 200), QC_ERASED_HISTORICAL); }
    for (i = 0; i < 100; i += 3) {
      assert_int_equal(seen(history, i, 299), QC_HISTORICAL);
    }
    assert_int_equal(put(history, 1, 10, 299, NULL), QC_ADDED); /* one of before, by the new window */
    assert_int_equal(erase_key(history, 1, 299), QC_ERASED_HISTORICAL);
    assert_int_equal(seen(history, 1, 309), QC_HISTORICAL);
    assert_int_equal(seen(history, 1, 310), QC_ABSENT);
    assert_ok(qc_history_destroy(history));
  }
}

static void a_wrong_window_is_refused(void **state) {
  qc_history *history = create_window(100);
  const int64_t wrong[4] = {-1, INT64_MIN, TIME_MAX_NS + 1, INT64_MAX};
  int n;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  for (n = 0; n < 4; n++) {
    assert_status(qc_history_set_window(history, wrong[n]), QC_ERR_OUT_OF_RANGE);
    assert_error_names("window_ns");
  }
  assert_int_equal(seen(history, 1, 99), QC_HISTORICAL);
  assert_ok(qc_history_set_window(history, TIME_MAX_NS));
  assert_int_equal(seen(history, 1, 1000), QC_HISTORICAL);
  assert_ok(qc_history_destroy(history));
}

/* Each raise has to remember what had expired until then. That has a limit, and gc lifts it. */
static void raises_have_a_limit(void **state) {
  qc_history *history = of_policy(QC_GC_SCHEDULED);
  int64_t window = 100;
  int raises = 0;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 1, 100), QC_ABSENT);
  while (qc_history_set_window(history, window * 2 * TICK_NS) == QC_OK) {
    window *= 2;
    assert_true(++raises < 100);
  }
  assert_int_equal(raises, 16);
  assert_status(qc_history_set_window(history, window * 2 * TICK_NS), QC_ERR_CAPACITY);
  assert_error_names("gc");
  assert_gc(history, 100, 1, 1, 0);
  set_window(history, window * 2);
  assert_ok(qc_history_destroy(history));
}

static void clear_step_is_clear_in_steps(void **state) {
  qc_history *history = create_window(100);
  qc_gc_result result;
  qc_entry entry = 0;
  uint64_t i;
  (void)state;
  for (i = 0; i < 10; i++) { assert_int_equal(put(history, i, 0, 0, &entry), QC_ADDED); }
  for (i = 0; i < 10; i += 2) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
  assert_ok(qc_history_clear_step(history, 4, &result));
  assert_int_equal(result.collected, 4);
  assert_int_equal(result.more, 1);
  for (i = 1; i < 8; i += 2) { assert_int_equal(seen(history, i, 0), QC_ABSENT); } /* the live ones first */
  for (i = 0; i < 10; i += 2) { assert_int_equal(seen(history, i, 0), QC_HISTORICAL); }
  assert_int_equal(found(history, 9), entry);
  assert_ok(qc_history_clear_step(history, 0, &result));
  assert_int_equal(result.collected, 0);
  assert_int_equal(result.more, 1);
  assert_ok(qc_history_clear_step(history, UINT64_MAX, &result));
  assert_int_equal(result.collected, 6);
  assert_int_equal(result.more, 0);
  assert_int_equal(live_len(history) + history_len(history), 0);
  assert_status(qc_history_forget(history, entry), QC_ERR_STALE_HANDLE);
  assert_int_equal(put(history, 4, 0, 0, NULL), QC_ADDED);
  assert_ok(qc_history_destroy(history));
}

/* 100,000 entries, and no call moves more than the constant; memory is back at the end. */
static void a_large_clear_is_bounded(void **state) {
  qc_history *history = create_window(100);
  const uint64_t before = stats(history).bytes_in_use;
  qc_gc_result result;
  uint64_t i;
  uint64_t steps = 0;
  (void)state;
  for (i = 0; i < 100000; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  for (i = 0; i < 100000; i += 3) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
  do {
    assert_ok(qc_history_clear_step(history, 500, &result));
    assert_true(result.collected <= 500);
    steps++;
  } while (result.more);
  assert_true(steps >= 200);
  assert_true(stats(history).max_entries_moved_per_call <= 256);
  assert_true(stats(history).bytes_in_use <= before + 1024);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_lower_window_holds_at_once),
      cmocka_unit_test(a_lower_window_is_collected_in_steps),
      cmocka_unit_test(a_higher_window_keeps_what_had_not_expired),
      cmocka_unit_test(answers_do_not_depend_on_collection),
      cmocka_unit_test(a_wrong_window_is_refused),
      cmocka_unit_test(raises_have_a_limit),
      cmocka_unit_test(clear_step_is_clear_in_steps),
      cmocka_unit_test(a_large_clear_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
