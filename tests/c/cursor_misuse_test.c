/* What every function of the cursor says to a handle that is not one, to pointers that are not good, and to numbers that
   are out of range. And that the table of rows has every function of the header. */

#include "cursor_misuse_rows.h"
#include "header_functions.h"

static void say(const cursor_row *row, const char *what) { print_error("(%s, %s)\n", row->function, what); }

static void check_row(void *functions, const char *name, size_t length) {
  size_t i;
  const int is_cursor = length > 10 && memcmp(name, "qc_cursor_", 10) == 0;
  const int is_store = length > 9 && memcmp(name, "qc_store_", 9) == 0;
  if (!is_cursor && !is_store) { return; }
  ++*QC_CAST(size_t *, functions);
  for (i = 0; i < cursor_row_count; i++) {
    if (strlen(cursor_rows[i].function) == length && memcmp(cursor_rows[i].function, name, length) == 0) {
      assert_true(cursor_rows[i].call != NULL || cursor_rows[i].own_test != NULL);
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
  assert_int_equal(functions, cursor_row_count);
}

/* Otherwise the rows below would prove nothing: refused for one broken argument, or for another reason? */
static void every_row_succeeds_when_nothing_is_wrong(void **state) {
  size_t i;
  (void)state;
  for (i = 0; i < cursor_row_count; i++) {
    const cursor_row *row = &cursor_rows[i];
    cursor_frame frame = cursor_right_frame();
    test_queue queue;
    qc_status status;
    if (row->call == NULL) { continue; }
    misuse_queue_open(&queue, row->traits);
    status = row->call(queue.cursor, &frame);
    if (status != QC_OK) { say(row, "nothing is wrong"); }
    assert_status(status, QC_OK);
    /* Whoever has outputs wrote them: a refused call's untouched ones below are then no accident. */
    if (row->arguments[0].name != NULL && (row->traits & CURSOR_SILENT) == 0) {
      assert_memory_not_equal(frame.outputs.bytes, frame.armed, sizeof frame.armed);
    }
    if ((row->traits & CURSOR_NULL_SELF) != 0) { queue.cursor = NULL; }
    queue_close(&queue);
  }
}

/* The row with this handle gives this status, words that name it, and no output. */
static void expect_refused(const cursor_row *row, qc_cursor *handle, qc_status want, const char *what) {
  cursor_frame frame = cursor_right_frame();
  const qc_status status = row->call(handle, &frame);
  if (status != want) { say(row, what); }
  assert_status(status, want);
  assert_error_names("self");
  assert_cursor_untouched(row, &frame);
}

static void every_function_refuses_null(void **state) {
  size_t i;
  (void)state;
  for (i = 0; i < cursor_row_count; i++) {
    const cursor_row *row = &cursor_rows[i];
    if (row->call == NULL) { continue; }
    if ((row->traits & CURSOR_NULL_SELF) != 0) {
      cursor_frame frame = cursor_right_frame();
      assert_ok(row->call(NULL, &frame));
    } else {
      expect_refused(row, NULL, QC_ERR_NULL_HANDLE, "NULL");
    }
  }
}

static void every_function_refuses_what_is_no_cursor(void **state) {
  test_queue queue;
  qc_history *history = create_window(10);
  uint64_t before;
  size_t i;
  size_t k;
  uintptr_t foreign[9];
  uintptr_t others[3];
  uint8_t full = 0;
  (void)state;
  misuse_queue_open(&queue, 0);
  foreign[0] = 1;
  foreign[1] = 2;
  foreign[2] = 4096;
  foreign[3] = (uintptr_t)&queue;
  foreign[4] = (uintptr_t)cursor_rows;
  foreign[5] = QC_CAST(uintptr_t, UINT64_C(0xdeadbeefcafef00d));
  foreign[6] = (uintptr_t)queue.cursor ^ (QC_CAST(uintptr_t, 1) << 50); /* a generation that was never given out */
  foreign[7] = UINTPTR_MAX;
  foreign[8] = UINTPTR_MAX - 1;
  others[0] = (uintptr_t)history;
  others[1] = (uintptr_t)queue.usage;
  others[2] = (uintptr_t)queue.group;
  before = queue_digest(&queue);
  for (i = 0; i < cursor_row_count; i++) {
    if (cursor_rows[i].call == NULL) { continue; }
    for (k = 0; k < sizeof foreign / sizeof foreign[0]; k++) {
      expect_refused(&cursor_rows[i], (qc_cursor *)foreign[k], QC_ERR_FOREIGN_HANDLE, "foreign");
    }
    for (k = 0; k < sizeof others / sizeof others[0]; k++) {
      expect_refused(&cursor_rows[i], (qc_cursor *)others[k], QC_ERR_WRONG_PART, "another part");
    }
  }
  assert_status(qc_history_destroy((qc_history *)queue.cursor), QC_ERR_WRONG_PART);
  assert_status(qc_usage_destroy((qc_usage *)queue.cursor, NULL), QC_ERR_WRONG_PART);
  assert_status(qc_usage_is_full((qc_usage *)queue.group, &full), QC_ERR_WRONG_PART);
  assert_status(qc_cursor_group_destroy((qc_cursor_group *)queue.cursor), QC_ERR_WRONG_PART);
  assert_int_equal(queue_digest(&queue), before);
  assert_ok(qc_history_destroy(history));
  queue_close(&queue);
}

static void every_function_refuses_a_destroyed_handle(void **state) {
  test_queue gone;
  test_queue next;
  uint64_t before = 0;
  size_t i;
  int round;
  (void)state;
  misuse_queue_open(&gone, 0);
  queue_close(&gone);
  for (round = 0; round < 2; round++) {
    /* In the second round its place in the table is most likely taken by another. */
    if (round == 1) {
      misuse_queue_open(&next, 0);
      assert_ptr_not_equal(next.cursor, gone.cursor);
      before = queue_digest(&next);
    }
    for (i = 0; i < cursor_row_count; i++) {
      if (cursor_rows[i].call == NULL) { continue; }
      expect_refused(&cursor_rows[i], gone.cursor, QC_ERR_DESTROYED, "destroyed");
    }
  }
  assert_int_equal(queue_digest(&next), before);
  queue_close(&next);
}

/* One pointer after the other is NULL, then off by one byte; then a count is too large for an address space. */
static void every_pointer_and_count_is_checked(void **state) {
  test_queue queue;
  uint64_t before;
  size_t i;
  int n;
  (void)state;
  misuse_queue_open(&queue, 0);
  before = queue_digest(&queue);
  for (i = 0; i < cursor_row_count; i++) {
    const cursor_row *row = &cursor_rows[i];
    cursor_frame frame = cursor_right_frame();
    for (n = 0; row->call != NULL && n < CURSOR_ARGUMENTS && row->arguments[n].name != NULL; n++) {
      int way;
      for (way = row->arguments[n].may_be_null; way < 2; way++) {
        const qc_status want = way == 0 ? QC_ERR_NULL_ARGUMENT : QC_ERR_INVALID_ARGUMENT;
        qc_status status;
        frame = cursor_right_frame();
        if (way == 0) {
          frame.null_argument = n;
        } else {
          frame.misaligned_argument = n;
        }
        status = row->call(queue.cursor, &frame);
        if (status != want) { say(row, row->arguments[n].name); }
        assert_status(status, want);
        assert_error_names(row->arguments[n].name);
        assert_cursor_untouched(row, &frame);
      }
    }
    if ((row->traits & CURSOR_COUNT) != 0) {
      frame = cursor_right_frame();
      frame.count = SIZE_MAX / 4;
      assert_status(row->call(queue.cursor, &frame), QC_ERR_OVERFLOW);
      assert_error_names("count");
      assert_cursor_untouched(row, &frame);
    }
  }
  assert_int_equal(queue_digest(&queue), before);
  queue_close(&queue);
}

/* A push that is refused for one field. */
static void expect_push(test_queue *queue, qc_message message, qc_status want, const char *word) {
  uint32_t pushed = 77;
  assert_status(qc_cursor_push(queue->cursor, &message, &pushed), want);
  assert_error_names(word);
  assert_int_equal(pushed, 77);
}

static void every_number_of_a_push_is_checked(void **state) {
  test_queue queue;
  qc_message right = {8, 8, 8, 10, 4, QC_WRITE_COMMITTED, 0};
  qc_message broken;
  uint64_t before;
  (void)state;
  misuse_queue_open(&queue, 0);
  before = queue_digest(&queue);
  broken = right, broken.token = 7;
  expect_push(&queue, broken, QC_ERR_ORDER, "token = 7");
  broken.token = 0;
  expect_push(&queue, broken, QC_ERR_ORDER, "token = 0");
  broken = right, broken.sequence = 0;
  expect_push(&queue, broken, QC_ERR_ORDER, "sequence = 0");
  broken.sequence = 5;
  expect_push(&queue, broken, QC_ERR_ORDER, "sequence = 5");
  broken.sequence = UINT64_MAX;
  expect_push(&queue, broken, QC_ERR_ORDER, "sequence");
  broken = right, broken.write = 2;
  expect_push(&queue, broken, QC_ERR_INVALID_ARGUMENT, "write = 2");
  broken = right, broken.reserved = 1;
  expect_push(&queue, broken, QC_ERR_UNSUPPORTED, "reserved = 1");
  assert_int_equal(queue_digest(&queue), before);
  queue_close(&queue);
}

static void every_other_number_is_checked(void **state) {
  test_queue queue;
  qc_delivered out[2];
  qc_pulled pulled;
  qc_cursor_policy policy = policy_of();
  qc_purged purged;
  uint64_t before;
  (void)state;
  misuse_queue_open(&queue, 0);
  before = queue_digest(&queue);
  assert_status(qc_cursor_open(queue.cursor, 0, 0, 0), QC_ERR_INVALID_ARGUMENT);
  assert_status(qc_cursor_pull(queue.cursor, 1, 2, out, 2, &pulled), QC_ERR_INVALID_ARGUMENT);
  assert_error_names("round = 2");
  assert_status(qc_cursor_committed(queue.cursor, 5, 5), QC_ERR_NOT_FOUND);
  assert_status(qc_cursor_committed(queue.cursor, 6, 5), QC_ERR_ORDER);
  assert_status(qc_cursor_committed(queue.cursor, 6, UINT64_MAX), QC_ERR_ORDER);
  assert_status(qc_cursor_aborted(queue.cursor, 8, NULL), QC_ERR_NOT_FOUND);
  assert_error_names("8");
  assert_status(qc_cursor_ack(queue.cursor, 0, NULL), QC_ERR_NOT_FOUND);
  assert_status(qc_cursor_ack(queue.cursor, UINT64_MAX, NULL), QC_ERR_NOT_FOUND);
  assert_status(qc_cursor_ack(queue.cursor, 4, NULL), QC_ERR_NOT_IN_FLIGHT);
  assert_status(qc_cursor_requeue(queue.cursor, 4), QC_ERR_NOT_IN_FLIGHT);
  assert_status(qc_cursor_requeue(queue.cursor, 99), QC_ERR_NOT_FOUND);
  assert_status(qc_cursor_park(queue.cursor, 4), QC_ERR_NOT_IN_FLIGHT);
  assert_status(qc_cursor_park(queue.cursor, 99), QC_ERR_NOT_FOUND);
  assert_status(qc_cursor_remove(queue.cursor, 99, 0, NULL), QC_ERR_NOT_FOUND);
  assert_status(qc_cursor_purge(queue.cursor, 6, 10, &purged), QC_ERR_OUT_OF_RANGE); /* behind an open write */
  assert_error_names("up_to");
  assert_status(qc_cursor_set_marks(queue.cursor, 0, 50), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_cursor_set_marks(queue.cursor, 50, 101), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_cursor_set_marks(queue.cursor, 60, 50), QC_ERR_INVALID_ARGUMENT);
  policy.page_messages = 0;
  assert_status(qc_cursor_set_policy(queue.cursor, &policy), QC_ERR_OUT_OF_RANGE);
  assert_error_names("page_messages");
  assert_int_equal(queue_digest(&queue), before);
  queue_close(&queue);
  queue_open(&queue, NULL);
  assert_status(qc_cursor_open(queue.cursor, 5, 0, 4), QC_ERR_OUT_OF_RANGE);
  assert_status(qc_cursor_open(queue.cursor, 5, 0, UINT64_MAX), QC_ERR_OUT_OF_RANGE);
  assert_ok(qc_cursor_open(queue.cursor, 5, UINT64_MAX, 5)); /* a figure, which does not wrap */
  assert_status(qc_cursor_open(queue.cursor, 5, 50, 5), QC_ERR_INVALID_ARGUMENT);
  assert_int_equal(queue_push(&queue, 6, 10), QC_STORED);
  assert_true(cursor_figures(queue.cursor).pending_bytes == UINT64_MAX);
  assert_int_equal(cursor_figures(queue.cursor).pending_count, 6);
  queue_close(&queue);
}

/* A batch stops at the first element that fails; those before it are done, and the words say which one it was. */
static void a_batch_says_how_far_it_came(void **state) {
  qc_message messages[3] = {{8, 0, 8, 10, 4, QC_WRITE_OPEN, 0}, {9, 0, 9, 10, 4, QC_WRITE_OPEN, 0},
                            {9, 0, 9, 10, 4, QC_WRITE_OPEN, 0}};
  const uint64_t writes[3] = {6, 7, 7};
  const uint64_t in_flight[3] = {1, 2, 2};
  qc_released released[3];
  uint32_t pushed[3] = {77, 77, 77};
  size_t done = 77;
  test_queue queue;
  (void)state;
  misuse_queue_open(&queue, 0);
  memset(released, 0xa5, sizeof released);
  assert_status(qc_cursor_push_batch(queue.cursor, messages, 3, pushed, &done), QC_ERR_ORDER);
  assert_error_names("messages[2]");
  assert_int_equal(done, 2);
  assert_true(pushed[0] == QC_CACHED && pushed[1] == QC_CACHED && pushed[2] == 77);
  assert_status(qc_cursor_committed_batch(queue.cursor, writes, writes, 3, &done), QC_ERR_NOT_FOUND);
  assert_error_names("tokens[2]");
  assert_int_equal(done, 2);
  assert_status(qc_cursor_ack_batch(queue.cursor, in_flight, 3, released, &done), QC_ERR_NOT_FOUND);
  assert_error_names("sequences[2]");
  assert_int_equal(done, 2);
  assert_true(released[0].user == 1 && released[1].user == 2 && released[1].released_bytes == 100);
  assert_int_equal(released[2].user, UINT64_C(0xa5a5a5a5a5a5a5a5));
  assert_ok(qc_cursor_push_batch(queue.cursor, NULL, 0, NULL, &done));
  assert_int_equal(done, 0);
  assert_ok(qc_cursor_ack_batch(queue.cursor, NULL, 0, NULL, &done));
  assert_ok(qc_cursor_committed_batch(queue.cursor, NULL, NULL, 0, &done));
  queue_close(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_of_the_header_has_a_row),
      cmocka_unit_test(every_row_succeeds_when_nothing_is_wrong),
      cmocka_unit_test(every_function_refuses_null),
      cmocka_unit_test(every_function_refuses_what_is_no_cursor),
      cmocka_unit_test(every_function_refuses_a_destroyed_handle),
      cmocka_unit_test(every_pointer_and_count_is_checked),
      cmocka_unit_test(every_number_of_a_push_is_checked),
      cmocka_unit_test(every_other_number_is_checked),
      cmocka_unit_test(a_batch_says_how_far_it_came),
      cmocka_unit_test(cursor_inits_row),
      cmocka_unit_test(cursor_create_row),
      cmocka_unit_test(cursor_group_create_row),
      cmocka_unit_test(cursor_group_stats_row),
      cmocka_unit_test(cursor_group_destroy_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
