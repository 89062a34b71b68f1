/* What every function that takes a history says to arguments that are NULL, misaligned, out of range or
   too many; and that a refused call writes nothing and changes nothing. */

#include "misuse_rows.h"

static void run_free_functions(void **state) {
  size_t i;
  size_t ran = 0;
  for (i = 0; i < misuse_row_count; i++) {
    if (misuse_rows[i].own_test != NULL) {
      misuse_rows[i].own_test(state);
      ran++;
    }
  }
  assert_true(ran > 0);
}

/* One broken call: this status, words that have `word`, no output, no change. */
static void expect_refused(const misuse_row *row, misuse_fixture *fixture, misuse_frame *frame, qc_status want,
                           const char *word) {
  const uint64_t before = digest(fixture->history, MISUSE_VALUE_SIZE);
  const qc_status status = row->call(fixture->history, frame);
  if (status != want) { print_error("(%s, broken: %s)\n", row->function, word); }
  assert_status(status, want);
  assert_error_names(word);
  assert_untouched(row, frame);
  assert_int_equal(digest(fixture->history, MISUSE_VALUE_SIZE), before);
}

/* Walks the rows that have this trait (all for 0), each with a fixture of its own. */
typedef void (*breaker)(const misuse_row *row, misuse_fixture *fixture);
static void for_rows(unsigned trait, breaker break_row) {
  size_t i;
  size_t ran = 0;
  for (i = 0; i < misuse_row_count; i++) {
    const misuse_row *row = &misuse_rows[i];
    misuse_fixture fixture;
    if (row->call == NULL || (row->traits & trait) != trait) { continue; }
    misuse_open(&fixture);
    break_row(row, &fixture);
    misuse_close(&fixture);
    ran++;
  }
  assert_true(ran > 0);
}

static void null_arguments_of(const misuse_row *row, misuse_fixture *fixture) {
  int n;
  for (n = 0; n < 5 && row->arguments[n].name != NULL; n++) {
    misuse_frame frame = misuse_right_frame(fixture);
    frame.null_argument = n;
    if (!row->arguments[n].may_be_null) {
      expect_refused(row, fixture, &frame, QC_ERR_NULL_ARGUMENT, row->arguments[n].name);
    }
  }
}

static void null_arguments_are_refused_and_named(void **state) {
  (void)state;
  for_rows(0, null_arguments_of);
}

static void optional_arguments_may_be_null(void **state) {
  size_t i;
  int n;
  (void)state;
  for (i = 0; i < misuse_row_count; i++) {
    const misuse_row *row = &misuse_rows[i];
    for (n = 0; n < 5 && row->arguments[n].name != NULL; n++) {
      if (row->arguments[n].may_be_null) {
        misuse_fixture fixture;
        misuse_frame frame;
        misuse_open(&fixture);
        frame = misuse_right_frame(&fixture);
        frame.null_argument = n;
        assert_ok(row->call(fixture.history, &frame));
        misuse_close(&fixture);
      }
    }
  }
}

static void misaligned_arguments_of(const misuse_row *row, misuse_fixture *fixture) {
  int n;
  for (n = 0; n < 5 && row->arguments[n].name != NULL; n++) {
    misuse_frame frame = misuse_right_frame(fixture);
    frame.misaligned_argument = n;
    if (row->arguments[n].has_alignment) {
      expect_refused(row, fixture, &frame, QC_ERR_INVALID_ARGUMENT, row->arguments[n].name);
    }
  }
}

static void misaligned_arguments_are_refused_and_named(void **state) {
  (void)state;
  for_rows(0, misaligned_arguments_of);
}

static void times_outside_of(const misuse_row *row, misuse_fixture *fixture) {
  const int64_t outside[4] = {TIME_MAX_NS + 1, -TIME_MAX_NS - 1, INT64_MAX, INT64_MIN};
  int n;
  for (n = 0; n < 4; n++) {
    misuse_frame frame = misuse_right_frame(fixture);
    frame.now = outside[n];
    expect_refused(row, fixture, &frame, QC_ERR_CLOCK, "now_ns");
  }
}

static void a_present_outside_of_time_is_refused(void **state) {
  (void)state;
  for_rows(MISUSE_NOW, times_outside_of);
}

