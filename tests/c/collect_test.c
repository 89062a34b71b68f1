/* Collection: what gc takes and says, what each policy collects by itself, how a purge and a clear end. */

#include "support.h"

static qc_history *create_policy(int64_t window, uint32_t policy, uint32_t step) {
  qc_history_options options = options_of(window);
  options.gc_policy = policy;
  options.gc_step = step;
  return create_of(&options);
}

/* `count` keys from `from` on, inserted and erased at `at`. */
static void put_and_erase(qc_history *history, uint64_t from, uint64_t count, int64_t at) {
  uint64_t i;
  for (i = 0; i < count; i++) {
    assert_int_equal(put(history, from + i, at, at, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, from + i, at), QC_ERASED_HISTORICAL);
  }
}

static void gc_takes_at_most_max(void **state) {
  qc_history *history = create_policy(100, QC_GC_SCHEDULED, 0);
  (void)state;
  put_and_erase(history, 0, 10, 0);
  put_and_erase(history, 10, 5, 50);
  assert_gc(history, 99, UINT64_MAX, 0, 0);
  assert_gc(history, 100, 0, 0, 1); /* asks, and takes nothing */
  assert_gc(history, 100, 4, 4, 1);
  assert_int_equal(history_len(history), 11);
  assert_gc(history, 100, 6, 6, 0); /* all that is due: no more, though entries are left */
  assert_gc(history, 100, 6, 0, 0);
  assert_int_equal(history_len(history), 5);
  assert_gc(history, 149, UINT64_MAX, 0, 0);
  assert_gc(history, 150, UINT64_MAX, 5, 0);
  assert_int_equal(history_len(history), 0);
  assert_int_equal(stats(history).collected_total, 15);
  assert_ok(qc_history_destroy(history));
}

/* A live entry past its window costs a step once, stays live, and holds up nothing. */
static void an_old_live_head_costs_one_step_once(void **state) {
  qc_history *history = create_policy(100, QC_GC_SCHEDULED, 0);
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 0, 0, NULL), QC_ADDED);
  put_and_erase(history, 3, 2, 0);
  assert_gc(history, 100, 1, 0, 1); /* the first live one */
  assert_gc(history, 100, 2, 1, 1); /* the second, and one erased */
  assert_gc(history, 100, 5, 1, 0);
  assert_gc(history, 100, 5, 0, 0);
  assert_int_equal(live_len(history), 2);
  assert_int_equal(seen(history, 1, 100), QC_LIVE);
  assert_int_equal(erase_key(history, 1, 100), QC_ERASED_GONE);
  assert_int_equal(erase_key(history, 2, 100), QC_ERASED_GONE);
  assert_int_equal(history_len(history), 0);
  assert_gc(history, 100, 5, 0, 0); /* they left no record behind */
  assert_ok(qc_history_destroy(history));
}

static void a_tombstone_costs_a_step(void **state) {
  qc_history *history = create_policy(100, QC_GC_SCHEDULED, 0);
  const qc_key two = key_of(2);
  (void)state;
  put_and_erase(history, 1, 3, 0);
  assert_int_equal(readmit(history, 1, 5, 5, NULL), QC_ADDED); /* its old place: oldest of all */
  assert_ok(qc_history_forget_key(history, &two));
  assert_int_equal(stats(history).tombstones, 2);
  assert_int_equal(history_len(history), 1);
  assert_gc(history, 5, 0, 0, 1); /* due at once, whatever the time */
  assert_gc(history, 5, 1, 0, 1);
  assert_gc(history, 5, 9, 0, 0); /* 3 is not due */
  assert_int_equal(stats(history).tombstones, 0);
  assert_gc(history, 100, 9, 1, 0);
  assert_int_equal(stats(history).collected_total, 1);
  assert_ok(qc_history_destroy(history));
}

/* Inserted out of order: what is older stands behind what is younger. */
static void an_older_entry_behind_an_unexpired_one_waits_unseen(void **state) {
  qc_history *history = create_policy(100, QC_GC_SCHEDULED, 0);
  (void)state;
  assert_int_equal(put(history, 1, 50, 50, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 50), QC_ERASED_HISTORICAL);
  assert_int_equal(put(history, 2, 0, 50, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 2, 50), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 2, 100), QC_ABSENT);
  assert_gc(history, 100, UINT64_MAX, 0, 0);
  assert_int_equal(history_len(history), 2);
  assert_int_equal(put(history, 2, 100, 100, NULL), QC_ADDED); /* absent is absent */
  assert_gc(history, 150, UINT64_MAX, 1, 0);
  assert_int_equal(seen(history, 2, 150), QC_LIVE);
  assert_ok(qc_history_destroy(history));
}

