/* See misuse_rows.h. */

#include "misuse_rows.h"

/* Arms the outputs: only what the call writes will differ from this. */
static void arm(misuse_frame *frame) {
  memset(frame->outputs.bytes, 0xa5, sizeof frame->outputs.bytes);
  frame->done = MISUSE_DONE_UNTOUCHED;
  memcpy(frame->armed, frame->outputs.bytes, sizeof frame->armed);
}

/* Argument number n of a row: as it should be, NULL, or off by one byte. */
static void *given(const misuse_frame *frame, int n, const void *pointer) {
  uintptr_t bits = (uintptr_t)pointer;
  if (frame->null_argument == n) { return NULL; }
  if (frame->misaligned_argument == n) { bits++; }
  return (void *)bits;
}
#define IN(n, type, pointer) QC_CAST(const type *, given(frame, (n), (pointer)))
#define OUT(n, type) QC_CAST(type *, given(frame, (n), frame->outputs.bytes))
#define DONE(n) QC_CAST(size_t *, given(frame, (n), &frame->done))

static qc_status call_destroy(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_destroy(self);
}

static qc_status call_insert(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_insert(self, IN(0, qc_key, &frame->new_key), IN(1, void, frame->values), frame->value_len,
                           frame->at, frame->now, OUT(2, qc_insert_result));
}

static qc_status call_readmit(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_readmit(self, IN(0, qc_key, &frame->new_key), IN(1, void, frame->values), frame->value_len,
                            frame->at, frame->now, OUT(2, qc_insert_result));
}

static qc_status call_insert_batch(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_insert_batch(self, IN(0, qc_key, frame->keys), IN(1, void, frame->values),
                                 IN(2, int64_t, frame->ats), frame->count, frame->now, OUT(3, qc_insert_result),
                                 DONE(4));
}

static qc_status call_readmit_batch(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_readmit_batch(self, IN(0, qc_key, frame->keys), IN(1, void, frame->values),
                                  IN(2, int64_t, frame->ats), frame->count, frame->now, OUT(3, qc_insert_result),
                                  DONE(4));
}

static qc_status call_forget(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_forget(self, frame->entry);
}

static qc_status call_forget_key(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_forget_key(self, IN(0, qc_key, &frame->live_key));
}

static qc_status call_find(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_find(self, IN(0, qc_key, &frame->live_key), OUT(1, qc_entry));
}

static qc_status call_contains(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_contains(self, IN(0, qc_key, &frame->live_key), frame->now, OUT(1, uint32_t));
}

static qc_status call_contains_batch(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_contains_batch(self, IN(0, qc_key, frame->keys), frame->count, frame->now, OUT(1, uint32_t));
}

static qc_status call_erase(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_erase(self, frame->entry, frame->now, OUT(0, uint32_t));
}

static qc_status call_erase_key(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_erase_key(self, IN(0, qc_key, &frame->live_key), frame->now, OUT(1, uint32_t));
}

static qc_status call_erase_batch(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_erase_batch(self, IN(0, qc_entry, frame->entries), frame->count, frame->now, OUT(1, uint32_t),
                                DONE(2));
}

static qc_status call_erase_all_live(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_erase_all_live(self, frame->now, OUT(0, uint64_t));
}

static qc_status call_gc(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_gc(self, frame->now, UINT64_MAX, OUT(0, qc_gc_result));
}

static qc_status call_clear(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_clear(self);
}

static qc_status call_clock_reset(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_clock_reset(self, frame->now);
}

static qc_status call_first(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_first(self, OUT(0, qc_entry));
}

static qc_status call_last(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_last(self, OUT(0, qc_entry));
}

static qc_status call_next(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_next(self, frame->entry, OUT(0, qc_entry));
}

static qc_status call_prev(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_prev(self, frame->entry, OUT(0, qc_entry));
}

static qc_status call_value(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_value(self, frame->entry, OUT(0, void *));
}

