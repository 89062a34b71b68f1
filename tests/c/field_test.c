/* The History cases of the design's field list: what people who run brokers ran into, each reduced to
   calls. Times are in ticks, w is the window. */

#include "support.h"

static void field_01_nats_7302_duplicates_never_extend(void **state) {
  qc_history *history = create_window(120);
  qc_entry entry;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, &entry), QC_ADDED);
  assert_int_equal(erase_entry(history, entry, 1), QC_ERASED_HISTORICAL);
  assert_int_equal(put(history, 1, 60, 60, NULL), QC_DUPLICATE_HISTORY);
  assert_int_equal(put(history, 1, 119, 119, NULL), QC_DUPLICATE_HISTORY);
  assert_int_equal(put(history, 1, 120, 120, NULL), QC_ADDED);
  assert_ok(qc_history_destroy(history));
}

static void field_02_hermes_10494_expiry_needs_no_collection(void **state) {
  qc_history_options options = options_of(120);
  qc_history *history;
  int until_collected;
  (void)state;
  for (until_collected = 0; until_collected <= 1; until_collected++) {
    options.visibility = until_collected ? QC_VISIBLE_UNTIL_COLLECTED : QC_VISIBLE_UNTIL_EXPIRY;
    history = create_of(&options);
    assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, 1, 1), QC_ERASED_HISTORICAL);
    assert_int_equal(seen(history, 1, 119), QC_HISTORICAL);
    assert_int_equal(seen(history, 1, 120), until_collected ? QC_HISTORICAL : QC_ABSENT);
    if (until_collected) {
      assert_gc(history, 120, 1, 1, 0);
      assert_int_equal(seen(history, 1, 120), QC_ABSENT);
    }
    assert_ok(qc_history_destroy(history));
  }
}

static void field_03_elasticmq_354_localstack_8146_erased_is_still_a_duplicate(void **state) {
  qc_history *history = create_window(120);
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 1), QC_ERASED_HISTORICAL);
  assert_int_equal(put(history, 1, 2, 2, NULL), QC_DUPLICATE_HISTORY);
  assert_ok(qc_history_destroy(history));
}

/* 1000 keys at 0, erased in the way that `how` says; then collected at w. */
static void erase_thousand(int how) {
  qc_history *history = create_window(120);
  qc_entry entries[1000];
  const int64_t now = how == 3 ? 120 : 1;
  const qc_erased want = how == 3 ? QC_ERASED_GONE : QC_ERASED_HISTORICAL;
  uint64_t i;
  for (i = 0; i < 1000; i++) { assert_int_equal(put(history, i, 0, 0, &entries[i]), QC_ADDED); }
  if (how == 0 || how == 3) {
    for (i = 0; i < 1000; i++) { assert_int_equal(erase_entry(history, entries[i], now), want); }
  } else if (how == 1) {
    for (i = 0; i < 1000; i++) { assert_int_equal(erase_key(history, i, now), want); }
  } else {
    qc_entry walk = 0;
    assert_ok(qc_history_first(history, &walk));
    while (walk != 0) {
      qc_entry next = 0;
      assert_ok(qc_history_next(history, walk, &next));
      assert_int_equal(erase_entry(history, walk, now), want);
      walk = next;
    }
  }
  assert_int_equal(live_len(history), 0);
  assert_int_equal(history_len(history), how == 3 ? 0 : 1000);
  assert_gc(history, 120, UINT64_MAX, how == 3 ? 0 : 1000, 0);
  assert_int_equal(live_len(history), 0);
  assert_int_equal(history_len(history), 0);
  assert_ok(qc_history_destroy(history));
}

static void field_04_rabbitmq_dedup_52_every_way_out_is_collected(void **state) {
  int how;
  (void)state;
  for (how = 0; how < 4; how++) { erase_thousand(how); }
}

