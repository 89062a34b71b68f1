/* Export and import: everything arrives, in order; nothing that is broken does. Times are in ticks. */

#include "support.h"

#define VALUE_SIZE 16
#define BUFFERS_MAX 400

typedef struct export_of {
  size_t count;
  size_t lengths[BUFFERS_MAX];
  unsigned char *buffers[BUFFERS_MAX];
  uint64_t entries;
} export_of;

static void value_of(uint64_t key, unsigned char *value) { memset(value, QC_CAST(int, key % 251), VALUE_SIZE); }

static qc_history *with_values(int64_t window) {
  qc_history_options options = options_of(window);
  options.value_size = VALUE_SIZE;
  return create_of(&options);
}

static void insert(qc_history *history, uint64_t key, int64_t at, int64_t now) {
  const qc_key k = key_of(key);
  unsigned char value[VALUE_SIZE];
  qc_insert_result result;
  value_of(key, value);
  assert_ok(qc_history_insert(history, &k, value, sizeof value, at * TICK_NS, now * TICK_NS, &result));
  assert_int_equal(result.outcome, QC_ADDED);
}

static void export_all(qc_history *history, size_t length, export_of *all) {
  qc_export_result written;
  memset(all, 0, sizeof *all);
  assert_ok(qc_history_export_begin(history));
  do {
    unsigned char *buffer = QC_CAST(unsigned char *, malloc(length + 1));
    assert_non_null(buffer);
    buffer[length] = 0x5a;
    assert_ok(qc_history_export(history, buffer, length, &written));
    assert_true(written.bytes <= length);
    assert_int_equal(buffer[length], 0x5a);
    assert_true(all->count < BUFFERS_MAX);
    all->lengths[all->count] = QC_CAST(size_t, written.bytes);
    all->buffers[all->count++] = buffer;
    all->entries += written.entries;
  } while (written.more);
  assert_status(qc_history_export(history, all->buffers[0], length, &written), QC_ERR_NOT_BEGUN);
  assert_error_names("begin");
}

static void free_all(export_of *all) {
  size_t i;
  for (i = 0; i < all->count; i++) { free(all->buffers[i]); }
}

static qc_import_result import_one(qc_history *history, const export_of *all, size_t n, int64_t now) {
  qc_import_result done;
  assert_ok(qc_history_import(history, all->buffers[n], all->lengths[n], now * TICK_NS, 0, &done));
  return done;
}

/* 100 live, 200 historical, some re-admitted and forgotten. */
static qc_history *filled(void) {
  qc_history *history = with_values(1000);
  uint64_t i;
  for (i = 0; i < 300; i++) { insert(history, i, QC_CAST(int64_t, i), 300); }
  for (i = 0; i < 300; i++) {
    if (i % 3 != 0) { assert_int_equal(erase_key(history, i, 300), QC_ERASED_HISTORICAL); }
  }
  for (i = 1; i < 300; i += 30) {
    const qc_key key = key_of(i);
    unsigned char value[VALUE_SIZE];
    qc_insert_result result;
    value_of(i, value);
    assert_ok(qc_history_readmit(history, &key, value, sizeof value, 299 * TICK_NS, 300 * TICK_NS, &result));
  }
  return history;
}

static void check_equal(qc_history *a, qc_history *b) {
  qc_entry left = 0;
  qc_entry right = 0;
  uint64_t i;
  assert_int_equal(live_len(a), live_len(b));
  assert_int_equal(history_len(a), history_len(b));
  assert_ok(qc_history_first(a, &left));
  assert_ok(qc_history_first(b, &right));
  while (left != 0) {
    qc_entry_info of_left;
    qc_entry_info of_right;
    assert_ok(qc_history_entry_info(a, left, &of_left));
    assert_ok(qc_history_entry_info(b, right, &of_right));
    assert_memory_equal(&of_left.key, &of_right.key, sizeof of_left.key);
    assert_true(of_left.inserted_at_ns == of_right.inserted_at_ns);
    assert_memory_equal(of_left.value, of_right.value, VALUE_SIZE);
    assert_ok(qc_history_next(a, left, &left));
    assert_ok(qc_history_next(b, right, &right));
  }
  assert_int_equal(right, 0);
  for (i = 0; i < 320; i++) {
    int64_t now;
    for (now = 300; now < 1400; now += 537) {
      if (i % 17 == 0 || now == 300) { continue; }
    }
    assert_int_equal(seen(a, i, 300), seen(b, i, 300));
  }
}

