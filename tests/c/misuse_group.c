/* Use and misuse of groups of histories, and of the one function that reads a buffer without a history. */

#include "misuse_rows.h"

#include <pthread.h>

static qc_history_group_options right_options(void) {
  qc_history_group_options options;
  assert_ok(qc_history_group_options_init(&options, sizeof options));
  return options;
}

void misuse_buffer_info(void **state) {
  misuse_fixture fixture;
  qc_buffer_info info;
  (void)state;
  misuse_open(&fixture);
  memset(&info, 0xa5, sizeof info);
  assert_status(qc_history_buffer_info(NULL, 10, &info), QC_ERR_NULL_ARGUMENT);
  assert_error_names("buffer");
  assert_status(qc_history_buffer_info(fixture.frame.buffer, fixture.frame.buffer_len, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_info");
  assert_status(qc_history_buffer_info(fixture.frame.buffer, SIZE_MAX, &info), QC_ERR_OVERFLOW);
  assert_status(qc_history_buffer_info(fixture.frame.buffer, fixture.frame.buffer_len,
                                       (qc_buffer_info *)((uintptr_t)&info + 1)),
                QC_ERR_INVALID_ARGUMENT);
  assert_status(qc_history_buffer_info(fixture.frame.buffer, fixture.frame.buffer_len - 1, &info), QC_ERR_BAD_BUFFER);
  assert_error_names("truncated");
  assert_true(info.present_ns == INT64_C(-6510615555426900571)); /* untouched */
  assert_ok(qc_history_buffer_info(fixture.frame.buffer, fixture.frame.buffer_len, &info));
  assert_int_equal(info.entries, 3);
  assert_int_equal(info.number, 0);
  assert_int_equal(info.is_last, 1);
  assert_int_equal(info.value_size, MISUSE_VALUE_SIZE);
  assert_true(info.present_ns == 10 * TICK_NS && info.window_ns == 1000 * TICK_NS);
  misuse_close(&fixture);
}

void misuse_group_options(void **state) {
  union {
    unsigned char bytes[4096 + 64];
    qc_history_group_options options;
  } room;
  const size_t wrong[4] = {0, 3, 4097, SIZE_MAX};
  size_t i;
  (void)state;
  memset(&room, 0xa5, sizeof room);
  assert_status(qc_history_group_options_init(NULL, sizeof room.options), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_options");
  for (i = 0; i < 4; i++) {
    assert_status(qc_history_group_options_init(&room.options, wrong[i]), QC_ERR_INVALID_ARGUMENT);
    assert_error_names("struct_size");
  }
  for (i = 0; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }
  assert_ok(qc_history_group_options_init(&room.options, 4096));
  assert_int_equal(room.options.struct_size, 4096);
  assert_int_equal(room.options.cache_bytes, 256 * 1024);
  assert_true(room.options.max_clock_step_ns == INT64_C(3600000000000));
  for (i = sizeof room.options; i < 4096; i++) { assert_int_equal(room.bytes[i], 0); }
  for (i = 4096; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }
}

static void expect_create(const qc_history_group_options *options, qc_status want, const char *word) {
  qc_history_group *const untouched = (qc_history_group *)(uintptr_t)77;
  qc_history_group *group = untouched;
  assert_status(qc_history_group_create(options, &group), want);
  assert_error_names(word);
  assert_ptr_equal(group, untouched);
}

static void create_checks_its_arguments(void) {
  qc_history_group_options options = right_options();
  expect_create(NULL, QC_ERR_NULL_ARGUMENT, "options");
  assert_status(qc_history_group_create(&options, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_group");
  options.max_clock_step_ns = -1;
  expect_create(&options, QC_ERR_OUT_OF_RANGE, "max_clock_step_ns");
  options = right_options();
  options.reserved = 1;
  expect_create(&options, QC_ERR_INVALID_ARGUMENT, "reserved");
  options = right_options();
  options.struct_size = 3;
  expect_create(&options, QC_ERR_INVALID_ARGUMENT, "struct_size");
  options = right_options();
  options.limit_bytes = 100;
  expect_create(&options, QC_ERR_CAPACITY, "limit_bytes");
}

typedef struct group_calls {
  qc_history_group *group;
  qc_status status[4];
} group_calls;

/* Each function of a group, with a handle that may be wrong. */
static void call_all(group_calls *calls) {
  struct qc_history_group_stats figures;
  qc_gc_result result = {77, 77, 77};
  memset(&figures, 0xa5, sizeof figures);
  figures.struct_size = QC_CAST(uint32_t, sizeof figures);
  calls->status[0] = qc_history_group_gc_many(calls->group, 0, 10, &result);
  if (calls->status[0] != QC_OK) { assert_int_equal(result.collected, 77); }
  calls->status[1] = qc_history_group_clock_reset(calls->group, 0);
  calls->status[2] = qc_history_group_stats(calls->group, &figures);
  if (calls->status[2] != QC_OK) { assert_true(figures.histories == UINT64_C(0xa5a5a5a5a5a5a5a5)); }
  calls->status[3] = calls->group == NULL ? QC_ERR_NULL_HANDLE : qc_history_group_destroy(calls->group);
}

static void expect_all(qc_history_group *group, qc_status want) {
  group_calls calls;
  int n;
  calls.group = group;
  call_all(&calls);
  for (n = 0; n < 4; n++) { assert_int_equal(calls.status[n], want); }
}

static void wrong_handles_are_told_apart(void) {
  const qc_history_group_options options = right_options();
  qc_history_group *group = NULL;
  qc_history *history = create_window(10);
  qc_history_options of_history = options_of(10);
  uint64_t len = 0;
  expect_all(NULL, QC_ERR_NULL_HANDLE);
  expect_all((qc_history_group *)(uintptr_t)4096, QC_ERR_FOREIGN_HANDLE);
  expect_all((qc_history_group *)(uintptr_t)history, QC_ERR_WRONG_PART);
  assert_ok(qc_history_group_create(&options, &group));
  assert_status(qc_history_live_len((qc_history *)(uintptr_t)group, &len), QC_ERR_WRONG_PART);
  assert_ok(qc_history_group_destroy(group));
  expect_all(group, QC_ERR_DESTROYED);
  of_history.seed = 0;
  of_history.group = group;
  {
    qc_history *none = NULL;
    assert_status(qc_history_create(&of_history, &none), QC_ERR_DESTROYED);
    assert_error_names("group");
    assert_null(none);
  }
  assert_ok(qc_history_group_destroy(NULL));
  assert_ok(qc_history_destroy(history));
}

static void arguments_are_checked(void) {
  const qc_history_group_options options = right_options();
  const int64_t outside[4] = {TIME_MAX_NS + 1, -TIME_MAX_NS - 1, INT64_MAX, INT64_MIN};
  qc_history_group *group = NULL;
  struct qc_history_group_stats figures;
  qc_gc_result result = {77, 77, 77};
  int n;
  assert_ok(qc_history_group_create(&options, &group));
  assert_status(qc_history_group_gc_many(group, 0, 1, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_result");
  assert_status(qc_history_group_gc_many(group, 0, 1, (qc_gc_result *)((uintptr_t)&result + 1)),
                QC_ERR_INVALID_ARGUMENT);
  for (n = 0; n < 4; n++) {
    assert_status(qc_history_group_gc_many(group, outside[n], 1, &result), QC_ERR_CLOCK);
    assert_error_names("now_ns");
    assert_status(qc_history_group_clock_reset(group, outside[n]), QC_ERR_CLOCK);
    assert_error_names("now_ns");
  }
  assert_ok(qc_history_group_gc_many(group, 0, 1, &result));
  result.collected = 77;
  assert_status(qc_history_group_gc_many(group, INT64_C(3600000000001), 1, &result), QC_ERR_CLOCK);
  assert_error_names("max_clock_step_ns");
  assert_int_equal(result.collected, 77);
  assert_ok(qc_history_group_clock_reset(group, INT64_C(3600000000001)));
  assert_ok(qc_history_group_gc_many(group, INT64_C(3600000000001), 1, &result));
  assert_status(qc_history_group_stats(group, NULL), QC_ERR_NULL_ARGUMENT);
  figures.struct_size = 7;
  assert_status(qc_history_group_stats(group, &figures), QC_ERR_INVALID_ARGUMENT);
  assert_error_names("struct_size");
  assert_ok(qc_history_group_destroy(group));
}

/* What is the group's to set cannot be set again; and a group with histories stays. */
static void members_are_checked(void) {
  const qc_history_group_options options = right_options();
  qc_history_options of_history = options_of(10);
  qc_history_group *group = NULL;
  qc_history *history = NULL;
  host_memory memory;
  assert_ok(qc_history_group_create(&options, &group));
  of_history.group = group;
  of_history.seed = 5;
  assert_status(qc_history_create(&of_history, &history), QC_ERR_INVALID_ARGUMENT);
  assert_error_names("seed");
  of_history.seed = 0;
  memset(&memory, 0, sizeof memory);
  host_attach(&memory, &of_history);
  assert_status(qc_history_create(&of_history, &history), QC_ERR_INVALID_ARGUMENT);
  assert_error_names("alloc");
  of_history.alloc = NULL;
  of_history.free = NULL;
  of_history.window_ns = -1;
  assert_status(qc_history_create(&of_history, &history), QC_ERR_OUT_OF_RANGE);
  of_history.window_ns = 10 * TICK_NS;
  assert_null(history);
  assert_ok(qc_history_create(&of_history, &history));
  assert_status(qc_history_group_destroy(group), QC_ERR_IN_USE);
  assert_error_names("histories");
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_ok(qc_history_destroy(history));
  assert_ok(qc_history_group_destroy(group));
}

typedef struct overlap {
  qc_history_group *group;
  qc_history *other;
  qc_status from_here;
  qc_status of_group;
  qc_status elsewhere;
  qc_status destroyed;
  int calls;
} overlap;

static void *call_elsewhere(void *ctx) {
  overlap *seen = QC_CAST(overlap *, ctx);
  uint64_t len = 0;
  seen->elsewhere = qc_history_live_len(seen->other, &len);
  seen->destroyed = qc_history_destroy(seen->other);
  return NULL;
}

static uint64_t hash_that_calls(void *ctx, const qc_key *key) {
  overlap *seen = QC_CAST(overlap *, ctx);
  if (seen->calls++ == 0) {
    pthread_t thread;
    uint64_t len = 0;
    qc_gc_result result;
    seen->from_here = qc_history_live_len(seen->other, &len);
    seen->of_group = qc_history_group_gc_many(seen->group, 0, 1, &result);
    assert_int_equal(pthread_create(&thread, NULL, call_elsewhere, ctx), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
  }
  return key->bytes[0];
}

/* A group and its histories are one: while a call on one runs, the others are shut. */
static void overlaps_are_found_out(void) {
  const qc_history_group_options options = right_options();
  qc_history_options of_history = options_of(10);
  overlap seen;
  qc_history *history = NULL;
  memset(&seen, 0, sizeof seen);
  assert_ok(qc_history_group_create(&options, &seen.group));
  of_history.seed = 0;
  of_history.group = seen.group;
  assert_ok(qc_history_create(&of_history, &seen.other));
  of_history.hash = hash_that_calls;
  of_history.hash_ctx = &seen;
  assert_ok(qc_history_create(&of_history, &history));
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_true(seen.calls > 0);
  assert_int_equal(seen.from_here, QC_ERR_REENTRANT);
  assert_int_equal(seen.of_group, QC_ERR_REENTRANT);
  assert_int_equal(seen.elsewhere, QC_ERR_BUSY);
  assert_int_equal(seen.destroyed, QC_ERR_BUSY);
  assert_int_equal(put(seen.other, 1, 0, 0, NULL), QC_ADDED); /* and both go on */
  assert_ok(qc_history_destroy(history));
  assert_ok(qc_history_destroy(seen.other));
  assert_ok(qc_history_group_destroy(seen.group));
}

void misuse_group(void **state) {
  (void)state;
  create_checks_its_arguments();
  wrong_handles_are_told_apart();
  arguments_are_checked();
  members_are_checked();
  overlaps_are_found_out();
}
