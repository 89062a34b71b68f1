/* See usage_misuse_rows.h. */

#include "usage_misuse_rows.h"

#define COUNT_UNTOUCHED 12345

/* Arms the outputs: only what the call writes will differ from this. */
static void arm(usage_frame *frame) {
  memset(frame->outputs.bytes, 0xa5, sizeof frame->outputs.bytes);
  frame->count = COUNT_UNTOUCHED;
  memcpy(frame->armed, frame->outputs.bytes, sizeof frame->armed);
}

/* Argument number n of a row: as it should be, NULL, or off by one byte. */
static void *given(const usage_frame *frame, int n, const void *pointer) {
  uintptr_t bits = (uintptr_t)pointer;
  if (frame->null_argument == n) { return NULL; }
  if (frame->misaligned_argument == n) { bits++; }
  return (void *)bits;
}
#define IN(n, type, pointer) QC_CAST(const type *, given(frame, (n), (pointer)))
#define OUT(n, type) QC_CAST(type *, given(frame, (n), frame->outputs.bytes))
#define COUNT(n) QC_CAST(size_t *, given(frame, (n), &frame->count))

static void no_listener(void *ctx, const qc_usage_event *event) {
  (void)ctx;
  (void)event;
}

static void no_notice(void *ctx, qc_status reason) {
  (void)ctx;
  (void)reason;
}

static qc_status call_create_child(qc_usage *self, usage_frame *frame) {
  qc_status status;
  arm(frame);
  status = qc_usage_create_child(self, IN(0, qc_usage_options, &frame->options), OUT(1, qc_usage *));
  if (status == QC_OK) {
    qc_usage *made;
    memcpy(&made, frame->outputs.bytes, sizeof made);
    assert_ok(qc_usage_destroy(made, NULL));
  }
  return status;
}

static qc_status call_destroy(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_destroy(self, OUT(0, int64_t));
}

static qc_status call_increase(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_increase(self, frame->amount);
}

static qc_status call_decrease(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_decrease(self, frame->amount);
}

static qc_status call_try_reserve(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_try_reserve(self, frame->amount, OUT(0, uint8_t));
}

static qc_status call_set_usage(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_set_usage(self, frame->amount > INT64_MAX ? INT64_MIN : QC_CAST(int64_t, frame->amount));
}

static qc_status call_reserve_wait(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_reserve_wait(self, frame->amount, 0);
}

static qc_status call_reserve_notify(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_reserve_notify(self, frame->amount, frame->null_argument == 0 ? NULL : no_notice, NULL,
                                 OUT(1, uint64_t));
}

static qc_status call_reserve_cancel(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_reserve_cancel(self, 12345, OUT(0, uint8_t));
}

static qc_status call_wait_for_space(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_wait_for_space(self, 0, frame->percent);
}

static qc_status call_notify_when_not_full(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_notify_when_not_full(self, frame->null_argument == 0 ? NULL : no_notice, NULL, OUT(1, uint8_t));
}

static qc_status call_notify_when_below(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_notify_when_below(self, frame->percent, frame->null_argument == 0 ? NULL : no_notice, NULL,
                                    OUT(1, uint8_t));
}

static qc_status call_space_notify(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_space_notify(self, frame->percent, frame->null_argument == 0 ? NULL : no_notice, NULL,
                               OUT(1, uint64_t));
}

static qc_status call_is_in_line(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_is_in_line(self, 12345, OUT(0, uint8_t));
}

static qc_status call_start(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_start(self);
}

static qc_status call_stop(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_stop(self);
}

static qc_status call_percent(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_percent(self, OUT(0, int32_t));
}

static qc_status call_is_full(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_is_full(self, OUT(0, uint8_t));
}

static qc_status call_is_full_at(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_is_full_at(self, 50, OUT(0, uint8_t));
}

static qc_status call_is_over_mark(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_is_over_mark(self, OUT(0, uint8_t));
}

static qc_status call_usage(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_usage(self, OUT(0, int64_t));
}

static qc_status call_usage_exact(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_usage_exact(self, OUT(0, int64_t));
}

static qc_status call_limit(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_limit(self, OUT(0, uint64_t));
}

static qc_status call_set_limit(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_set_limit(self, 3000);
}

static qc_status call_set_share(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_set_share(self, 250000);
}

static qc_status call_set_min_delta(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_set_min_delta(self, 5);
}

static qc_status call_set_marks(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_set_marks(self, frame->percent, frame->percent);
}

static qc_status call_clear_marks(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_clear_marks(self);
}

static qc_status call_set_listener(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_set_listener(self, frame->null_argument == 0 ? NULL : no_listener, NULL, NULL);
}

