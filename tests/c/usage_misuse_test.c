/* What every function of the usage meter says to a handle that is not one, to pointers that are not good, and to numbers
   that are out of range. And that the table of rows has every function of the header. */

#include "header_functions.h"
#include "usage_misuse_rows.h"

static void say(const usage_row *row, const char *what) { print_error("(%s, %s)\n", row->function, what); }

static void check_row(void *functions, const char *name, size_t length) {
  size_t i;
  if (length <= 9 || memcmp(name, "qc_usage_", 9) != 0) { return; }
  ++*QC_CAST(size_t *, functions);
  for (i = 0; i < usage_row_count; i++) {
    if (strlen(usage_rows[i].function) == length && memcmp(usage_rows[i].function, name, length) == 0) {
      assert_true(usage_rows[i].call != NULL || usage_rows[i].own_test != NULL);
      return;
    }
  }
  fail_msg("%.*s has no misuse row", QC_CAST(int, length), name);
}

static void every_function_of_the_header_has_a_row(void **state) {
  size_t functions = 0;
  (void)state;
  for_each_function_of_the_header(check_row, &functions);
  /* As many as there are rows: a row for something the header has not, or a scan that sees nothing, fails. */
  assert_int_equal(functions, usage_row_count);
}

/* Otherwise the rows below would prove nothing: refused for one broken argument, or for another reason? */
static void every_row_succeeds_when_nothing_is_wrong(void **state) {
  size_t i;
  (void)state;
  for (i = 0; i < usage_row_count; i++) {
    const usage_row *row = &usage_rows[i];
    usage_fixture fixture;
    usage_frame frame;
    qc_status status;
    if (row->call == NULL) { continue; }
    usage_open(&fixture);
    frame = fixture.frame;
    status = row->call(fixture.usage, &frame);
    if (status != QC_OK) { say(row, "nothing is wrong"); }
    assert_status(status, QC_OK);
    /* Whoever has outputs wrote them: a refused call's untouched ones below are then no accident. */
    if (row->arguments[0].name != NULL && row->call != usage_rows[usage_row_count - 1].call &&
        strcmp(row->function, "qc_usage_set_listener") != 0 && strcmp(row->function, "qc_usage_poll_events") != 0) {
      assert_memory_not_equal(frame.outputs.bytes, frame.armed, sizeof frame.armed);
    }
    if ((row->traits & USAGE_NULL_SELF) == 0) {
      usage_close(&fixture);
    } else {
      assert_ok(qc_usage_destroy(fixture.root, NULL));
      assert_balanced(&fixture.memory);
    }
  }
}

/* The row with this handle gives this status, words that name it, and no output. */
static void expect_refused(const usage_row *row, qc_usage *handle, const usage_frame *right, qc_status want,
                           const char *what) {
  usage_frame frame = *right;
  const qc_status status = row->call(handle, &frame);
  if (status != want) { say(row, what); }
  assert_status(status, want);
  assert_error_names(row->self);
  assert_usage_untouched(row, &frame);
}

static void every_function_refuses_null(void **state) {
  usage_fixture fixture;
  uint64_t before;
  size_t i;
  (void)state;
  usage_open(&fixture);
  before = usage_digest(&fixture);
  for (i = 0; i < usage_row_count; i++) {
    const usage_row *row = &usage_rows[i];
    if (row->call == NULL) { continue; }
    if ((row->traits & USAGE_NULL_SELF) != 0) {
      usage_frame frame = fixture.frame;
      assert_ok(row->call(NULL, &frame));
      assert_usage_untouched(row, &frame);
    } else {
      expect_refused(row, NULL, &fixture.frame, QC_ERR_NULL_HANDLE, "NULL");
    }
  }
  assert_int_equal(usage_digest(&fixture), before);
  usage_close(&fixture);
}

