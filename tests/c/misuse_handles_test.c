/* What every function says to a handle that is not one: NULL, foreign, destroyed, or an entry handle
   that is stale. And that the table of rows has every function of the header. */

#include "header_functions.h"
#include "misuse_rows.h"

static void say(const misuse_row *row, const char *what) { print_error("(%s, %s)\n", row->function, what); }

/* Otherwise the rows below would prove nothing: refused for one broken argument, or for another reason? */
static void every_row_succeeds_when_nothing_is_wrong(void **state) {
  size_t i;
  (void)state;
  for (i = 0; i < misuse_row_count; i++) {
    const misuse_row *row = &misuse_rows[i];
    misuse_fixture fixture;
    misuse_frame frame;
    qc_status status;
    if (row->call == NULL) { continue; }
    misuse_open(&fixture);
    frame = misuse_right_frame(&fixture);
    status = row->call(fixture.history, &frame);
    if (status != QC_OK) { say(row, "nothing is wrong"); }
    assert_status(status, QC_OK);
    /* Whoever has outputs wrote them: a refused call's untouched ones below are then no accident. */
    if (row->arguments[0].name != NULL && strcmp(row->function, "qc_history_forget_key") != 0) {
      assert_memory_not_equal(frame.outputs.bytes, frame.armed, sizeof frame.armed);
    }
    if (row->call != misuse_rows[misuse_row_count - 1].call) { misuse_close(&fixture); }
  }
}

/* The row with this handle gives this status, words that name it, and no output. */
static void expect_refused(const misuse_row *row, qc_history *handle, const misuse_frame *right, qc_status want,
                           const char *what) {
  misuse_frame frame = *right;
  const qc_status status = row->call(handle, &frame);
  if (status != want) { say(row, what); }
  assert_status(status, want);
  assert_error_names("self");
  assert_untouched(row, &frame);
}

static void every_function_refuses_null(void **state) {
  misuse_fixture fixture;
  uint64_t before;
  size_t i;
  (void)state;
  misuse_open(&fixture);
  before = digest(fixture.history, MISUSE_VALUE_SIZE);
  for (i = 0; i < misuse_row_count; i++) {
    const misuse_row *row = &misuse_rows[i];
    if (row->call == NULL) { continue; }
    if ((row->traits & MISUSE_NULL_SELF) != 0) {
      assert_ok(row->call(NULL, &fixture.frame));
    } else {
      expect_refused(row, NULL, &fixture.frame, QC_ERR_NULL_HANDLE, "NULL");
    }
  }
  assert_int_equal(digest(fixture.history, MISUSE_VALUE_SIZE), before);
  misuse_close(&fixture);
}

static void every_function_refuses_what_was_never_a_handle(void **state) {
  misuse_fixture fixture;
  uint64_t before;
  size_t i;
  size_t k;
  int on_the_stack = 0;
  void *on_the_heap = malloc(64);
  uintptr_t foreign[14];
  (void)state;
  foreign[0] = 1;
  foreign[1] = 2;
  foreign[2] = 3;
  foreign[3] = 8;
  foreign[4] = 255;
  foreign[5] = 4096;
  foreign[6] = 65536;
  foreign[7] = (uintptr_t)&on_the_stack;
  foreign[8] = (uintptr_t)on_the_heap;
  foreign[9] = (uintptr_t)misuse_rows;
  foreign[10] = QC_CAST(uintptr_t, UINT64_C(0xdeadbeefcafef00d));
  foreign[11] = QC_CAST(uintptr_t, UINT64_C(0x8badf00d5eed1234));
  foreign[12] = UINTPTR_MAX;
  foreign[13] = UINTPTR_MAX - 1;
  misuse_open(&fixture);
  before = digest(fixture.history, MISUSE_VALUE_SIZE);
  for (i = 0; i < misuse_row_count; i++) {
    if (misuse_rows[i].call == NULL) { continue; }
    for (k = 0; k < sizeof foreign / sizeof foreign[0]; k++) {
      char what[40];
      (void)snprintf(what, sizeof what, "0x%llx", QC_CAST(unsigned long long, foreign[k]));
      expect_refused(&misuse_rows[i], (qc_history *)foreign[k], &fixture.frame, QC_ERR_FOREIGN_HANDLE, what);
    }
  }
  assert_int_equal(digest(fixture.history, MISUSE_VALUE_SIZE), before);
  misuse_close(&fixture);
  free(on_the_heap);
}

static void every_function_refuses_a_destroyed_handle(void **state) {
  misuse_fixture gone;
  misuse_fixture next;
  uint64_t before;
  size_t i;
  int round;
  (void)state;
  misuse_open(&gone);
  misuse_close(&gone);
  for (round = 0; round < 2; round++) {
    /* In the second round its place in the table is most likely taken by another. */
    if (round == 1) {
      misuse_open(&next);
      assert_ptr_not_equal(next.history, gone.history);
      before = digest(next.history, MISUSE_VALUE_SIZE);
    }
    for (i = 0; i < misuse_row_count; i++) {
      if (misuse_rows[i].call == NULL) { continue; }
      expect_refused(&misuse_rows[i], gone.history, &gone.frame, QC_ERR_DESTROYED, "destroyed");
    }
  }
  assert_int_equal(digest(next.history, MISUSE_VALUE_SIZE), before);
  misuse_close(&next);
}