static void step_too_far_of(const misuse_row *row, misuse_fixture *fixture) {
  const int64_t hour = INT64_C(3600000000000);
  misuse_frame frame = misuse_right_frame(fixture);
  frame.now = 10 * TICK_NS + hour + 1;
  expect_refused(row, fixture, &frame, QC_ERR_CLOCK, "now_ns");
  frame.now = 10 * TICK_NS + hour; /* just as far as may be; and the refused call was not seen as a time */
  assert_ok(row->call(fixture->history, &frame));
}

static void a_present_too_far_ahead_is_refused(void **state) {
  (void)state;
  for_rows(MISUSE_STEP, step_too_far_of);
}

static void insert_times_of(const misuse_row *row, misuse_fixture *fixture) {
  misuse_frame frame = misuse_right_frame(fixture);
  frame.at = frame.ats[0] = -TIME_MAX_NS - 1;
  expect_refused(row, fixture, &frame, QC_ERR_CLOCK, "inserted_at_ns");
  frame.at = frame.ats[0] = INT64_MIN;
  expect_refused(row, fixture, &frame, QC_ERR_CLOCK, "inserted_at_ns");
  frame.at = frame.ats[0] = frame.now + 1;
  expect_refused(row, fixture, &frame, QC_ERR_OUT_OF_RANGE, "inserted_at_ns");
  frame.at = frame.ats[0] = frame.now;
  assert_ok(row->call(fixture->history, &frame));
}

static void insert_times_are_checked(void **state) {
  (void)state;
  for_rows(MISUSE_AT, insert_times_of);
}

static void value_length_of(const misuse_row *row, misuse_fixture *fixture) {
  const size_t wrong[5] = {0, 1, MISUSE_VALUE_SIZE - 1, MISUSE_VALUE_SIZE + 1, SIZE_MAX};
  int n;
  for (n = 0; n < 5; n++) {
    misuse_frame frame = misuse_right_frame(fixture);
    frame.value_len = wrong[n];
    expect_refused(row, fixture, &frame, QC_ERR_INVALID_ARGUMENT, "value_len");
  }
}

static void a_value_has_the_length_it_was_created_for(void **state) {
  (void)state;
  for_rows(MISUSE_LENGTH, value_length_of);
}

/* The arrays are two elements long: a count that got past the check would read far beyond them. */
static void count_of(const misuse_row *row, misuse_fixture *fixture) {
  const size_t wrong[4] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 + 1, SIZE_MAX / 8 + 1};
  int n;
  for (n = 0; n < 4; n++) {
    misuse_frame frame = misuse_right_frame(fixture);
    frame.count = wrong[n];
    expect_refused(row, fixture, &frame, QC_ERR_OVERFLOW, "count");
  }
  {
    misuse_frame frame = misuse_right_frame(fixture);
    frame.count = 0;
    assert_ok(row->call(fixture->history, &frame));
    assert_memory_equal(frame.outputs.bytes, frame.armed, sizeof frame.armed);
    if (row->arguments[2].name != NULL) { assert_int_equal(frame.done, 0); }
  }
}

static void counts_that_overflow_are_refused(void **state) {
  (void)state;
  for_rows(MISUSE_COUNT, count_of);
}

/* count * 16 bytes of keys would still fit; count * 1024 bytes of values would not. */
static void values_that_overflow_are_refused(void **state) {
  qc_history_options options = options_of(10);
  qc_history *history;
  qc_key key = key_of(1);
  unsigned char value[1024];
  qc_insert_result result;
  size_t done = 7;
  (void)state;
  memset(value, 0, sizeof value);
  options.value_size = 1024;
  history = create_of(&options);
  assert_status(qc_history_insert_batch(history, &key, value, NULL, SIZE_MAX / 512, 0, &result, &done),
                QC_ERR_OVERFLOW);
  assert_int_equal(done, 7);
  assert_status(qc_history_readmit_batch(history, &key, value, NULL, SIZE_MAX / 512, 0, &result, &done),
                QC_ERR_OVERFLOW);
  assert_int_equal(live_len(history), 0);
  assert_ok(qc_history_destroy(history));
}