static void steady_collects_a_few_with_every_insert(void **state) {
  static const uint32_t steps[] = {0, 1, 3, 100};
  size_t s;
  (void)state;
  for (s = 0; s < 4; s++) {
    const uint64_t step = steps[s] == 0 ? 4 : steps[s];
    qc_history *history = create_policy(100, QC_GC_STEADY, steps[s]);
    put_and_erase(history, 0, 200, 0);
    assert_int_equal(put(history, 1000, 99, 99, NULL), QC_ADDED);
    assert_int_equal(history_len(history), 200); /* nothing is due */
    assert_int_equal(put(history, 1001, 100, 100, NULL), QC_ADDED);
    assert_int_equal(history_len(history), 200 - step);
    assert_int_equal(put(history, 1001, 100, 100, NULL), QC_DUPLICATE_LIVE); /* a duplicate collects too */
    if (step == 100) {
      assert_int_equal(history_len(history), 0);
    } else {
      assert_int_equal(history_len(history), 200 - 2 * step);
      assert_int_equal(erase_key(history, 1001, 100), QC_ERASED_HISTORICAL); /* one, and itself came in */
      assert_int_equal(history_len(history), 200 - 2 * step);
      assert_int_equal(seen(history, 0, 100), QC_ABSENT); /* a look collects nothing */
      assert_int_equal(found(history, 0), 0);
      assert_int_equal(history_len(history), 200 - 2 * step);
      assert_int_equal(readmit(history, 1001, 100, 100, NULL), QC_ADDED); /* one more than an insert, and itself */
      assert_int_equal(history_len(history), 200 - 3 * step - 2);
    }
    assert_ok(qc_history_destroy(history));
  }
}

static void scheduled_collects_nothing_by_itself(void **state) {
  qc_history *history = create_policy(100, QC_GC_SCHEDULED, 50);
  uint64_t i;
  (void)state;
  put_and_erase(history, 0, 100, 0);
  assert_gc(history, 100, 10, 10, 1);
  for (i = 0; i < 50; i++) {
    assert_int_equal(put(history, 1000 + i, 200, 200, NULL), QC_ADDED);
    assert_int_equal(readmit(history, 2000 + i, 200, 200, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, 1000 + i, 200), QC_ERASED_HISTORICAL);
  }
  assert_int_equal(history_len(history), 90 + 50);
  assert_int_equal(stats(history).collected_total, 10);
  assert_ok(qc_history_destroy(history));
}