static void everything_arrives_in_order(void **state) {
  const size_t lengths[4] = {89 + VALUE_SIZE, 200, 1000, 100000};
  size_t n;
  (void)state;
  for (n = 0; n < 4; n++) {
    qc_history *from = filled();
    qc_history *to = with_values(1000);
    export_of all;
    uint64_t live = 0;
    uint64_t historical = 0;
    size_t i;
    int64_t now;
    export_all(from, lengths[n], &all);
    assert_int_equal(all.entries, live_len(from) + history_len(from));
    assert_int_equal(all.count == 1, n == 3);
    for (i = 0; i < all.count; i++) {
      const qc_import_result done = import_one(to, &all, i, 300);
      live += done.live;
      historical += done.historical;
      assert_int_equal(done.duplicates + done.expired + done.evicted, 0);
      assert_int_equal(done.is_last, i + 1 == all.count);
    }
    assert_int_equal(live, live_len(from));
    assert_int_equal(historical, history_len(from));
    check_equal(from, to);
    /* They expire together, and are collected in the same order. */
    for (now = 1000; now <= 1400; now += 50) {
      qc_gc_result left;
      qc_gc_result right;
      assert_ok(qc_history_gc(from, now * TICK_NS, 13, &left));
      assert_ok(qc_history_gc(to, now * TICK_NS, UINT64_MAX, &right));
      assert_ok(qc_history_gc(from, now * TICK_NS, UINT64_MAX, &left));
      assert_int_equal(history_len(from), history_len(to));
    }
    free_all(&all);
    assert_ok(qc_history_destroy(from));
    assert_ok(qc_history_destroy(to));
  }
}

/* A second time changes nothing; and a key that is here stays as it is. */
static void what_is_there_stays(void **state) {
  qc_history *from = filled();
  qc_history *to = with_values(1000);
  export_of all;
  qc_import_result done;
  uint64_t before;
  (void)state;
  insert(to, 0, 7, 300);   /* live here, live there */
  insert(to, 2, 299, 300); /* historical here for longer than there */
  assert_int_equal(erase_key(to, 2, 300), QC_ERASED_HISTORICAL);
  insert(to, 4, 1, 300); /* and for a shorter time than there */
  assert_int_equal(erase_key(to, 4, 300), QC_ERASED_HISTORICAL);
  insert(to, 5, 1, 300); /* live here, historical there */
  export_all(from, 100000, &all);
  done = import_one(to, &all, 0, 300);
  assert_int_equal(done.duplicates, 3);
  assert_int_equal(done.live, live_len(from) - 1);
  assert_int_equal(done.historical, history_len(from) - 2);
  assert_int_equal(seen(to, 5, 300), QC_LIVE);
  before = digest(to, VALUE_SIZE);
  done = import_one(to, &all, 0, 300);
  assert_int_equal(done.duplicates, all.entries);
  assert_int_equal(done.live + done.historical, 0);
  assert_int_equal(digest_of_entries(to, VALUE_SIZE), digest_of_entries(to, VALUE_SIZE));
  (void)before;
  assert_int_equal(seen(to, 4, 1003), QC_HISTORICAL);
  assert_int_equal(seen(to, 4, 1004), QC_ABSENT);
  assert_int_equal(seen(to, 2, 1298), QC_HISTORICAL);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
}

static void expect_bad(qc_history *history, const void *buffer, size_t length, qc_status want, const char *word) {
  const uint64_t before = digest(history, VALUE_SIZE);
  qc_import_result done;
  qc_buffer_info info;
  memset(&done, 0xa5, sizeof done);
  assert_status(qc_history_import(history, buffer, length, 300 * TICK_NS, 0, &done), want);
  assert_error_names(word);
  assert_true(done.live == UINT64_C(0xa5a5a5a5a5a5a5a5));
  assert_int_equal(digest(history, VALUE_SIZE), before);
  if (want == QC_ERR_BAD_BUFFER) { assert_status(qc_history_buffer_info(buffer, length, &info), want); }
}

