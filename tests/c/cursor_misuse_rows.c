/* See cursor_misuse_rows.h. */

#include "cursor_misuse_rows.h"

/* Arms the outputs: only what the call writes will differ from this. */
static void arm(cursor_frame *frame) {
  memset(frame->outputs.bytes, 0xa5, sizeof frame->outputs.bytes);
  memcpy(frame->armed, frame->outputs.bytes, sizeof frame->armed);
}

/* Argument number n of a row: as it should be, NULL, or off by one byte. */
static void *given(const cursor_frame *frame, int n, const void *pointer) {
  uintptr_t bits = (uintptr_t)pointer;
  if (frame->null_argument == n) { return NULL; }
  if (frame->misaligned_argument == n) { bits++; }
  return (void *)bits;
}
#define IN(n, type, pointer) QC_CAST(const type *, given(frame, (n), (pointer)))
#define OUT(n, type) QC_CAST(type *, given(frame, (n), frame->outputs.bytes + (n) * CURSOR_OUTPUT))

static void no_ready(void *ctx) { (void)ctx; }

static qc_status call_open(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_open(self, 3, 300, 12);
}

static const qc_message MESSAGES[2] = {{8, 0, 8, 10, 4, QC_WRITE_OPEN, 0}, {9, 0, 9, 10, 4, QC_WRITE_OPEN, 0}};

static qc_status call_push(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_push(self, IN(0, qc_message, MESSAGES), OUT(1, uint32_t));
}

static qc_status call_push_batch(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_push_batch(self, IN(0, qc_message, MESSAGES), frame->count, OUT(1, uint32_t), OUT(2, size_t));
}

static qc_status call_committed(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_committed(self, 6, 6);
}

static const uint64_t WRITES[2] = {6, 7};

static qc_status call_committed_batch(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_committed_batch(self, IN(0, uint64_t, WRITES), IN(1, uint64_t, WRITES), frame->count,
                                   OUT(2, size_t));
}

static qc_status call_aborted(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_aborted(self, 6, OUT(0, qc_released));
}

static qc_status call_pull(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_pull(self, 2, QC_ROUND_CONTINUE, OUT(0, qc_delivered), frame->count, OUT(1, qc_pulled));
}

static qc_status call_browse(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_browse(self, 0, OUT(0, qc_stored), frame->count, OUT(1, qc_browsed));
}

static qc_status call_ack(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_ack(self, 1, OUT(0, qc_released));
}

static const uint64_t IN_FLIGHT[2] = {1, 2};

static qc_status call_ack_batch(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_ack_batch(self, IN(0, uint64_t, IN_FLIGHT), frame->count, OUT(1, qc_released), OUT(2, size_t));
}

static qc_status call_requeue(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_requeue(self, 1);
}

static qc_status call_park(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_park(self, 1);
}

static qc_status call_remove(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_remove(self, 4, 0, OUT(0, qc_released));
}

static qc_status call_purge(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_purge(self, 0, 10, OUT(0, qc_purged));
}

static qc_status call_drop_cache(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_drop_cache(self, OUT(0, qc_dropped));
}

static qc_status call_on_ready(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_on_ready(self, no_ready, NULL, NULL);
}

static qc_status call_set_policy(qc_cursor *self, cursor_frame *frame) {
  qc_cursor_policy policy = policy_of();
  arm(frame);
  policy.page_messages = 3;
  return qc_cursor_set_policy(self, IN(0, qc_cursor_policy, &policy));
}

static qc_status call_set_marks(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_set_marks(self, 10, 20);
}

/* Into the outputs goes the struct_size first, which is the caller's. */
static void arm_with_room(cursor_frame *frame, size_t size) {
  const uint32_t room = QC_CAST(uint32_t, size);
  arm(frame);
  memcpy(frame->outputs.bytes, &room, sizeof room);
  memcpy(frame->armed, frame->outputs.bytes, sizeof frame->armed);
}

static qc_status call_get_policy(qc_cursor *self, cursor_frame *frame) {
  arm_with_room(frame, sizeof(qc_cursor_policy));
  return qc_cursor_get_policy(self, OUT(0, qc_cursor_policy));
}

static qc_status call_refresh(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_refresh(self);
}

static qc_status call_stats(qc_cursor *self, cursor_frame *frame) {
  arm_with_room(frame, CURSOR_OUTPUT);
  return qc_cursor_stats(self, OUT(0, cursor_stats_of));
}

static qc_status call_destroy(qc_cursor *self, cursor_frame *frame) {
  arm(frame);
  return qc_cursor_destroy(self);
}

#define GIVEN(name) {name, 0}
#define OR_NULL(name) {name, 1}
#define END {NULL, 0}
#define NONE {END, END, END, END}
#define ONE(argument) {argument, END, END, END}
#define TWO(first, second) {first, second, END, END}
#define THREE(first, second, third) {first, second, third, END}

