/* What goes in and what comes out: insert, readmit, forget, find, contains, erase, and the values. */

#include "support.h"

static void the_second_insert_is_a_duplicate(void **state) {
  qc_history *history = create_window(100);
  qc_entry first = 0;
  qc_entry second = 0;
  (void)state;
  assert_int_equal(seen(history, 1, 0), QC_ABSENT);
  assert_int_equal(found(history, 1), 0);
  assert_int_equal(put(history, 1, 0, 0, &first), QC_ADDED);
  assert_int_not_equal(first, 0);
  assert_int_equal(put(history, 1, 5, 5, &second), QC_DUPLICATE_LIVE);
  assert_int_equal(second, first);
  assert_int_equal(found(history, 1), first);
  assert_int_equal(seen(history, 1, 5), QC_LIVE);
  assert_int_equal(erase_entry(history, first, 6), QC_ERASED_HISTORICAL);
  assert_int_equal(put(history, 1, 7, 7, &second), QC_DUPLICATE_HISTORY);
  assert_int_equal(second, 0);
  assert_int_equal(found(history, 1), 0);
  assert_int_equal(seen(history, 1, 7), QC_HISTORICAL);
  assert_int_equal(live_len(history), 0);
  assert_int_equal(history_len(history), 1);
  assert_int_equal(stats(history).duplicates, 2);
  assert_ok(qc_history_destroy(history));
}

static void a_duplicate_changes_nothing(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  const qc_key key = key_of(1);
  const uint64_t mine = 11;
  const uint64_t other = 22;
  qc_insert_result result;
  qc_entry_info info;
  (void)state;
  options.value_size = 8;
  history = create_of(&options);
  assert_ok(qc_history_insert(history, &key, &mine, 8, 0, 0, &result));
  assert_ok(qc_history_insert(history, &key, &other, 8, 9 * TICK_NS, 9 * TICK_NS, &result));
  assert_int_equal(result.outcome, QC_DUPLICATE_LIVE);
  assert_ok(qc_history_readmit(history, &key, &other, 8, 9 * TICK_NS, 9 * TICK_NS, &result));
  assert_int_equal(result.outcome, QC_DUPLICATE_LIVE);
  assert_ok(qc_history_entry_info(history, result.entry, &info));
  assert_memory_equal(info.value, &mine, 8);
  assert_int_equal(info.inserted_at_ns, 0);
  assert_memory_equal(info.key.bytes, key.bytes, 16);
  assert_ok(qc_history_destroy(history));
}