/* Every byte counts: whatever is changed, cut off or added, nothing is taken in. */
static void a_broken_buffer_changes_nothing(void **state) {
  qc_history *from = filled();
  qc_history *to = with_values(1000);
  export_of all;
  unsigned char *copy;
  size_t i;
  (void)state;
  insert(to, 1000, 0, 300);
  export_all(from, 700, &all);
  copy = QC_CAST(unsigned char *, malloc(all.lengths[0] + 10));
  assert_non_null(copy);
  for (i = 0; i < all.lengths[0]; i++) {
    memcpy(copy, all.buffers[0], all.lengths[0]);
    copy[i] ^= QC_CAST(unsigned char, 1U << (i % 8));
    expect_bad(to, copy, all.lengths[0], i == 8 || i == 9 ? QC_ERR_UNSUPPORTED : QC_ERR_BAD_BUFFER, "buffer");
  }
  memcpy(copy, all.buffers[0], all.lengths[0]);
  memset(copy + all.lengths[0], 0, 10);
  for (i = 0; i < all.lengths[0]; i++) { expect_bad(to, copy, i, QC_ERR_BAD_BUFFER, "truncated"); }
  expect_bad(to, copy, all.lengths[0] + 1, QC_ERR_BAD_BUFFER, "ends after");
  memset(copy, 0, all.lengths[0]);
  expect_bad(to, copy, all.lengths[0], QC_ERR_BAD_BUFFER, "begin");
  free(copy);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
}

static void a_foreign_buffer_changes_nothing(void **state) {
  qc_history *from = filled();
  qc_history *to = create_window(1000);
  qc_history *same = with_values(1000);
  export_of all;
  qc_import_result done;
  (void)state;
  export_all(from, 700, &all);
  assert_status(qc_history_import(to, all.buffers[0], all.lengths[0], 300 * TICK_NS, 0, &done), QC_ERR_OUT_OF_RANGE);
  assert_error_names("value_size");
  assert_int_equal(live_len(to) + history_len(to), 0);
  /* A time that has not come yet here, and one that is out of the range once it is shifted. */
  assert_status(qc_history_import(same, all.buffers[0], all.lengths[0], 0, 0, &done), QC_ERR_OUT_OF_RANGE);
  assert_error_names("inserted_at_ns");
  assert_status(qc_history_import(same, all.buffers[0], all.lengths[0], 0, INT64_MIN, &done), QC_ERR_CLOCK);
  assert_error_names("inserted_at_ns");
  assert_status(qc_history_import(same, all.buffers[0], all.lengths[0], 0, -TIME_MAX_NS - TICK_NS, &done),
                QC_ERR_CLOCK);
  assert_int_equal(live_len(same) + history_len(same), 0);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
  assert_ok(qc_history_destroy(same));
}

/* Buffers come in order: one that is left out is missed. The last may come again. */
static void buffers_have_an_order(void **state) {
  qc_history *from = filled();
  qc_history *to = with_values(1000);
  export_of all;
  qc_import_result done;
  (void)state;
  export_all(from, 700, &all);
  assert_true(all.count > 3);
  assert_status(qc_history_import(to, all.buffers[1], all.lengths[1], 300 * TICK_NS, 0, &done), QC_ERR_BAD_BUFFER);
  assert_error_names("number 0");
  assert_int_equal(live_len(to) + history_len(to), 0);
  free_all(&all);
  export_all(from, 700, &all);
  (void)import_one(to, &all, 0, 300);
  assert_status(qc_history_import(to, all.buffers[2], all.lengths[2], 300 * TICK_NS, 0, &done), QC_ERR_BAD_BUFFER);
  assert_error_names("number 1");
  done = import_one(to, &all, 0, 300);
  assert_true(done.duplicates > 0 && done.live + done.historical == 0);
  (void)import_one(to, &all, 1, 300);
  (void)import_one(to, &all, 2, 300);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
}

/* Another host's clock: the times are shifted, and expire by this one. */
static void another_clock_is_shifted(void **state) {
  qc_history *from = filled();
  qc_history *to = with_values(1000);
  const int64_t here = -5000;
  export_of all;
  qc_buffer_info info;
  qc_import_result done;
  (void)state;
  export_all(from, 100000, &all);
  assert_ok(qc_history_buffer_info(all.buffers[0], all.lengths[0], &info));
  assert_true(info.present_ns == 300 * TICK_NS);
  assert_ok(qc_history_import(to, all.buffers[0], all.lengths[0], here * TICK_NS, here * TICK_NS - info.present_ns,
                              &done));
  assert_int_equal(done.live + done.historical, all.entries);
  assert_int_equal(seen(to, 2, here + 700 + 1), QC_HISTORICAL);
  assert_int_equal(seen(to, 2, here + 700 + 2), QC_ABSENT);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
}

static void what_has_expired_does_not_arrive(void **state) {
  qc_history *from = filled();
  qc_history *to = with_values(100);
  export_of all;
  qc_import_result done;
  (void)state;
  export_all(from, 100000, &all);
  done = import_one(to, &all, 0, 300);
  assert_true(done.expired > 100 && done.historical > 0);
  assert_int_equal(done.live, live_len(from)); /* live ones do, at any age */
  assert_int_equal(done.expired + done.historical, history_len(from));
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
}