static void field_05_nats_8594_collection_is_complete_in_one_call(void **state) {
  qc_history *history = create_window(120);
  uint64_t i;
  (void)state;
  for (i = 0; i < 1000; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  for (i = 0; i < 1000; i++) { assert_int_equal(erase_key(history, i, 1), QC_ERASED_HISTORICAL); }
  assert_gc(history, 120, 1000000, 1000, 0);
  assert_gc(history, 120, 1000000, 0, 0);
  assert_ok(qc_history_destroy(history));
}

static void field_06_nats_1668_elasticmq_437_clear_forgets_all_and_gives_memory_back(void **state) {
  qc_history_options options = options_of(120);
  host_memory memory;
  qc_history *history;
  qc_entry entry;
  qc_entry again;
  uint64_t empty_bytes;
  uint64_t i;
  (void)state;
  host_attach(&memory, &options);
  history = create_of(&options);
  empty_bytes = memory.bytes;
  for (i = 0; i < 10000; i++) { assert_int_equal(put(history, i, 0, 0, &entry), QC_ADDED); }
  for (i = 0; i < 5000; i++) { assert_int_equal(erase_key(history, i, 1), QC_ERASED_HISTORICAL); }
  assert_ok(qc_history_clear(history));
  assert_int_equal(live_len(history), 0);
  assert_int_equal(history_len(history), 0);
  /* "Back" up to a few chunks kept in reserve: nothing that grew with the 10,000. */
  assert_true(memory.bytes <= empty_bytes + 8192);
  assert_status(qc_history_erase(history, entry, 2 * TICK_NS, NULL), QC_ERR_STALE_HANDLE);
  assert_int_equal(put(history, 9999, 2, 2, &again), QC_ADDED);
  assert_int_equal(put(history, 0, 2, 2, NULL), QC_ADDED);
  assert_int_not_equal(again, entry);
  assert_status(qc_history_forget(history, entry), QC_ERR_STALE_HANDLE);
  assert_ok(qc_history_destroy(history));
  assert_balanced(&memory);
}

static void field_07_nats_7651_blazingmq_494_window_zero_is_no_history(void **state) {
  qc_history_options options = options_of(0);
  qc_history *history = create_of(&options);
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_DUPLICATE_LIVE);
  assert_int_equal(erase_key(history, 1, 0), QC_ERASED_GONE);
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(history_len(history), 0);
  assert_ok(qc_history_destroy(history));

  options.window_ns = -1;
  history = NULL;
  assert_status(qc_history_create(&options, &history), QC_ERR_OUT_OF_RANGE);
  assert_error_names("window_ns");
  assert_null(history);
}

static void field_08_rabbitmq_dedup_80_a_full_history(void **state) {
  qc_history_options options = options_of(120);
  qc_history *history;
  uint64_t before;
  qc_key third = key_of(3);
  uint32_t erased = 77;
  int evict;
  (void)state;
  options.max_history = 2;
  for (evict = 0; evict <= 1; evict++) {
    options.overflow = evict ? QC_OVERFLOW_EVICT_OLDEST : QC_OVERFLOW_REJECT;
    history = create_of(&options);
    assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
    assert_int_equal(put(history, 2, 1, 1, NULL), QC_ADDED);
    assert_int_equal(put(history, 3, 2, 2, NULL), QC_ADDED);
    assert_int_equal(erase_key(history, 1, 3), QC_ERASED_HISTORICAL);
    assert_int_equal(erase_key(history, 2, 3), QC_ERASED_HISTORICAL);
    if (evict) {
      assert_int_equal(erase_key(history, 3, 3), QC_ERASED_HISTORICAL);
      assert_int_equal(seen(history, 1, 3), QC_ABSENT);
      assert_int_equal(seen(history, 2, 3), QC_HISTORICAL);
      assert_int_equal(seen(history, 3, 3), QC_HISTORICAL);
      assert_int_equal(stats(history).evicted_early, 1);
    } else {
      before = digest(history, 0);
      assert_status(qc_history_erase_key(history, &third, 3 * TICK_NS, &erased), QC_ERR_CAPACITY);
      assert_int_equal(erased, 77);
      assert_int_equal(digest(history, 0), before);
      assert_int_equal(seen(history, 3, 3), QC_LIVE);
      assert_int_equal(stats(history).evicted_early, 0);
    }
    assert_int_equal(history_len(history), 2);
    assert_ok(qc_history_destroy(history));
  }
}