static qc_status call_entry_info(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_entry_info(self, frame->entry, OUT(0, qc_entry_info));
}

static qc_status call_live_len(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_live_len(self, OUT(0, uint64_t));
}

static qc_status call_history_len(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_history_len(self, OUT(0, uint64_t));
}

static qc_status call_clear_step(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_clear_step(self, 1, OUT(0, qc_gc_result));
}

static qc_status call_set_window(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_set_window(self, 2000 * TICK_NS);
}

static qc_status call_next_from(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_next_from(self, IN(0, qc_key, &frame->live_key), OUT(1, qc_entry));
}

static qc_status call_iter_begin(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_iter_begin(self);
}

static qc_status call_iter_next(qc_history *self, misuse_frame *frame) {
  arm(frame);
  (void)qc_history_iter_begin(self);
  return qc_history_iter_next(self, OUT(0, qc_history_item), frame->count, DONE(1),
                              QC_CAST(uint32_t *, given(frame, 2, &frame->more)));
}

static qc_status call_export_begin(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_export_begin(self);
}

static qc_status call_export(qc_history *self, misuse_frame *frame) {
  arm(frame);
  (void)qc_history_export_begin(self);
  return qc_history_export(self, given(frame, 0, frame->space), sizeof frame->space, OUT(1, qc_export_result));
}

static qc_status call_import(qc_history *self, misuse_frame *frame) {
  arm(frame);
  return qc_history_import(self, IN(0, void, frame->buffer), frame->buffer_len, frame->now, 0,
                           OUT(1, qc_import_result));
}

static qc_status call_stats(qc_history *self, misuse_frame *frame) {
  const uint32_t room = QC_CAST(uint32_t, sizeof(stats_of));
  arm(frame);
  memcpy(frame->outputs.bytes, &room, sizeof room);
  memcpy(frame->armed, frame->outputs.bytes, sizeof frame->armed);
  return qc_history_stats(self, OUT(0, stats_of));
}

#define KEY(name) {name, 0, 0}
#define BYTES_OR_NULL(name) {name, 1, 0}
#define ALIGNED(name) {name, 0, 1}
#define ALIGNED_OR_NULL(name) {name, 1, 1}
#define END {NULL, 0, 0}
#define NONE {END, END, END, END, END}
#define PUT_TRAITS (MISUSE_NOW | MISUSE_STEP | MISUSE_AT | MISUSE_LENGTH)
#define PUT_ARGUMENTS {KEY("key"), KEY("value"), ALIGNED("out_result"), END, END}
#define BATCH_TRAITS (MISUSE_NOW | MISUSE_STEP | MISUSE_AT | MISUSE_COUNT)
#define BATCH_ARGUMENTS \
  {KEY("keys"), BYTES_OR_NULL("values"), ALIGNED_OR_NULL("inserted_at_ns"), ALIGNED("out_results"), ALIGNED("out_done")}
#define ONE_OUT(name) {ALIGNED(name), END, END, END, END}
#define TIMED (MISUSE_NOW | MISUSE_STEP)

