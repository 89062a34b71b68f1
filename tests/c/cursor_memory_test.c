/* Memory of the cursor: every allocation refused in turn, blocks that are not aligned, books that balance, and calls from
   inside an allocator. */

#include "cursor_support.h"

/* One run of everything that asks for memory, with one refusal, at the allocation `refused` of the cursor's own allocator.
   Answers whether the run came so far. */
static int run_with_refusal(uint64_t refused, int misaligned) {
  const qc_status want = misaligned ? QC_ERR_CALLBACK : QC_ERR_NO_MEMORY;
  qc_cursor_options options = cursor_options_of();
  qc_cursor_policy policy = policy_of();
  qc_usage *usage = usage_root(1000);
  qc_history_options callbacks;
  host_memory memory;
  test_store store;
  qc_store table;
  qc_cursor *cursor = NULL;
  qc_delivered out[16];
  qc_stored seen[16];
  qc_pulled pulled;
  qc_browsed browsed;
  qc_status status;
  uint64_t sequence;
  uint32_t pushed = 9;
  int failures = 0;
  int total = 0;
  memset(&store, 0, sizeof store);
  table = store_table(&store);
  host_attach(&memory, &callbacks);
  options.alloc = callbacks.alloc;
  options.free = callbacks.free;
  options.alloc_ctx = callbacks.alloc_ctx;
  policy.page_messages = 10;
  if (misaligned) {
    memory.misalign_at = refused;
  } else {
    memory.fail_at = refused;
  }
  status = qc_cursor_create(&options, &policy, usage, NULL, &table, &cursor);
  if (status != QC_OK) {
    assert_status(status, want);
    assert_null(cursor);
    assert_balanced(&memory);
    assert_ok(qc_cursor_create(&options, &policy, usage, NULL, &table, &cursor)); /* the next try is not refused */
    failures++;
  }
  for (sequence = 1; sequence <= 100; sequence++) {
    /* Entries that find no memory are stored; the record of an open write that finds none is a failure. */
    const int is_open = sequence > 60;
    const qc_message message = {sequence, is_open ? 0 : sequence, sequence, 1,
                                QC_CAST(uint8_t, sequence % 3), QC_CAST(uint8_t, is_open), 0};
    const cursor_stats_of before = cursor_figures(cursor);
    if (!is_open) {
      store_add(&store, sequence, 1);
      store.messages[store.count - 1].priority = QC_CAST(uint8_t, sequence % 3);
    }
    status = qc_cursor_push(cursor, &message, &pushed);
    if (status != QC_OK) {
      const cursor_stats_of after = cursor_figures(cursor);
      assert_status(status, want);
      assert_true(is_open);
      assert_true(after.pending_count == before.pending_count && after.open_writes == before.open_writes);
      assert_true(after.bytes_in_use == before.bytes_in_use);
      assert_ok(qc_cursor_push(cursor, &message, &pushed));
      failures++;
    }
  }
  assert_int_equal(cursor_figures(cursor).bytes_in_use, memory.bytes);
  status = qc_cursor_browse(cursor, 0, seen, 16, &browsed);
  if (status != QC_OK) {
    assert_status(status, want);
    assert_ok(qc_cursor_browse(cursor, 0, seen, 16, &browsed));
    failures++;
  }
  for (sequence = 61; sequence <= 100; sequence++) {
    store_add(&store, sequence, 1);
    store.messages[store.count - 1].priority = QC_CAST(uint8_t, sequence % 3);
    assert_ok(qc_cursor_committed(cursor, sequence, sequence));
  }
  assert_ok(qc_cursor_drop_cache(cursor, NULL));
  while (total < 100) {
    const uint64_t failed = memory.asked;
    uint64_t i;
    status = qc_cursor_pull(cursor, 16, QC_ROUND_BEGIN, out, 16, &pulled);
    if (status != QC_OK) {
      assert_status(status, want);
      assert_true(memory.asked > failed);
      failures++;
      continue;
    }
    assert_true(pulled.count > 0 || pulled.end == QC_PULL_MORE);
    for (i = 0; i < pulled.count; i++) {
      assert_ok(qc_cursor_ack(cursor, out[i].sequence, NULL));
      total++;
    }
    assert_int_equal(cursor_figures(cursor).bytes_in_use, memory.bytes);
  }
  assert_int_equal(cursor_figures(cursor).pending_count, 0);
  assert_ok(qc_cursor_destroy(cursor));
  assert_int_equal(usage_end(usage), 0);
  assert_balanced(&memory);
  assert_true(failures <= 1);
  return memory.asked >= refused;
}