/* With no element there is nothing to point to. */
static void an_empty_batch_needs_no_arrays(void **state) {
  qc_history *history = create_window(10);
  size_t done = 7;
  (void)state;
  assert_ok(qc_history_insert_batch(history, NULL, NULL, NULL, 0, 0, NULL, &done));
  assert_int_equal(done, 0);
  done = 7;
  assert_ok(qc_history_readmit_batch(history, NULL, NULL, NULL, 0, 0, NULL, &done));
  assert_int_equal(done, 0);
  done = 7;
  assert_ok(qc_history_erase_batch(history, NULL, 0, 0, NULL, &done));
  assert_int_equal(done, 0);
  assert_ok(qc_history_contains_batch(history, NULL, 0, 0, NULL));
  assert_status(qc_history_insert_batch(history, NULL, NULL, NULL, 0, 0, NULL, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_done");
  assert_ok(qc_history_destroy(history));
}

static void a_key_that_is_not_there(void **state) {
  misuse_fixture fixture;
  uint64_t before;
  uint32_t erased = 77;
  qc_entry entry = 77;
  const qc_key unknown = key_of(1234);
  const qc_key historical = key_of(3);
  (void)state;
  misuse_open(&fixture);
  before = digest(fixture.history, MISUSE_VALUE_SIZE);
  assert_status(qc_history_erase_key(fixture.history, &unknown, 10 * TICK_NS, &erased), QC_ERR_NOT_FOUND);
  assert_status(qc_history_erase_key(fixture.history, &historical, 10 * TICK_NS, &erased), QC_ERR_NOT_FOUND);
  assert_status(qc_history_forget_key(fixture.history, &unknown), QC_ERR_NOT_FOUND);
  assert_int_equal(erased, 77);
  assert_int_equal(digest(fixture.history, MISUSE_VALUE_SIZE), before);
  assert_ok(qc_history_find(fixture.history, &unknown, &entry));
  assert_int_equal(entry, 0);
  assert_ok(qc_history_find(fixture.history, &historical, &entry));
  assert_int_equal(entry, 0);
  misuse_close(&fixture);
}

static void stats_have_a_size(void **state) {
  const uint32_t wrong[4] = {0, 4, 7, 4097};
  unsigned char room[8192];
  misuse_fixture fixture;
  stats_of small;
  uint32_t filled;
  const uint32_t large = 4096;
  int n;
  (void)state;
  misuse_open(&fixture);
  for (n = 0; n < 4; n++) {
    stats_of counters;
    memset(&counters, 0xa5, sizeof counters);
    counters.struct_size = wrong[n];
    assert_status(qc_history_stats(fixture.history, &counters), QC_ERR_INVALID_ARGUMENT);
    assert_error_names("struct_size");
    assert_int_equal(counters.struct_size, wrong[n]);
    assert_int_equal(counters.reserved, UINT32_C(0xa5a5a5a5));
  }
  /* A caller that knows two counters gets two, and half a field is none. */
  memset(&small, 0xa5, sizeof small);
  small.struct_size = 8 + 2 * 8 + 3;
  assert_ok(qc_history_stats(fixture.history, &small));
  assert_int_equal(small.struct_size, 8 + 2 * 8);
  assert_int_equal(small.live_len, 2);
  assert_int_equal(small.history_len, 1);
  assert_true(small.tombstones == UINT64_C(0xa5a5a5a5a5a5a5a5));
  /* A caller from the future. */
  memset(room, 0xa5, sizeof room);
  memcpy(room, &large, sizeof large);
  {
    stats_of *future = QC_CAST(stats_of *, malloc(sizeof room));
    assert_non_null(future);
    memcpy(QC_CAST(void *, future), room, sizeof room);
    assert_ok(qc_history_stats(fixture.history, future));
    memcpy(room, QC_CAST(void *, future), sizeof room);
    free(future);
  }
  memcpy(&filled, room, sizeof filled);
  assert_int_equal(filled, sizeof(stats_of));
  for (n = QC_CAST(int, sizeof(stats_of)); n < 8192; n++) { assert_int_equal(room[n], 0xa5); }
  misuse_close(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(run_free_functions),
      cmocka_unit_test(null_arguments_are_refused_and_named),
      cmocka_unit_test(optional_arguments_may_be_null),
      cmocka_unit_test(misaligned_arguments_are_refused_and_named),
      cmocka_unit_test(a_present_outside_of_time_is_refused),
      cmocka_unit_test(a_present_too_far_ahead_is_refused),
      cmocka_unit_test(insert_times_are_checked),
      cmocka_unit_test(a_value_has_the_length_it_was_created_for),
      cmocka_unit_test(counts_that_overflow_are_refused),
      cmocka_unit_test(values_that_overflow_are_refused),
      cmocka_unit_test(an_empty_batch_needs_no_arrays),
      cmocka_unit_test(a_key_that_is_not_there),
      cmocka_unit_test(stats_have_a_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