static qc_status call_keep_events(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_keep_events(self);
}

static qc_status call_clear_events(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_clear_events(self);
}

static qc_status call_poll_events(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_poll_events(self, OUT(0, qc_usage_event), frame->capacity, COUNT(1));
}

static qc_status call_event_descriptor(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_event_descriptor(self, OUT(0, int32_t));
}

static qc_status call_stats(qc_usage *self, usage_frame *frame) {
  const uint32_t room = QC_CAST(uint32_t, sizeof(usage_stats_of));
  arm(frame);
  memcpy(frame->outputs.bytes, &room, sizeof room);
  memcpy(frame->armed, frame->outputs.bytes, sizeof frame->armed);
  return qc_usage_stats(self, OUT(0, usage_stats_of));
}

static qc_status call_children(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_children(self, OUT(0, qc_usage_child), frame->capacity, COUNT(1));
}

static qc_status call_node(qc_usage *self, usage_frame *frame) {
  arm(frame);
  return qc_usage_node(self, OUT(0, const void *));
}

static qc_status call_keep_node(qc_usage *self, usage_frame *frame) {
  qc_usage_hold *hold = NULL;
  qc_status status;
  arm(frame);
  status = qc_usage_keep_node(self, QC_CAST(qc_usage_hold **, given(frame, 0, &hold)), OUT(1, const void *));
  assert_true((hold != NULL) == (status == QC_OK));
  assert_ok(qc_usage_hold_destroy(hold));
  return status;
}

#define PLAIN(name) {name, 0, 0}
#define ALIGNED(name) {name, 0, 1}
#define ALIGNED_OR_NULL(name) {name, 1, 1}
#define END {NULL, 0, 0}
#define NONE {END, END, END}
#define ONE(argument) {argument, END, END}
#define TWO(first, second) {first, second, END}

const usage_row usage_rows[] = {
    {"qc_usage_options_init", NULL, 0, NULL, NONE, usage_options_init_row},
    {"qc_usage_create", NULL, 0, NULL, NONE, usage_create_row},
    {"qc_usage_layout", NULL, 0, NULL, NONE, usage_layout_row},
    {"qc_usage_hold_destroy", NULL, 0, NULL, NONE, usage_hold_destroy_row},
    {"qc_usage_create_child", call_create_child, 0, "parent", TWO(ALIGNED("options"), ALIGNED("out_usage")), NULL},
    {"qc_usage_increase", call_increase, USAGE_AMOUNT, "self", NONE, NULL},
    {"qc_usage_decrease", call_decrease, USAGE_AMOUNT, "self", NONE, NULL},
    {"qc_usage_try_reserve", call_try_reserve, USAGE_AMOUNT, "self", ONE(PLAIN("out_admitted")), NULL},
    {"qc_usage_set_usage", call_set_usage, USAGE_AMOUNT, "self", NONE, NULL},
    {"qc_usage_reserve_wait", call_reserve_wait, USAGE_AMOUNT, "self", NONE, NULL},
    {"qc_usage_reserve_notify", call_reserve_notify, USAGE_AMOUNT, "self",
     TWO(PLAIN("notice"), ALIGNED("out_ticket")), NULL},
    {"qc_usage_reserve_cancel", call_reserve_cancel, 0, "self", ONE(PLAIN("out_cancelled")), NULL},
    {"qc_usage_wait_for_space", call_wait_for_space, USAGE_PERCENT, "self", NONE, NULL},
    {"qc_usage_notify_when_not_full", call_notify_when_not_full, 0, "self",
     TWO(PLAIN("notice"), PLAIN("out_registered")), NULL},
    {"qc_usage_notify_when_below", call_notify_when_below, USAGE_PERCENT, "self",
     TWO(PLAIN("notice"), PLAIN("out_registered")), NULL},
    {"qc_usage_space_notify", call_space_notify, USAGE_PERCENT, "self", TWO(PLAIN("notice"), ALIGNED("out_ticket")), NULL},
    {"qc_usage_is_in_line", call_is_in_line, 0, "self", ONE(PLAIN("out_in_line")), NULL},
    {"qc_usage_start", call_start, 0, "self", NONE, NULL},
    {"qc_usage_stop", call_stop, 0, "self", NONE, NULL},
    {"qc_usage_percent", call_percent, 0, "self", ONE(ALIGNED("out_percent")), NULL},
    {"qc_usage_is_full", call_is_full, 0, "self", ONE(PLAIN("out_full")), NULL},
    {"qc_usage_is_full_at", call_is_full_at, 0, "self", ONE(PLAIN("out_full")), NULL},
    {"qc_usage_is_over_mark", call_is_over_mark, 0, "self", ONE(PLAIN("out_over")), NULL},
    {"qc_usage_usage", call_usage, 0, "self", ONE(ALIGNED("out_usage_bytes")), NULL},
    {"qc_usage_usage_exact", call_usage_exact, 0, "self", ONE(ALIGNED("out_usage_bytes")), NULL},
    {"qc_usage_limit", call_limit, 0, "self", ONE(ALIGNED("out_limit_bytes")), NULL},
    {"qc_usage_set_limit", call_set_limit, 0, "self", NONE, NULL},
    {"qc_usage_set_share", call_set_share, 0, "self", NONE, NULL},
    {"qc_usage_set_min_delta", call_set_min_delta, 0, "self", NONE, NULL},
    {"qc_usage_set_marks", call_set_marks, USAGE_PERCENT, "self", NONE, NULL},
    {"qc_usage_clear_marks", call_clear_marks, 0, "self", NONE, NULL},
    {"qc_usage_set_listener", call_set_listener, 0, "self", ONE(PLAIN("listener")), NULL},
    {"qc_usage_keep_events", call_keep_events, 0, "self", NONE, NULL},
    {"qc_usage_clear_events", call_clear_events, 0, "self", NONE, NULL},
    {"qc_usage_poll_events", call_poll_events, USAGE_CAPACITY, "self",
     TWO(ALIGNED("out_events"), ALIGNED("out_count")), NULL},
    {"qc_usage_event_descriptor", call_event_descriptor, 0, "self", ONE(ALIGNED("out_descriptor")), NULL},
    {"qc_usage_stats", call_stats, 0, "self", ONE(ALIGNED("inout_stats")), NULL},
    {"qc_usage_children", call_children, USAGE_CAPACITY, "self", TWO(ALIGNED("out_children"), ALIGNED("out_count")),
     NULL},
    {"qc_usage_node", call_node, 0, "self", ONE(ALIGNED("out_node")), NULL},
    {"qc_usage_keep_node", call_keep_node, 0, "self", TWO(ALIGNED("out_hold"), ALIGNED("out_node")), NULL},
    /* Last: it ends the tracker. */
    {"qc_usage_destroy", call_destroy, USAGE_NULL_SELF, "self", ONE(ALIGNED_OR_NULL("out_residual_bytes")), NULL},
};
const size_t usage_row_count = sizeof usage_rows / sizeof usage_rows[0];