const misuse_row misuse_rows[] = {
    {"qc_abi_version", NULL, 0, NONE, misuse_version},
    {"qc_version_string", NULL, 0, NONE, misuse_version},
    {"qc_status_string", NULL, 0, NONE, misuse_status_string},
    {"qc_last_error", NULL, 0, NONE, misuse_last_error},
    {"qc_history_options_init", NULL, 0, NONE, misuse_options_init},
    {"qc_history_create", NULL, 0, NONE, misuse_create},
    {"qc_history_insert", call_insert, PUT_TRAITS, PUT_ARGUMENTS, NULL},
    {"qc_history_readmit", call_readmit, PUT_TRAITS, PUT_ARGUMENTS, NULL},
    {"qc_history_insert_batch", call_insert_batch, BATCH_TRAITS, BATCH_ARGUMENTS, NULL},
    {"qc_history_readmit_batch", call_readmit_batch, BATCH_TRAITS, BATCH_ARGUMENTS, NULL},
    {"qc_history_forget", call_forget, MISUSE_ENTRY, NONE, NULL},
    {"qc_history_forget_key", call_forget_key, 0, {KEY("key"), END, END, END, END}, NULL},
    {"qc_history_find", call_find, 0, {KEY("key"), ALIGNED("out_entry"), END, END, END}, NULL},
    {"qc_history_contains", call_contains, TIMED, {KEY("key"), ALIGNED("out_presence"), END, END, END}, NULL},
    {"qc_history_contains_batch", call_contains_batch, TIMED | MISUSE_COUNT,
     {KEY("keys"), ALIGNED("out_presences"), END, END, END}, NULL},
    {"qc_history_erase", call_erase, TIMED | MISUSE_ENTRY, {ALIGNED_OR_NULL("out_erased"), END, END, END, END}, NULL},
    {"qc_history_erase_key", call_erase_key, TIMED, {KEY("key"), ALIGNED_OR_NULL("out_erased"), END, END, END}, NULL},
    {"qc_history_erase_batch", call_erase_batch, TIMED | MISUSE_ENTRY | MISUSE_COUNT,
     {ALIGNED("entries"), ALIGNED_OR_NULL("out_erased"), ALIGNED("out_done"), END, END}, NULL},
    {"qc_history_erase_all_live", call_erase_all_live, TIMED, ONE_OUT("out_count"), NULL},
    {"qc_history_gc", call_gc, TIMED, ONE_OUT("out_result"), NULL},
    {"qc_history_clear", call_clear, 0, NONE, NULL},
    {"qc_history_clear_step", call_clear_step, 0, ONE_OUT("out_result"), NULL},
    {"qc_history_set_window", call_set_window, 0, NONE, NULL},
    {"qc_history_next_from", call_next_from, 0, {KEY("key"), ALIGNED("out_entry"), END, END, END}, NULL},
    {"qc_history_iter_begin", call_iter_begin, 0, NONE, NULL},
    {"qc_history_iter_next", call_iter_next, MISUSE_COUNT,
     {ALIGNED("out_items"), ALIGNED("out_done"), ALIGNED("out_more"), END, END}, NULL},
    {"qc_history_export_begin", call_export_begin, 0, NONE, NULL},
    {"qc_history_export", call_export, 0, {KEY("buffer"), ALIGNED("out_result"), END, END, END}, NULL},
    {"qc_history_import", call_import, TIMED, {KEY("buffer"), ALIGNED("out_result"), END, END, END}, NULL},
    {"qc_history_buffer_info", NULL, 0, NONE, misuse_buffer_info},
    {"qc_history_group_options_init", NULL, 0, NONE, misuse_group_options},
    {"qc_history_group_create", NULL, 0, NONE, misuse_group},
    {"qc_history_group_destroy", NULL, 0, NONE, misuse_group},
    {"qc_history_group_gc_many", NULL, 0, NONE, misuse_group},
    {"qc_history_group_clock_reset", NULL, 0, NONE, misuse_group},
    {"qc_history_group_stats", NULL, 0, NONE, misuse_group},
    {"qc_history_clock_reset", call_clock_reset, MISUSE_NOW, NONE, NULL},
    {"qc_history_first", call_first, 0, ONE_OUT("out_entry"), NULL},
    {"qc_history_last", call_last, 0, ONE_OUT("out_entry"), NULL},
    {"qc_history_next", call_next, MISUSE_ENTRY, ONE_OUT("out_entry"), NULL},
    {"qc_history_prev", call_prev, MISUSE_ENTRY, ONE_OUT("out_entry"), NULL},
    {"qc_history_value", call_value, MISUSE_ENTRY, ONE_OUT("out_value"), NULL},
    {"qc_history_entry_info", call_entry_info, MISUSE_ENTRY, ONE_OUT("out_info"), NULL},
    {"qc_history_live_len", call_live_len, 0, ONE_OUT("out_len"), NULL},
    {"qc_history_history_len", call_history_len, 0, ONE_OUT("out_len"), NULL},
    {"qc_history_stats", call_stats, 0, ONE_OUT("inout_stats"), NULL},
    /* Last: it ends the history. */
    {"qc_history_destroy", call_destroy, MISUSE_NULL_SELF, NONE, NULL},
};
const size_t misuse_row_count = sizeof misuse_rows / sizeof misuse_rows[0];