static void on_demand_collects_after_a_gc_that_left_work(void **state) {
  qc_history *history = create_policy(100, QC_GC_ON_DEMAND, 7);
  (void)state;
  put_and_erase(history, 0, 30, 0);
  assert_int_equal(put(history, 1000, 100, 100, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 30); /* nobody asked yet */
  assert_gc(history, 100, 10, 10, 1);
  assert_int_equal(put(history, 1001, 100, 100, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 13);
  assert_int_equal(erase_key(history, 1000, 100), QC_ERASED_HISTORICAL);
  assert_int_equal(history_len(history), 14); /* erase collects nothing */
  assert_int_equal(put(history, 1001, 100, 100, NULL), QC_DUPLICATE_LIVE);
  assert_int_equal(history_len(history), 7);
  assert_int_equal(put(history, 1002, 100, 100, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 1);
  /* None is left, so it stops, also when more becomes due later. */
  assert_int_equal(put(history, 1003, 200, 200, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 1);
  assert_gc(history, 200, 0, 0, 1);
  assert_int_equal(put(history, 1004, 200, 200, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 0);
  assert_ok(qc_history_destroy(history));
}

static void on_demand_collects_a_thousand_by_default(void **state) {
  qc_history *history = create_policy(100, QC_GC_ON_DEMAND, 0);
  (void)state;
  put_and_erase(history, 0, 2500, 0);
  assert_gc(history, 100, 1, 1, 1);
  assert_int_equal(put(history, 10000, 100, 100, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 1499);
  assert_gc(history, 100, UINT64_MAX, 1499, 0); /* a gc that finishes the work ends it */
  put_and_erase(history, 20000, 5, 100);
  assert_int_equal(put(history, 10001, 200, 200, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 5);
  assert_ok(qc_history_destroy(history));
}

static void until_collected_is_seen_until_it_is(void **state) {
  qc_history_options options = options_of(100);
  const qc_key one = key_of(1);
  qc_history *history;
  (void)state;
  options.gc_policy = QC_GC_SCHEDULED;
  options.visibility = QC_VISIBLE_UNTIL_COLLECTED;
  history = create_of(&options);
  put_and_erase(history, 1, 3, 0);
  assert_int_equal(seen(history, 1, 500), QC_HISTORICAL);
  assert_int_equal(put(history, 1, 500, 500, NULL), QC_DUPLICATE_HISTORY);
  assert_int_equal(readmit(history, 2, 500, 500, NULL), QC_ADDED);
  assert_int_equal(stats(history).readmitted, 1);
  assert_ok(qc_history_forget_key(history, &one));
  assert_int_equal(put(history, 1, 500, 500, NULL), QC_ADDED);
  assert_int_equal(seen(history, 3, 500), QC_HISTORICAL);
  assert_gc(history, 500, UINT64_MAX, 1, 0);
  assert_int_equal(seen(history, 3, 500), QC_ABSENT);
  /* Erased after its window: gone at once all the same. */
  assert_int_equal(erase_key(history, 1, 600), QC_ERASED_GONE);
  assert_int_equal(seen(history, 1, 600), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

static void a_purge_keeps_the_history(void **state) {
  qc_history *history = create_policy(100, QC_GC_SCHEDULED, 0);
  uint64_t count = 99;
  qc_entry entry = 0;
  uint64_t i;
  (void)state;
  assert_ok(qc_history_erase_all_live(history, 0, &count));
  assert_int_equal(count, 0);
  assert_int_equal(put(history, 1, -200, 0, &entry), QC_ADDED); /* past its window already */
  for (i = 2; i < 1000; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  assert_ok(qc_history_erase_all_live(history, 50 * TICK_NS, &count));
  assert_int_equal(count, 999);
  assert_int_equal(live_len(history), 0);
  assert_int_equal(history_len(history), 998);
  assert_int_equal(seen(history, 1, 50), QC_ABSENT);
  for (i = 2; i < 1000; i++) { assert_int_equal(seen(history, i, 50), QC_HISTORICAL); }
  assert_status(qc_history_erase(history, entry, 50 * TICK_NS, NULL), QC_ERR_STALE_HANDLE);
  assert_int_equal(put(history, 2, 50, 50, NULL), QC_DUPLICATE_HISTORY);
  assert_gc(history, 100, UINT64_MAX, 998, 0);
  assert_ok(qc_history_destroy(history));
}

static void a_purge_fits_under_max_history_or_does_nothing(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  uint64_t count = 99;
  uint64_t before;
  uint64_t i;
  (void)state;
  options.gc_policy = QC_GC_SCHEDULED;
  options.max_history = 5;
  history = create_of(&options);
  for (i = 0; i < 6; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  before = digest(history, 0);
  assert_status(qc_history_erase_all_live(history, 0, &count), QC_ERR_CAPACITY);
  assert_int_equal(count, 99);
  assert_int_equal(digest(history, 0), before);
  assert_ok(qc_history_forget(history, found(history, 0)));
  assert_ok(qc_history_erase_all_live(history, 0, &count));
  assert_int_equal(count, 5);
  assert_int_equal(history_len(history), 5);
  assert_ok(qc_history_destroy(history));
}

static void clear_keeps_the_time_and_the_counters(void **state) {
  qc_history *history = create_policy(100, QC_GC_SCHEDULED, 0);
  qc_entry entry = 99;
  (void)state;
  put_and_erase(history, 0, 10, 1000);
  assert_int_equal(put(history, 50, 1000, 1000, NULL), QC_ADDED);
  assert_int_equal(put(history, 50, 1000, 1000, NULL), QC_DUPLICATE_LIVE);
  assert_ok(qc_history_clear(history));
  assert_ok(qc_history_first(history, &entry));
  assert_int_equal(entry, 0);
  assert_int_equal(live_len(history), 0);
  assert_int_equal(history_len(history), 0);
  assert_int_equal(stats(history).tombstones, 0);
  assert_int_equal(stats(history).duplicates, 1);
  assert_gc(history, 1000, 10, 0, 0);
  assert_int_equal(put(history, 0, 900, 900, NULL), QC_ADDED); /* 900 counts as 1000, so 900 + 100 has passed */
  assert_int_equal(stats(history).clock_regressions, 1);
  assert_int_equal(erase_key(history, 0, 900), QC_ERASED_GONE);
  assert_ok(qc_history_clear(history));
  assert_ok(qc_history_clear(history));
  assert_ok(qc_history_destroy(history));
}

/* Growth and collection move a bounded number of entries per call, at any size. */
static void no_call_moves_much(void **state) {
  qc_history *history = create_policy(1000000, QC_GC_STEADY, 0);
  uint64_t small;
  uint64_t i;
  (void)state;
  for (i = 0; i < 10000; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  small = stats(history).max_entries_moved_per_call;
  for (i = 10000; i < 500000; i++) {
    assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL);
  }
  assert_gc(history, 1000000, UINT64_MAX, 490000, 0);
  assert_true(small > 0);
  assert_true(stats(history).max_entries_moved_per_call <= 256);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gc_takes_at_most_max),
      cmocka_unit_test(an_old_live_head_costs_one_step_once),
      cmocka_unit_test(a_tombstone_costs_a_step),
      cmocka_unit_test(an_older_entry_behind_an_unexpired_one_waits_unseen),
      cmocka_unit_test(steady_collects_a_few_with_every_insert),
      cmocka_unit_test(scheduled_collects_nothing_by_itself),
      cmocka_unit_test(on_demand_collects_after_a_gc_that_left_work),
      cmocka_unit_test(on_demand_collects_a_thousand_by_default),
      cmocka_unit_test(until_collected_is_seen_until_it_is),
      cmocka_unit_test(a_purge_keeps_the_history),
      cmocka_unit_test(a_purge_fits_under_max_history_or_does_nothing),
      cmocka_unit_test(clear_keeps_the_time_and_the_counters),
      cmocka_unit_test(no_call_moves_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