static void live_wins_at_any_age(void **state) {
  qc_history *history = create_window(100);
  qc_entry entry = 0;
  qc_entry again = 0;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, &entry), QC_ADDED);
  assert_int_equal(seen(history, 1, 1000), QC_LIVE);
  assert_int_equal(put(history, 1, 1000, 1000, &again), QC_DUPLICATE_LIVE);
  assert_int_equal(again, entry);
  assert_int_equal(readmit(history, 1, 1000, 1000, &again), QC_DUPLICATE_LIVE);
  assert_int_equal(again, entry);
  assert_gc(history, 1000, UINT64_MAX, 0, 0);
  assert_int_equal(seen(history, 1, 1000), QC_LIVE);
  assert_int_equal(erase_entry(history, entry, 1000), QC_ERASED_GONE);
  assert_int_equal(seen(history, 1, 1000), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

static void readmit_makes_a_historical_key_live_again(void **state) {
  qc_history_options options = options_of(100);
  qc_history *history;
  qc_entry old = 0;
  qc_entry entry = 0;
  qc_entry last = 0;
  (void)state;
  options.gc_policy = QC_GC_SCHEDULED; /* so that nothing passes the tombstone */
  history = create_of(&options);
  assert_int_equal(put(history, 1, 0, 0, &old), QC_ADDED);
  assert_int_equal(put(history, 2, 1, 1, NULL), QC_ADDED);
  assert_int_equal(erase_entry(history, old, 2), QC_ERASED_HISTORICAL);
  assert_int_equal(readmit(history, 1, 10, 10, &entry), QC_ADDED);
  assert_int_not_equal(entry, old);
  assert_status(qc_history_forget(history, old), QC_ERR_STALE_HANDLE);
  assert_ok(qc_history_last(history, &last));
  assert_int_equal(last, entry);
  assert_int_equal(live_len(history), 2);
  assert_int_equal(history_len(history), 0);
  assert_int_equal(stats(history).readmitted, 1);
  assert_int_equal(stats(history).tombstones, 1);
  /* Its window runs from the new insert. */
  assert_int_equal(erase_entry(history, entry, 100), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 1, 109), QC_HISTORICAL);
  assert_int_equal(seen(history, 1, 110), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
}

static void readmit_of_an_unknown_key_is_an_insert(void **state) {
  qc_history *history = create_window(100);
  (void)state;
  assert_int_equal(readmit(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  assert_int_equal(readmit(history, 1, 200, 200, NULL), QC_ADDED); /* expired: unknown as well */
  assert_int_equal(stats(history).readmitted, 0);
  assert_int_equal(live_len(history), 1);
  assert_int_equal(history_len(history), 0);
  assert_ok(qc_history_destroy(history));
}

static void forget_undoes_an_insert(void **state) {
  qc_history *history = create_window(100);
  const qc_key one = key_of(1);
  qc_entry entry = 0;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, &entry), QC_ADDED);
  assert_ok(qc_history_forget(history, entry));
  assert_int_equal(seen(history, 1, 0), QC_ABSENT);
  assert_int_equal(history_len(history), 0);
  assert_status(qc_history_forget(history, entry), QC_ERR_STALE_HANDLE);
  assert_int_equal(put(history, 1, 1, 1, NULL), QC_ADDED);
  assert_ok(qc_history_forget_key(history, &one));
  assert_int_equal(put(history, 1, 1, 1, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 1), QC_ERASED_HISTORICAL);
  assert_ok(qc_history_forget_key(history, &one)); /* historical */
  assert_int_equal(history_len(history), 0);
  assert_status(qc_history_forget_key(history, &one), QC_ERR_NOT_FOUND);
  assert_int_equal(put(history, 1, 2, 2, NULL), QC_ADDED);
  assert_int_equal(live_len(history), 1);
  assert_ok(qc_history_destroy(history));
}

/* forget_key has no time of its own: the largest seen decides, collected or not. */
static void forget_key_does_not_see_what_has_expired(void **state) {
  qc_history_options options = options_of(100);
  const qc_key one = key_of(1);
  qc_history *history;
  (void)state;
  options.gc_policy = QC_GC_SCHEDULED;
  history = create_of(&options);
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 2, 100), QC_ABSENT); /* the time is 100 now */
  assert_status(qc_history_forget_key(history, &one), QC_ERR_NOT_FOUND);
  assert_ok(qc_history_destroy(history));
}

static void expiry_counts_from_the_insert_to_the_tick(void **state) {
  qc_history *history = create_window(100);
  (void)state;
  assert_int_equal(put(history, 1, -50, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 49), QC_ERASED_HISTORICAL);
  assert_int_equal(seen(history, 1, 49), QC_HISTORICAL);
  assert_int_equal(seen(history, 1, 50), QC_ABSENT);
  assert_int_equal(erase_key(history, 2, 100), QC_ERASED_GONE);
  assert_int_equal(seen(history, 2, 100), QC_ABSENT);
  assert_int_equal(put(history, 1, 100, 100, NULL), QC_ADDED);
  assert_ok(qc_history_destroy(history));
}

static void values_are_copied_aligned_and_stay_put(void **state) {
  static const uint32_t sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 24, 100, 1000, 1023, 1024};
  unsigned char value[1024];
  size_t s;
  (void)state;
  for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    qc_history_options options = options_of(100);
    qc_history *history;
    qc_entry entries[200];
    void *addresses[200];
    uint64_t i;
    options.value_size = sizes[s];
    history = create_of(&options);
    for (i = 0; i < 200; i++) {
      const qc_key key = key_of(i);
      qc_insert_result result;
      memset(value, QC_CAST(int, i), sizeof value);
      assert_ok(qc_history_insert(history, &key, value, sizes[s], 0, 0, &result));
      memset(value, 0xee, sizeof value);
      entries[i] = result.entry;
      assert_ok(qc_history_value(history, entries[i], &addresses[i]));
      assert_int_equal((uintptr_t)addresses[i] % (sizes[s] >= 16 ? 16 : 8), 0);
    }
    for (i = 0; i < 20000; i++) { /* others come and go */
      assert_int_equal(put(history, 1000 + i, 1, 1, NULL), QC_ADDED);
      if (i >= 100) { assert_int_equal(erase_key(history, 1000 + i - 100, 1), QC_ERASED_HISTORICAL); }
    }
    for (i = 0; i < 200; i++) {
      void *address = NULL;
      qc_entry_info info;
      assert_ok(qc_history_value(history, entries[i], &address));
      assert_ptr_equal(address, addresses[i]);
      assert_ok(qc_history_entry_info(history, entries[i], &info));
      assert_ptr_equal(info.value, address);
      memset(value, QC_CAST(int, i), sizeof value);
      assert_memory_equal(address, value, sizes[s]);
    }
    assert_ok(qc_history_destroy(history));
  }
}