static void every_function_refuses_what_was_never_a_handle(void **state) {
  usage_fixture fixture;
  uint64_t before;
  size_t i;
  size_t k;
  int on_the_stack = 0;
  uintptr_t foreign[10];
  (void)state;
  usage_open(&fixture);
  foreign[0] = 1;
  foreign[1] = 2;
  foreign[2] = 8;
  foreign[3] = 4096;
  foreign[4] = (uintptr_t)&on_the_stack;
  foreign[5] = (uintptr_t)usage_rows;
  foreign[6] = QC_CAST(uintptr_t, UINT64_C(0xdeadbeefcafef00d));
  foreign[7] = (uintptr_t)fixture.usage ^ (QC_CAST(uintptr_t, 1) << 50); /* a generation that was never given out */
  foreign[8] = UINTPTR_MAX;
  foreign[9] = UINTPTR_MAX - 1;
  before = usage_digest(&fixture);
  for (i = 0; i < usage_row_count; i++) {
    if (usage_rows[i].call == NULL) { continue; }
    for (k = 0; k < sizeof foreign / sizeof foreign[0]; k++) {
      char what[40];
      (void)snprintf(what, sizeof what, "0x%llx", QC_CAST(unsigned long long, foreign[k]));
      expect_refused(&usage_rows[i], (qc_usage *)foreign[k], &fixture.frame, QC_ERR_FOREIGN_HANDLE, what);
    }
  }
  assert_int_equal(usage_digest(&fixture), before);
  usage_close(&fixture);
}

static void every_function_refuses_a_history(void **state) {
  usage_fixture fixture;
  qc_history *history = create_window(10);
  uint64_t len = 0;
  size_t i;
  (void)state;
  usage_open(&fixture);
  for (i = 0; i < usage_row_count; i++) {
    if (usage_rows[i].call == NULL) { continue; }
    expect_refused(&usage_rows[i], (qc_usage *)history, &fixture.frame, QC_ERR_WRONG_PART, "a history");
  }
  assert_status(qc_history_live_len((qc_history *)fixture.usage, &len), QC_ERR_WRONG_PART);
  assert_status(qc_history_destroy((qc_history *)fixture.usage), QC_ERR_WRONG_PART);
  assert_ok(qc_history_destroy(history));
  usage_close(&fixture);
}

static void every_function_refuses_a_destroyed_handle(void **state) {
  usage_fixture gone;
  usage_fixture next;
  uint64_t before = 0;
  size_t i;
  int round;
  (void)state;
  usage_open(&gone);
  usage_close(&gone);
  for (round = 0; round < 2; round++) {
    /* In the second round its place in the table is most likely taken by another. */
    if (round == 1) {
      usage_open(&next);
      assert_ptr_not_equal(next.usage, gone.usage);
      before = usage_digest(&next);
    }
    for (i = 0; i < usage_row_count; i++) {
      if (usage_rows[i].call == NULL) { continue; }
      expect_refused(&usage_rows[i], gone.usage, &gone.frame, QC_ERR_DESTROYED, "destroyed");
    }
  }
  assert_int_equal(usage_digest(&next), before);
  usage_close(&next);
}

/* One pointer after the other is NULL, then off by one byte. */
static void every_pointer_is_checked(void **state) {
  usage_fixture fixture;
  uint64_t before;
  size_t i;
  int n;
  (void)state;
  usage_open(&fixture);
  before = usage_digest(&fixture);
  for (i = 0; i < usage_row_count; i++) {
    const usage_row *row = &usage_rows[i];
    for (n = 0; row->call != NULL && n < 3 && row->arguments[n].name != NULL; n++) {
      usage_frame frame = fixture.frame;
      qc_status status;
      if (!row->arguments[n].may_be_null) {
        frame.null_argument = n;
        status = row->call(fixture.usage, &frame);
        if (status != QC_ERR_NULL_ARGUMENT) { say(row, row->arguments[n].name); }
        assert_status(status, QC_ERR_NULL_ARGUMENT);
        assert_error_names(row->arguments[n].name);
        assert_usage_untouched(row, &frame);
      }
      if (row->arguments[n].has_alignment) {
        frame = fixture.frame;
        frame.misaligned_argument = n;
        status = row->call(fixture.usage, &frame);
        if (status != QC_ERR_INVALID_ARGUMENT) { say(row, row->arguments[n].name); }
        assert_status(status, QC_ERR_INVALID_ARGUMENT);
        assert_error_names(row->arguments[n].name);
        assert_usage_untouched(row, &frame);
      }
    }
  }
  assert_int_equal(usage_digest(&fixture), before);
  usage_close(&fixture);
}