static void every_refusal_loses_nothing(void **state) {
  uint64_t refused;
  (void)state;
  for (refused = 1; run_with_refusal(refused, 0); refused++) {}
  assert_true(refused > 30); /* or something was not refused at all */
}

static void every_misaligned_block_is_given_back(void **state) {
  uint64_t refused;
  (void)state;
  for (refused = 1; run_with_refusal(refused, 1); refused++) {}
  assert_true(refused > 30);
}

/* A group's allocator: refused when a cursor joins, and when one waits. */
static void a_group_bears_refusals(void **state) {
  test_queue queue;
  qc_cursor_options options = cursor_options_of();
  qc_cursor *others[8];
  qc_store table;
  uint64_t refusals = 0;
  size_t i;
  (void)state;
  queue_open(&queue, NULL);
  table = store_table(&queue.store);
  for (i = 0; i < 8; i++) {
    qc_status status;
    others[i] = NULL;
    queue.group_memory.fail_at = queue.group_memory.asked + 1;
    status = qc_cursor_create(&options, NULL, queue.root, queue.group, &table, &others[i]);
    queue.group_memory.fail_at = 0;
    if (status != QC_OK) {
      assert_status(status, QC_ERR_NO_MEMORY);
      assert_null(others[i]);
      assert_int_equal(group_figures(queue.group).members, i + 1);
      assert_ok(qc_cursor_create(&options, NULL, queue.root, queue.group, &table, &others[i]));
      refusals++;
    }
  }
  assert_true(refusals > 0);
  assert_int_equal(group_figures(queue.group).members, 9);
  for (i = 0; i < 8; i++) { assert_ok(qc_cursor_destroy(others[i])); }
  queue_close(&queue);
}

typedef struct released_memory {
  host_memory memory;
  qc_history_options inner;
  int releases;
} released_memory;

static void *released_alloc(void *ctx, size_t size, size_t align) {
  released_memory *memory = QC_CAST(released_memory *, ctx);
  return memory->inner.alloc(memory->inner.alloc_ctx, size, align);
}

static void released_free(void *ctx, void *ptr, size_t size, size_t align) {
  released_memory *memory = QC_CAST(released_memory *, ctx);
  memory->inner.free(memory->inner.alloc_ctx, ptr, size, align);
}

static void count_release(void *ctx) {
  released_memory *memory = QC_CAST(released_memory *, ctx);
  assert_balanced(&memory->memory); /* it is the last that is heard of it */
  memory->releases++;
}

static void a_groups_allocator_is_released_after_its_last_cursor(void **state) {
  qc_cursor_group_options group_options = group_options_of();
  const qc_cursor_options options = cursor_options_of();
  qc_usage *root = usage_root(1000);
  qc_usage *usage = usage_child(root, 100);
  released_memory memory;
  test_store store;
  const qc_store table = store_table(&store);
  qc_cursor_group *group = NULL;
  qc_cursor *cursor = NULL;
  (void)state;
  memset(&store, 0, sizeof store);
  host_attach(&memory.memory, &memory.inner);
  memory.releases = 0;
  group_options.alloc = released_alloc;
  group_options.free = released_free;
  group_options.alloc_ctx = &memory;
  group_options.release = count_release;
  group_options.divides_limit = 3;
  assert_status(qc_cursor_group_create(&group_options, root, &group), QC_ERR_INVALID_ARGUMENT);
  assert_int_equal(memory.releases, 0); /* it stays the caller's */
  group_options.divides_limit = 0;
  assert_ok(qc_cursor_group_create(&group_options, root, &group));
  assert_ok(qc_cursor_create(&options, NULL, usage, group, &table, &cursor));
  assert_true(memory.memory.bytes > 0);
  assert_ok(qc_cursor_group_destroy(group));
  assert_int_equal(memory.releases, 0);
  assert_ok(qc_cursor_destroy(cursor));
  assert_int_equal(memory.releases, 1);
  (void)usage_end(usage);
  (void)usage_end(root);
}