void usage_open(usage_fixture *fixture) {
  qc_usage_options options;
  memset(fixture, 0, sizeof *fixture);
  options = usage_options_with(2000, &fixture->memory);
  assert_ok(qc_usage_create(&options, &fixture->root));
  fixture->usage = usage_child(fixture->root, 1000);
  assert_ok(qc_usage_keep_events(fixture->root));
  assert_ok(qc_usage_increase(fixture->usage, 100));
  fixture->frame.options = usage_options_of(10);
  fixture->frame.amount = 7;
  fixture->frame.percent = 50;
  fixture->frame.capacity = 2;
  fixture->frame.null_argument = USAGE_NO_ARGUMENT;
  fixture->frame.misaligned_argument = USAGE_NO_ARGUMENT;
}

void usage_close(usage_fixture *fixture) {
  assert_ok(qc_usage_destroy(fixture->usage, NULL));
  assert_ok(qc_usage_destroy(fixture->root, NULL));
  assert_balanced(&fixture->memory);
}

static uint64_t mix(uint64_t digest, uint64_t number) { return (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15); }

static uint64_t digest_one(uint64_t digest, qc_usage *usage) {
  const usage_stats_of stats = usage_figures(usage);
  digest = mix(digest, QC_CAST(uint64_t, stats.usage_bytes));
  digest = mix(digest, QC_CAST(uint64_t, stats.own_bytes));
  digest = mix(digest, stats.limit_bytes);
  digest = mix(digest, QC_CAST(uint64_t, stats.percent));
  digest = mix(digest, stats.is_stopped);
  digest = mix(digest, stats.children);
  digest = mix(digest, stats.waiters);
  digest = mix(digest, stats.tree_trackers);
  digest = mix(digest, QC_CAST(uint64_t, is_over_mark(usage)));
  return mix(digest, stats.bytes_in_use);
}

uint64_t usage_digest(const usage_fixture *fixture) {
  return digest_one(digest_one(1, fixture->root), fixture->usage);
}

void usage_check_untouched(const usage_row *row, const usage_frame *frame, const char *file, int line) {
  if (memcmp(frame->outputs.bytes, frame->armed, sizeof frame->armed) != 0 || frame->count != COUNT_UNTOUCHED) {
    print_error("%s was refused and wrote to its outputs all the same\n", row->function);
    _fail(file, line);
  }
}