static void a_value_left_out_is_zeros(void **state) {
  qc_history_options options = options_of(0);
  const unsigned char zeros[40] = {0};
  unsigned char full[40];
  qc_history *history;
  uint64_t round;
  (void)state;
  options.value_size = sizeof full;
  history = create_of(&options);
  memset(full, 0xff, sizeof full);
  for (round = 0; round < 100; round++) { /* also where another value stood before */
    const qc_key key = key_of(round);
    qc_insert_result result;
    void *value = NULL;
    assert_ok(round % 2 == 0 ? qc_history_insert(history, &key, full, sizeof full, 0, 0, &result)
                             : qc_history_insert(history, &key, NULL, 0, 0, 0, &result));
    assert_ok(qc_history_value(history, result.entry, &value));
    assert_memory_equal(value, round % 2 == 0 ? full : zeros, sizeof full);
    assert_int_equal(erase_key(history, round, 0), QC_ERASED_GONE);
  }
  assert_ok(qc_history_destroy(history));
}

static void without_values_there_is_no_address(void **state) {
  qc_history *history = create_window(100);
  const qc_key key = key_of(1);
  qc_insert_result result;
  void *value = &result;
  qc_entry_info info;
  (void)state;
  assert_ok(qc_history_insert(history, &key, "", 0, 0, 0, &result)); /* a pointer to no bytes is fine */
  assert_ok(qc_history_value(history, result.entry, &value));
  assert_null(value);
  assert_ok(qc_history_entry_info(history, result.entry, &info));
  assert_null(info.value);
  assert_ok(qc_history_destroy(history));
}

static uint64_t one_for_all(void *ctx, const qc_key *key) {
  ++*QC_CAST(uint64_t *, ctx);
  (void)key;
  return 7;
}

static void a_hash_that_collides_is_slow_and_right(void **state) {
  qc_history_options options = options_of(100);
  uint64_t calls = 0;
  qc_history *history;
  uint64_t i;
  (void)state;
  options.hash = one_for_all;
  options.hash_ctx = &calls;
  history = create_of(&options);
  for (i = 0; i < 300; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  assert_true(calls > 0);
  for (i = 0; i < 300; i += 2) { assert_int_equal(erase_key(history, i, 0), QC_ERASED_HISTORICAL); }
  for (i = 0; i < 300; i++) { assert_int_equal(seen(history, i, 0), i % 2 == 0 ? QC_HISTORICAL : QC_LIVE); }
  assert_int_equal(seen(history, 300, 0), QC_ABSENT);
  assert_gc(history, 100, UINT64_MAX, 150, 0);
  for (i = 0; i < 300; i++) { assert_int_equal(seen(history, i, 100), i % 2 == 0 ? QC_ABSENT : QC_LIVE); }
  assert_ok(qc_history_destroy(history));
}

/* Keys that differ in one bit, in each of the 128. */
static void every_bit_of_a_key_counts(void **state) {
  qc_history *history = create_window(100);
  int bit;
  (void)state;
  for (bit = 0; bit < 128; bit++) {
    qc_key key;
    qc_insert_result result;
    memset(&key, 0, sizeof key);
    key.bytes[bit / 8] = QC_CAST(uint8_t, 1 << (bit % 8));
    assert_ok(qc_history_insert(history, &key, NULL, 0, 0, 0, &result));
    assert_int_equal(result.outcome, QC_ADDED);
    assert_int_equal(result.reserved, 0);
  }
  assert_int_equal(live_len(history), 128);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_second_insert_is_a_duplicate),
      cmocka_unit_test(a_duplicate_changes_nothing),
      cmocka_unit_test(live_wins_at_any_age),
      cmocka_unit_test(readmit_makes_a_historical_key_live_again),
      cmocka_unit_test(readmit_of_an_unknown_key_is_an_insert),
      cmocka_unit_test(forget_undoes_an_insert),
      cmocka_unit_test(forget_key_does_not_see_what_has_expired),
      cmocka_unit_test(expiry_counts_from_the_insert_to_the_tick),
      cmocka_unit_test(values_are_copied_aligned_and_stay_put),
      cmocka_unit_test(a_value_left_out_is_zeros),
      cmocka_unit_test(without_values_there_is_no_address),
      cmocka_unit_test(a_hash_that_collides_is_slow_and_right),
      cmocka_unit_test(every_bit_of_a_key_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