/* An allocator that calls back in. Checked later: a failed check jumps, which must not happen across the library. */
typedef struct reentry {
  qc_cursor *cursor;
  qc_cursor_group *group;
  qc_status push;
  qc_status destroy;
  int calls;
} reentry;

static void call_back_in(void *ctx) {
  reentry *attempt = QC_CAST(reentry *, ctx);
  const qc_message message = {1000, 1000, 0, 1, 4, QC_WRITE_COMMITTED, 0};
  uint32_t pushed = 0;
  if (attempt->cursor == NULL) { return; }
  attempt->calls++;
  attempt->push = qc_cursor_push(attempt->cursor, &message, &pushed);
  attempt->destroy = qc_cursor_destroy(attempt->cursor);
}

static void an_allocator_may_not_call_back_in(void **state) {
  test_queue queue;
  reentry attempt;
  uint64_t sequence;
  (void)state;
  queue_open(&queue, NULL);
  memset(&attempt, 0, sizeof attempt);
  attempt.cursor = queue.cursor;
  queue.memory.on_alloc = call_back_in;
  queue.memory.on_free = call_back_in;
  queue.memory.on_ctx = &attempt;
  for (sequence = 1; sequence <= 100; sequence++) { assert_int_equal(queue_push(&queue, sequence, 1), QC_CACHED); }
  assert_true(attempt.calls > 0);
  assert_status(attempt.push, QC_ERR_REENTRANT);
  assert_status(attempt.destroy, QC_ERR_REENTRANT);
  queue.memory.on_alloc = NULL;
  queue.memory.on_free = NULL;
  assert_int_equal(cursor_figures(queue.cursor).pending_count, 100);
  queue_close(&queue);
}

/* The group's end waits for all calls that found it, so it may not come from inside one. */
typedef struct ending {
  qc_cursor_group *group;
  qc_status status;
  int calls;
} ending;

static void destroy_group(void *ctx) {
  ending *attempt = QC_CAST(ending *, ctx);
  attempt->calls++;
  attempt->status = qc_cursor_group_destroy(attempt->group);
}

static void an_allocator_may_not_destroy_a_group(void **state) {
  const qc_usage_options child = usage_options_of(10);
  test_queue queue;
  qc_usage *usage = NULL;
  ending attempt;
  (void)state;
  queue_open(&queue, NULL);
  attempt.group = queue.group;
  attempt.status = QC_OK;
  attempt.calls = 0;
  queue.usage_memory.on_alloc = destroy_group;
  queue.usage_memory.on_ctx = &attempt;
  assert_ok(qc_usage_create_child(queue.root, &child, &usage));
  queue.usage_memory.on_alloc = NULL;
  assert_true(attempt.calls > 0);
  assert_status(attempt.status, QC_ERR_REENTRANT);
  assert_error_names("allocator");
  assert_int_equal(group_figures(queue.group).members, 1);
  (void)usage_end(usage);
  queue_close(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_refusal_loses_nothing),
      cmocka_unit_test(every_misaligned_block_is_given_back),
      cmocka_unit_test(a_group_bears_refusals),
      cmocka_unit_test(a_groups_allocator_is_released_after_its_last_cursor),
      cmocka_unit_test(an_allocator_may_not_call_back_in),
      cmocka_unit_test(an_allocator_may_not_destroy_a_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