static uint64_t fixture_hash(void *ctx, const qc_key *key) {
  misuse_fixture *fixture = QC_CAST(misuse_fixture *, ctx);
  uint64_t bits = 0;
  if (fixture->on_hash != NULL) {
    void (*run)(void *) = fixture->on_hash;
    fixture->on_hash = NULL;
    run(fixture->on_hash_ctx);
  }
  memcpy(&bits, key->bytes, sizeof bits);
  return bits * UINT64_C(0x9e3779b97f4a7c15);
}

void misuse_open(misuse_fixture *fixture) {
  qc_history_options options = options_of(1000);
  const unsigned char value[MISUSE_VALUE_SIZE] = {1, 2, 3};
  qc_insert_result result;
  uint64_t i;
  memset(fixture, 0, sizeof *fixture);
  host_attach(&fixture->memory, &options);
  options.value_size = MISUSE_VALUE_SIZE;
  options.hash = fixture_hash;
  options.hash_ctx = fixture;
  fixture->history = create_of(&options);
  for (i = 1; i <= 3; i++) {
    const qc_key key = key_of(i);
    assert_ok(qc_history_insert(fixture->history, &key, value, sizeof value, 0, 10 * TICK_NS, &result));
    assert_int_equal(result.outcome, QC_ADDED);
    if (i <= 2) { fixture->frame.entries[i - 1] = result.entry; }
  }
  assert_int_equal(erase_key(fixture->history, 3, 10), QC_ERASED_HISTORICAL);
  {
    qc_export_result written;
    assert_ok(qc_history_export_begin(fixture->history));
    assert_ok(qc_history_export(fixture->history, fixture->frame.buffer, sizeof fixture->frame.buffer, &written));
    assert_int_equal(written.entries, 3);
    fixture->frame.buffer_len = QC_CAST(size_t, written.bytes);
  }

  fixture->frame.new_key = key_of(50);
  fixture->frame.live_key = key_of(1);
  fixture->frame.keys[0] = key_of(60);
  fixture->frame.keys[1] = key_of(61);
  fixture->frame.entry = fixture->frame.entries[0];
  memset(fixture->frame.values, 0x33, sizeof fixture->frame.values);
  fixture->frame.value_len = MISUSE_VALUE_SIZE;
  fixture->frame.at = 5 * TICK_NS;
  fixture->frame.ats[0] = 5 * TICK_NS;
  fixture->frame.ats[1] = 6 * TICK_NS;
  fixture->frame.count = 2;
  fixture->frame.now = 10 * TICK_NS;
  fixture->frame.null_argument = MISUSE_NO_ARGUMENT;
  fixture->frame.misaligned_argument = MISUSE_NO_ARGUMENT;
}

misuse_frame misuse_right_frame(const misuse_fixture *fixture) { return fixture->frame; }

void misuse_close(misuse_fixture *fixture) {
  assert_ok(qc_history_destroy(fixture->history));
  assert_balanced(&fixture->memory);
}

void misuse_check_untouched(const misuse_row *row, const misuse_frame *frame, const char *file, int line) {
  if (memcmp(frame->outputs.bytes, frame->armed, sizeof frame->armed) != 0) {
    print_error("%s was refused and wrote to its outputs all the same\n", row->function);
    _fail(file, line);
  }
  if (frame->done != MISUSE_DONE_UNTOUCHED && frame->done != 0) {
    print_error("%s was refused and says that %zu elements are done\n", row->function, frame->done);
    _fail(file, line);
  }
}
