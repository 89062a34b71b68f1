/* The live order: oldest insert first, both ways, through erases, readmits and purges. */

#include "support.h"

/* The live order has just these keys, forwards and backwards. */
static void expect_order(qc_history *history, const uint64_t *keys, size_t count, const char *file, int line) {
  qc_entry entry = 99;
  size_t i;
  check_status(qc_history_first(history, &entry), QC_OK, "first", file, line);
  for (i = 0; i < count; i++) {
    const qc_key key = key_of(keys[i]);
    qc_entry_info info;
    check_status(qc_history_entry_info(history, entry, &info), QC_OK, "entry_info", file, line);
    _assert_memory_equal(info.key.bytes, key.bytes, 16, file, line);
    check_status(qc_history_next(history, entry, &entry), QC_OK, "next", file, line);
  }
  _assert_int_equal(entry, 0, file, line);
  check_status(qc_history_last(history, &entry), QC_OK, "last", file, line);
  for (i = count; i > 0; i--) {
    const qc_key key = key_of(keys[i - 1]);
    qc_entry_info info;
    check_status(qc_history_entry_info(history, entry, &info), QC_OK, "entry_info", file, line);
    _assert_memory_equal(info.key.bytes, key.bytes, 16, file, line);
    check_status(qc_history_prev(history, entry, &entry), QC_OK, "prev", file, line);
  }
  _assert_int_equal(entry, 0, file, line);
}
#define assert_order(history, keys) expect_order((history), (keys), sizeof(keys) / sizeof(keys)[0], __FILE__, __LINE__)

static void an_empty_history_has_no_order(void **state) {
  qc_history *history = create_window(100);
  qc_entry entry = 99;
  (void)state;
  assert_ok(qc_history_first(history, &entry));
  assert_int_equal(entry, 0);
  entry = 99;
  assert_ok(qc_history_last(history, &entry));
  assert_int_equal(entry, 0);
  assert_ok(qc_history_destroy(history));
}

static void order_is_the_order_of_inserts(void **state) {
  static const uint64_t all[] = {5, 1, 9, 2, 7};
  static const uint64_t no_first[] = {1, 9, 2, 7};
  static const uint64_t no_middle[] = {1, 2, 7};
  static const uint64_t no_last[] = {1, 2};
  static const uint64_t back[] = {1, 2, 9, 5};
  static const uint64_t alone[] = {5};
  qc_history *history = create_window(100);
  size_t i;
  (void)state;
  for (i = 0; i < 5; i++) { assert_int_equal(put(history, all[i], -QC_CAST(int64_t, i), 0, NULL), QC_ADDED); }
  assert_order(history, all); /* whatever their times */
  assert_int_equal(put(history, 5, 0, 0, NULL), QC_DUPLICATE_LIVE);
  assert_order(history, all);
  assert_int_equal(erase_key(history, 5, 0), QC_ERASED_HISTORICAL);
  assert_order(history, no_first);
  assert_int_equal(erase_key(history, 9, 0), QC_ERASED_HISTORICAL);
  assert_order(history, no_middle);
  assert_ok(qc_history_forget(history, found(history, 7)));
  assert_order(history, no_last);
  assert_int_equal(readmit(history, 9, 0, 0, NULL), QC_ADDED);
  assert_int_equal(readmit(history, 5, 0, 0, NULL), QC_ADDED);
  assert_order(history, back);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  assert_int_equal(erase_key(history, 9, 0), QC_ERASED_HISTORICAL);
  assert_int_equal(erase_key(history, 2, 0), QC_ERASED_HISTORICAL);
  assert_order(history, alone);
  assert_ok(qc_history_destroy(history));
}

static void a_readmitted_key_can_be_erased_again(void **state) {
  qc_history *history = create_window(100);
  uint64_t round;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  for (round = 0; round < 1000; round++) {
    assert_int_equal(erase_key(history, 1, 1), QC_ERASED_HISTORICAL);
    assert_int_equal(history_len(history), 1);
    assert_int_equal(readmit(history, 1, 1, 1, NULL), QC_ADDED);
    assert_int_equal(history_len(history), 0);
    assert_int_equal(live_len(history), 1);
  }
  assert_int_equal(stats(history).readmitted, 1000);
  assert_true(stats(history).tombstones <= 1); /* each is passed as soon as it is oldest */
  assert_gc(history, 101, UINT64_MAX, 0, 0);
  assert_int_equal(stats(history).tombstones, 0);
  assert_int_equal(seen(history, 1, 101), QC_LIVE);
  assert_ok(qc_history_destroy(history));
}

static void collection_leaves_the_live_order_alone(void **state) {
  static const uint64_t rest[] = {1, 3, 5};
  qc_history *history = create_window(100);
  uint64_t i;
  (void)state;
  for (i = 1; i <= 6; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  for (i = 2; i <= 6; i += 2) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
  assert_gc(history, 5000, UINT64_MAX, 3, 0);
  assert_order(history, rest);
  assert_int_equal(erase_key(history, 3, 5000), QC_ERASED_GONE);
  assert_int_equal(history_len(history), 0);
  assert_ok(qc_history_destroy(history));
}

static void a_walk_can_start_at_a_key(void **state) {
  qc_history *history = create_window(100);
  qc_entry entry = 0;
  uint64_t i;
  (void)state;
  for (i = 0; i < 100; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  entry = found(history, 60);
  for (i = 60; i < 100; i++) {
    assert_int_equal(entry, found(history, i));
    assert_ok(qc_history_next(history, entry, &entry));
  }
  assert_int_equal(entry, 0);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_history_has_no_order),
      cmocka_unit_test(order_is_the_order_of_inserts),
      cmocka_unit_test(a_readmitted_key_can_be_erased_again),
      cmocka_unit_test(collection_leaves_the_live_order_alone),
      cmocka_unit_test(a_walk_can_start_at_a_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