static void every_number_is_checked(void **state) {
  const uint64_t amounts[4] = {AMOUNT_MAX + 1, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
  const int32_t percents[3] = {0, -1, INT32_MIN};
  usage_fixture fixture;
  uint64_t before;
  size_t i;
  size_t k;
  (void)state;
  usage_open(&fixture);
  before = usage_digest(&fixture);
  for (i = 0; i < usage_row_count; i++) {
    const usage_row *row = &usage_rows[i];
    usage_frame frame = fixture.frame;
    for (k = 0; k < 4 && (row->traits & USAGE_AMOUNT) != 0; k++) {
      frame.amount = amounts[k];
      assert_status(row->call(fixture.usage, &frame), QC_ERR_OUT_OF_RANGE);
      assert_usage_untouched(row, &frame);
    }
    for (k = 0; k < 3 && (row->traits & USAGE_PERCENT) != 0; k++) {
      frame.percent = percents[k];
      assert_status(row->call(fixture.usage, &frame), QC_ERR_OUT_OF_RANGE);
      assert_usage_untouched(row, &frame);
    }
    if ((row->traits & USAGE_CAPACITY) != 0) {
      frame.capacity = SIZE_MAX / 8;
      assert_status(row->call(fixture.usage, &frame), QC_ERR_OVERFLOW);
      assert_usage_untouched(row, &frame);
    }
  }
  assert_status(qc_usage_set_limit(fixture.usage, LIMIT_MAX + 1), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_usage_set_share(fixture.usage, 0), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_usage_set_share(fixture.usage, 1000001), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_usage_set_share(fixture.root, 5), QC_ERR_INVALID_ARGUMENT);
  assert_status(qc_usage_set_min_delta(fixture.usage, 0), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_usage_set_marks(fixture.usage, 60, 50), QC_ERR_INVALID_ARGUMENT);
  assert_status(qc_usage_set_marks(fixture.usage, 0, 50), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_usage_reserve_wait(fixture.usage, 1001, FOREVER), QC_ERR_NEVER_FITS);
  assert_int_equal(usage_digest(&fixture), before);
  usage_close(&fixture);
}

/* No level leaves -2^61 to 2^61; what would is refused, and no other level has changed. */
static void a_level_beyond_the_range_is_refused(void **state) {
  qc_usage *root = usage_root(0);
  qc_usage *child = usage_child(root, 0);
  int i;
  (void)state;
  for (i = 0; i < 32; i++) { assert_ok(qc_usage_increase(child, AMOUNT_MAX)); }
  assert_true(usage_of(root) == QC_CAST(int64_t, AMOUNT_MAX) * 32);
  assert_status(qc_usage_increase(child, AMOUNT_MAX), QC_ERR_LEVEL);
  assert_status(qc_usage_increase(child, 1), QC_ERR_LEVEL);
  assert_true(usage_of(root) == QC_CAST(int64_t, AMOUNT_MAX) * 32);
  for (i = 0; i < 64; i++) { assert_ok(qc_usage_decrease(child, AMOUNT_MAX)); }
  assert_status(qc_usage_decrease(child, AMOUNT_MAX), QC_ERR_LEVEL);
  assert_true(usage_of(child) == -QC_CAST(int64_t, AMOUNT_MAX) * 32);
  (void)usage_end(child);
  assert_true(usage_of(root) == 0);
  (void)usage_end(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_of_the_header_has_a_row),
      cmocka_unit_test(every_row_succeeds_when_nothing_is_wrong),
      cmocka_unit_test(every_function_refuses_null),
      cmocka_unit_test(every_function_refuses_what_was_never_a_handle),
      cmocka_unit_test(every_function_refuses_a_history),
      cmocka_unit_test(every_function_refuses_a_destroyed_handle),
      cmocka_unit_test(every_pointer_is_checked),
      cmocka_unit_test(every_number_is_checked),
      cmocka_unit_test(a_level_beyond_the_range_is_refused),
      cmocka_unit_test(usage_options_init_row),
      cmocka_unit_test(usage_create_row),
      cmocka_unit_test(usage_layout_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