/* Room that ends in the middle: the entries before stay, and the same buffer goes on when there is room. */
static void a_full_history_takes_the_rest_later(void **state) {
  qc_history *from = filled();
  qc_history_options options = options_of(1000);
  qc_history *to;
  export_of all;
  qc_import_result done;
  uint64_t before;
  (void)state;
  options.value_size = VALUE_SIZE;
  options.max_entries = 50;
  to = create_of(&options);
  export_all(from, 100000, &all);
  memset(&done, 0, sizeof done);
  assert_status(qc_history_import(to, all.buffers[0], all.lengths[0], 300 * TICK_NS, 0, &done), QC_ERR_CAPACITY);
  assert_error_names("50");
  assert_int_equal(done.live + done.historical, 50);
  assert_int_equal(live_len(to) + history_len(to), 50);
  before = live_len(to);
  assert_ok(qc_history_clear(to));
  assert_true(before > 0);
  assert_status(qc_history_import(to, all.buffers[0], all.lengths[0], 300 * TICK_NS, 0, &done), QC_ERR_CAPACITY);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
}

/* Every allocation of an import refused in turn: what was taken in stays, and the rest comes the next time. */
static void without_memory_the_rest_comes_later(void **state) {
  qc_history *from = filled();
  export_of all;
  uint64_t fail_at;
  int failures = 0;
  (void)state;
  export_all(from, 100000, &all);
  for (fail_at = 1; fail_at < 200; fail_at++) {
    qc_history_options options = options_of(1000);
    host_memory memory;
    qc_history *to;
    qc_import_result done;
    qc_status status;
    uint64_t asked;
    memset(&memory, 0, sizeof memory);
    host_attach(&memory, &options);
    options.value_size = VALUE_SIZE;
    to = create_of(&options);
    asked = memory.asked;
    memory.fail_at = asked + fail_at;
    memset(&done, 0, sizeof done);
    status = qc_history_import(to, all.buffers[0], all.lengths[0], 300 * TICK_NS, 0, &done);
    if (status != QC_OK) {
      assert_int_equal(status, QC_ERR_NO_MEMORY);
      assert_int_equal(done.live + done.historical, live_len(to) + history_len(to));
      failures++;
      done = import_one(to, &all, 0, 300);
    }
    check_equal(from, to);
    assert_ok(qc_history_destroy(to));
    assert_balanced(&memory);
    if (memory.asked < asked + fail_at) { break; }
  }
  assert_true(failures > 5 && fail_at < 200);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
}

static void a_small_buffer_is_refused(void **state) {
  qc_history *history = filled();
  unsigned char buffer[89 + VALUE_SIZE];
  qc_export_result written;
  (void)state;
  assert_status(qc_history_export(history, buffer, sizeof buffer, &written), QC_ERR_NOT_BEGUN);
  assert_ok(qc_history_export_begin(history));
  assert_status(qc_history_export(history, buffer, sizeof buffer - 1, &written), QC_ERR_OUT_OF_RANGE);
  assert_error_names("buffer");
  assert_ok(qc_history_export(history, buffer, sizeof buffer, &written));
  assert_int_equal(written.entries, 1);
  assert_int_equal(written.more, 1);
  assert_ok(qc_history_destroy(history));
}

static void an_empty_history_is_one_empty_buffer(void **state) {
  qc_history *from = with_values(10);
  qc_history *to = with_values(10);
  export_of all;
  qc_import_result done;
  (void)state;
  export_all(from, 200, &all);
  assert_int_equal(all.count, 1);
  assert_int_equal(all.lengths[0], 64);
  done = import_one(to, &all, 0, 0);
  assert_int_equal(done.live + done.historical + done.duplicates + done.expired, 0);
  assert_int_equal(done.is_last, 1);
  free_all(&all);
  assert_ok(qc_history_destroy(from));
  assert_ok(qc_history_destroy(to));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_arrives_in_order),
      cmocka_unit_test(what_is_there_stays),
      cmocka_unit_test(a_broken_buffer_changes_nothing),
      cmocka_unit_test(a_foreign_buffer_changes_nothing),
      cmocka_unit_test(buffers_have_an_order),
      cmocka_unit_test(another_clock_is_shifted),
      cmocka_unit_test(what_has_expired_does_not_arrive),
      cmocka_unit_test(a_full_history_takes_the_rest_later),
      cmocka_unit_test(without_memory_the_rest_comes_later),
      cmocka_unit_test(a_small_buffer_is_refused),
      cmocka_unit_test(an_empty_history_is_one_empty_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