/* Handles of a history must not come back as those of another, however often places are used again. */
static void no_handle_comes_twice(void **state) {
  enum { COUNT = 3000 };
  qc_history **handles = QC_CAST(qc_history **, calloc(COUNT, sizeof *handles));
  int i;
  int k;
  (void)state;
  assert_non_null(handles);
  for (i = 0; i < COUNT; i++) {
    handles[i] = create_window(1);
    assert_ok(qc_history_destroy(handles[i]));
  }
  for (i = 0; i < COUNT; i++) {
    assert_status(qc_history_destroy(handles[i]), QC_ERR_DESTROYED);
    for (k = i + 1; k < COUNT; k++) {
      if (handles[i] == handles[k]) { fail_msg("handle %d came again as number %d", i, k); }
    }
  }
  free(handles);
}

static void every_function_refuses_a_stale_entry(void **state) {
  misuse_fixture fixture;
  qc_entry stale[7];
  uint64_t before;
  size_t i;
  size_t k;
  (void)state;
  misuse_open(&fixture);
  stale[0] = 0;
  {
    qc_insert_result result;
    const qc_key erased = key_of(70);
    const qc_key forgotten = key_of(71);
    assert_ok(qc_history_insert(fixture.history, &erased, NULL, 0, 0, 10 * TICK_NS, &result));
    stale[1] = result.entry;
    assert_ok(qc_history_insert(fixture.history, &forgotten, NULL, 0, 0, 10 * TICK_NS, &result));
    stale[2] = result.entry;
    assert_ok(qc_history_erase(fixture.history, stale[1], 10 * TICK_NS, NULL));
    assert_ok(qc_history_forget(fixture.history, stale[2]));
  }
  stale[3] = UINT64_C(0xdeadbeefcafef00d);
  stale[4] = UINT64_MAX;
  stale[5] = fixture.frame.entries[0] ^ (UINT64_C(1) << 31);
  stale[6] = fixture.frame.entries[0] ^ (UINT64_C(1) << 63);
  before = digest(fixture.history, MISUSE_VALUE_SIZE);
  for (i = 0; i < misuse_row_count; i++) {
    const misuse_row *row = &misuse_rows[i];
    if (row->call == NULL || (row->traits & MISUSE_ENTRY) == 0) { continue; }
    for (k = 0; k < sizeof stale / sizeof stale[0]; k++) {
      misuse_frame frame = misuse_right_frame(&fixture);
      qc_status status;
      frame.entry = stale[k];
      frame.entries[0] = stale[k];
      status = row->call(fixture.history, &frame);
      if (status != QC_ERR_STALE_HANDLE) { print_error("(%s, stale entry %zu)\n", row->function, k); }
      assert_status(status, QC_ERR_STALE_HANDLE);
      assert_error_names("entr");
      assert_untouched(row, &frame);
    }
  }
  assert_int_equal(digest(fixture.history, MISUSE_VALUE_SIZE), before);
  misuse_close(&fixture);
}

/* An entry's place is used again with another generation. */
static void an_entry_handle_never_means_another_entry(void **state) {
  qc_history *history = create_window(0);
  qc_entry first = 0;
  uint64_t i;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, &first), QC_ADDED);
  assert_int_equal(erase_entry(history, first, 0), QC_ERASED_GONE);
  for (i = 2; i < 5000; i++) {
    qc_entry entry = 0;
    assert_int_equal(put(history, i, 0, 0, &entry), QC_ADDED);
    assert_int_not_equal(entry, first);
    assert_status(qc_history_forget(history, first), QC_ERR_STALE_HANDLE);
    assert_int_equal(erase_entry(history, entry, 0), QC_ERASED_GONE);
  }
  assert_ok(qc_history_destroy(history));
}

static void check_row(void *functions, const char *name, size_t length) {
  size_t i;
  /* The functions of the usage meter and of the cursor have tables of their own. */
  const char *const elsewhere[3] = {"qc_usage_", "qc_cursor_", "qc_store_"};
  for (i = 0; i < 3; i++) {
    if (strncmp(name, elsewhere[i], strlen(elsewhere[i])) == 0) { return; }
  }
  ++*QC_CAST(size_t *, functions);
  for (i = 0; i < misuse_row_count; i++) {
    if (strlen(misuse_rows[i].function) == length && memcmp(misuse_rows[i].function, name, length) == 0) {
      assert_true(misuse_rows[i].call != NULL || misuse_rows[i].own_test != NULL);
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
  assert_int_equal(functions, misuse_row_count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_of_the_header_has_a_row),
      cmocka_unit_test(every_row_succeeds_when_nothing_is_wrong),
      cmocka_unit_test(every_function_refuses_null),
      cmocka_unit_test(every_function_refuses_what_was_never_a_handle),
      cmocka_unit_test(every_function_refuses_a_destroyed_handle),
      cmocka_unit_test(no_handle_comes_twice),
      cmocka_unit_test(every_function_refuses_a_stale_entry),
      cmocka_unit_test(an_entry_handle_never_means_another_entry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