static void field_09_valkey_2257_a_walk_that_erases_and_inserts(void **state) {
  qc_history *history = create_window(120);
  int visits[500];
  qc_entry walk = 0;
  uint64_t fresh = 500;
  uint64_t i;
  (void)state;
  memset(visits, 0, sizeof visits);
  for (i = 0; i < 500; i++) { assert_int_equal(put(history, i, 0, 0, NULL), QC_ADDED); }
  assert_ok(qc_history_first(history, &walk));
  while (walk != 0) {
    qc_entry_info info;
    qc_entry next = 0;
    uint64_t number = 0;
    assert_ok(qc_history_entry_info(history, walk, &info));
    memcpy(&number, info.key.bytes, sizeof number);
    if (number >= 500) { break; } /* the first of those that the walk itself put in */
    visits[number]++;
    assert_int_equal(put(history, fresh++, 1, 1, NULL), QC_ADDED);
    assert_ok(qc_history_next(history, walk, &next));
    assert_int_equal(erase_entry(history, walk, 1), QC_ERASED_HISTORICAL);
    walk = next;
  }
  for (i = 0; i < 500; i++) { assert_int_equal(visits[i], 1); }
  assert_int_equal(live_len(history), 500);
  assert_int_equal(history_len(history), 500);
  assert_ok(qc_history_destroy(history));
}

/* Resident bytes of this process, from the kernel. */
static uint64_t resident_bytes(void) {
  unsigned long long pages = 0;
  unsigned long long resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%llu %llu", &pages, &resident), 2);
  assert_int_equal(fclose(file), 0);
  return resident * 4096;
}

static void field_10_nats_4397_8485_memory_comes_back(void **state) {
  const uint64_t count = 10000000;
  qc_history_options options = options_of(120);
  uint64_t resident_before;
  uint64_t resident_peak;
  uint64_t resident_after;
  uint64_t peak;
  qc_history *history;
  uint64_t i;
  (void)state;
  options.gc_policy = QC_GC_SCHEDULED;
  resident_before = resident_bytes();
  history = create_of(&options);
  for (i = 0; i < count; i++) {
    qc_entry entry = 0;
    assert_int_equal(put(history, i, 0, 0, &entry), QC_ADDED);
    assert_int_equal(erase_entry(history, entry, 1), QC_ERASED_HISTORICAL);
  }
  peak = stats(history).bytes_in_use;
  resident_peak = resident_bytes() - resident_before;
  assert_true(peak >= count * 20);          /* a key and a time each at the least */
  assert_true(resident_peak >= count * 20); /* so it is really there */
  assert_gc(history, 120, UINT64_MAX, count, 0);
  assert_true(stats(history).bytes_in_use * 50 <= peak);
  resident_after = resident_bytes();
  resident_after = resident_after > resident_before ? resident_after - resident_before : 0;
  print_message("bytes %llu of %llu, resident %llu of %llu\n",
                QC_CAST(unsigned long long, stats(history).bytes_in_use), QC_CAST(unsigned long long, peak),
                QC_CAST(unsigned long long, resident_after), QC_CAST(unsigned long long, resident_peak));
  assert_true(resident_after * 50 <= resident_peak);
  assert_ok(qc_history_destroy(history));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(field_01_nats_7302_duplicates_never_extend),
      cmocka_unit_test(field_02_hermes_10494_expiry_needs_no_collection),
      cmocka_unit_test(field_03_elasticmq_354_localstack_8146_erased_is_still_a_duplicate),
      cmocka_unit_test(field_04_rabbitmq_dedup_52_every_way_out_is_collected),
      cmocka_unit_test(field_05_nats_8594_collection_is_complete_in_one_call),
      cmocka_unit_test(field_06_nats_1668_elasticmq_437_clear_forgets_all_and_gives_memory_back),
      cmocka_unit_test(field_07_nats_7651_blazingmq_494_window_zero_is_no_history),
      cmocka_unit_test(field_08_rabbitmq_dedup_80_a_full_history),
      cmocka_unit_test(field_09_valkey_2257_a_walk_that_erases_and_inserts),
      cmocka_unit_test(field_10_nats_4397_8485_memory_comes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