const cursor_row cursor_rows[] = {
    {"qc_cursor_policy_init", NULL, 0, NONE, cursor_inits_row},
    {"qc_cursor_options_init", NULL, 0, NONE, cursor_inits_row},
    {"qc_cursor_group_options_init", NULL, 0, NONE, cursor_inits_row},
    {"qc_store_init", NULL, 0, NONE, cursor_inits_row},
    {"qc_cursor_create", NULL, 0, NONE, cursor_create_row},
    {"qc_cursor_group_create", NULL, 0, NONE, cursor_group_create_row},
    {"qc_cursor_group_stats", NULL, 0, NONE, cursor_group_stats_row},
    {"qc_cursor_group_destroy", NULL, 0, NONE, cursor_group_destroy_row},
    {"qc_cursor_open", call_open, CURSOR_FRESH, NONE, NULL},
    {"qc_cursor_push", call_push, 0, TWO(GIVEN("message"), GIVEN("out_pushed")), NULL},
    {"qc_cursor_push_batch", call_push_batch, CURSOR_COUNT,
     THREE(GIVEN("messages"), GIVEN("out_pushed"), GIVEN("out_done")), NULL},
    {"qc_cursor_committed", call_committed, 0, NONE, NULL},
    {"qc_cursor_committed_batch", call_committed_batch, CURSOR_COUNT,
     THREE(GIVEN("tokens"), GIVEN("sequences"), GIVEN("out_done")), NULL},
    {"qc_cursor_aborted", call_aborted, 0, ONE(OR_NULL("out_released")), NULL},
    {"qc_cursor_pull", call_pull, CURSOR_COUNT, TWO(GIVEN("out_messages"), GIVEN("out_pulled")), NULL},
    {"qc_cursor_browse", call_browse, CURSOR_COUNT, TWO(GIVEN("out_messages"), GIVEN("out_browsed")), NULL},
    {"qc_cursor_ack", call_ack, 0, ONE(OR_NULL("out_released")), NULL},
    {"qc_cursor_ack_batch", call_ack_batch, CURSOR_COUNT,
     THREE(GIVEN("sequences"), OR_NULL("out_released"), GIVEN("out_done")), NULL},
    {"qc_cursor_requeue", call_requeue, 0, NONE, NULL},
    {"qc_cursor_park", call_park, 0, NONE, NULL},
    {"qc_cursor_remove", call_remove, 0, ONE(OR_NULL("out_released")), NULL},
    {"qc_cursor_purge", call_purge, 0, ONE(GIVEN("out_purged")), NULL},
    {"qc_cursor_drop_cache", call_drop_cache, 0, ONE(OR_NULL("out_dropped")), NULL},
    {"qc_cursor_on_ready", call_on_ready, 0, NONE, NULL},
    {"qc_cursor_set_policy", call_set_policy, CURSOR_SILENT, ONE(GIVEN("policy")), NULL},
    {"qc_cursor_set_marks", call_set_marks, 0, NONE, NULL},
    {"qc_cursor_get_policy", call_get_policy, 0, ONE(GIVEN("inout_policy")), NULL},
    {"qc_cursor_refresh", call_refresh, 0, NONE, NULL},
    {"qc_cursor_stats", call_stats, 0, ONE(GIVEN("inout_stats")), NULL},
    /* Last: it ends the cursor. */
    {"qc_cursor_destroy", call_destroy, CURSOR_NULL_SELF, NONE, NULL},
};
const size_t cursor_row_count = sizeof cursor_rows / sizeof cursor_rows[0];

void misuse_queue_open(test_queue *queue, unsigned traits) {
  uint64_t sequence;
  queue_open(queue, NULL);
  if ((traits & CURSOR_FRESH) != 0) { return; }
  for (sequence = 1; sequence <= 5; sequence++) {
    assert_int_equal(queue_push(queue, sequence, 100), QC_CACHED);
  }
  expect_pull(queue, 3, QC_PULL_MORE, QC_BLOCKED_NOT, 1, 2, 3);
  assert_int_equal(queue_push_open(queue, 6, 10), QC_CACHED);
  assert_int_equal(queue_push_open(queue, 7, 10), QC_CACHED);
}

cursor_frame cursor_right_frame(void) {
  cursor_frame frame;
  memset(&frame, 0, sizeof frame);
  frame.count = 2;
  frame.null_argument = CURSOR_NO_ARGUMENT;
  frame.misaligned_argument = CURSOR_NO_ARGUMENT;
  return frame;
}

void cursor_check_untouched(const cursor_row *row, const cursor_frame *frame, const char *file, int line) {
  if (memcmp(frame->outputs.bytes, frame->armed, sizeof frame->armed) != 0) {
    print_error("%s was refused and wrote to its outputs all the same\n", row->function);
    _fail(file, line);
  }
}
