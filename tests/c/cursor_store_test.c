/* A store that fails or breaks its word, calls from inside its functions, and parts that end in the wrong order. */

#include "cursor_support.h"

/* Everything in the store, nothing in memory, and pages of three. */
static void open_stored(test_queue *queue, uint64_t messages) {
  qc_cursor_policy policy = policy_of();
  uint64_t sequence;
  policy.use_cache = 0;
  policy.page_messages = 3;
  queue_open(queue, &policy);
  for (sequence = 1; sequence <= messages; sequence++) {
    assert_int_equal(queue_push(queue, sequence, 10), QC_STORED);
  }
}

/* A pull and a browse that answer this status and words, write nothing and change nothing but the count of failures. */
static void expect_failed_fetch(test_queue *queue, qc_status want, const char *word) {
  const uint64_t before = queue_digest(queue);
  const uint64_t failed = cursor_figures(queue->cursor).failed_fetches;
  unsigned char untouched[sizeof(qc_stored) * 8];
  union {
    qc_delivered delivered[4];
    qc_stored stored[4];
    unsigned char bytes[sizeof(qc_stored) * 8];
  } out;
  qc_pulled pulled;
  qc_browsed browsed;
  memset(&out, 0xa5, sizeof out);
  memset(&pulled, 0xa5, sizeof pulled);
  memset(&browsed, 0xa5, sizeof browsed);
  memset(untouched, 0xa5, sizeof untouched);
  assert_status(qc_cursor_pull(queue->cursor, 4, QC_ROUND_BEGIN, out.delivered, 4, &pulled), want);
  assert_error_names(word);
  assert_status(qc_cursor_browse(queue->cursor, 0, out.stored, 4, &browsed), want);
  assert_error_names(word);
  assert_memory_equal(&out, untouched, sizeof out.stored);
  assert_memory_equal(&pulled, untouched, sizeof pulled);
  assert_memory_equal(&browsed, untouched, sizeof browsed);
  assert_int_equal(queue_digest(queue), before);
  assert_int_equal(cursor_figures(queue->cursor).failed_fetches, failed + 1);
}

static void every_broken_word_of_a_store_is_a_status(void **state) {
  const struct {
    store_mood mood;
    qc_status want;
    const char *word;
  } rows[] = {
      {STORE_FAILS, QC_ERR_STORE, "-77"},
      {STORE_COUNTS_TOO_MANY, QC_ERR_BAD_FETCH, "too many messages"},
      {STORE_OUT_OF_ORDER, QC_ERR_BAD_FETCH, "out of order"},
      {STORE_BELOW, QC_ERR_BAD_FETCH, "out of order"},
      {STORE_BEYOND, QC_ERR_BAD_FETCH, "beyond the range"},
      {STORE_TOO_LARGE, QC_ERR_BAD_FETCH, "too many bytes"},
  };
  size_t i;
  (void)state;
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    test_queue queue;
    open_stored(&queue, 5);
    queue.store.mood = rows[i].mood;
    queue.store.code = -77;
    expect_failed_fetch(&queue, rows[i].want, rows[i].word);
    queue.store.mood = STORE_WELL;
    expect_pull(&queue, 3, QC_PULL_MORE, QC_BLOCKED_NOT, 1);
    expect_pull(&queue, 2, QC_PULL_MORE, QC_BLOCKED_NOT, 2, 3);
    expect_pull(&queue, 9, QC_PULL_EMPTY, QC_BLOCKED_NOT, 4, 5);
    queue_close(&queue);
  }
}

/* What a store fetched and the library refused is told to it again, so that it can let go of the bodies. */
static void what_is_refused_is_discarded(void **state) {
  test_queue queue;
  (void)state;
  open_stored(&queue, 3);
  queue.store.mood = STORE_BEYOND;
  expect_failed_fetch(&queue, QC_ERR_BAD_FETCH, "beyond");
  assert_int_equal(queue.store.discarded, 6);
  queue.store.mood = STORE_FAILS;
  queue.store.code = 5;
  expect_failed_fetch(&queue, QC_ERR_STORE, "code 5");
  assert_int_equal(queue.store.discarded, 6); /* a failed fetch keeps its own */
  queue_close(&queue);
}

/* Calls from inside the store's functions. Checked later: a failed check jumps, which must not happen across the library. */
typedef struct inside {
  test_queue *queue;
  qc_status statuses[6];
  int calls;
} inside;

static void call_back_in(void *ctx) {
  inside *attempt = QC_CAST(inside *, ctx);
  qc_cursor *cursor = attempt->queue->cursor;
  const qc_message message = {100, 100, 0, 1, 4, QC_WRITE_COMMITTED, 0};
  qc_delivered out[1];
  qc_pulled pulled;
  uint32_t pushed = 0;
  cursor_stats_of stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = QC_CAST(uint32_t, sizeof stats);
  attempt->statuses[0] = qc_cursor_pull(cursor, 1, QC_ROUND_BEGIN, out, 1, &pulled);
  attempt->statuses[1] = qc_cursor_push(cursor, &message, &pushed);
  attempt->statuses[2] = qc_cursor_ack(cursor, 1, NULL);
  attempt->statuses[3] = qc_cursor_stats(cursor, &stats);
  attempt->statuses[4] = qc_cursor_drop_cache(cursor, NULL);
  attempt->statuses[5] = qc_cursor_destroy(cursor);
  attempt->calls++;
}

static void check_refused(const inside *attempt) {
  size_t i;
  assert_true(attempt->calls > 0);
  for (i = 0; i < 6; i++) { assert_status(attempt->statuses[i], QC_ERR_REENTRANT); }
}

static void the_store_may_not_call_back_in(void **state) {
  test_queue queue;
  inside attempt;
  (void)state;
  open_stored(&queue, 5);
  memset(&attempt, 0, sizeof attempt);
  attempt.queue = &queue;
  queue.store.on_ctx = &attempt;
  queue.store.on_fetch = call_back_in;
  expect_pull(&queue, 3, QC_PULL_MORE, QC_BLOCKED_NOT, 1, 2, 3);
  check_refused(&attempt);
  queue.store.on_fetch = NULL;
  memset(&attempt, 0, sizeof attempt);
  attempt.queue = &queue;
  expect_pull(&queue, 1, QC_PULL_MORE, QC_BLOCKED_NOT, 4);
  queue.store.on_discard = call_back_in;
  assert_ok(qc_cursor_drop_cache(queue.cursor, NULL));
  check_refused(&attempt);
  queue_close(&queue);
}

static void call_other(void *ctx) {
  inside *attempt = QC_CAST(inside *, ctx);
  attempt->statuses[0] = qc_cursor_refresh(attempt->queue->cursor);
  attempt->calls++;
}

static void the_store_may_call_another_cursor(void **state) {
  test_queue queue;
  test_queue other;
  inside attempt;
  (void)state;
  open_stored(&queue, 5);
  open_stored(&other, 5);
  memset(&attempt, 0, sizeof attempt);
  attempt.queue = &other;
  queue.store.on_ctx = &attempt;
  queue.store.on_fetch = call_other;
  expect_pull(&queue, 3, QC_PULL_MORE, QC_BLOCKED_NOT, 1, 2, 3);
  assert_true(attempt.calls == 1 && attempt.statuses[0] == QC_OK);
  queue_close(&other);
  queue_close(&queue);
}

static void call_when_ready(void *ctx) { call_back_in(ctx); }

static void ready_may_not_call_back_in(void **state) {
  test_queue queue;
  inside attempt;
  uint64_t sequence;
  (void)state;
  queue_open(&queue, NULL);
  memset(&attempt, 0, sizeof attempt);
  attempt.queue = &queue;
  assert_ok(qc_cursor_on_ready(queue.cursor, call_when_ready, &attempt, NULL));
  assert_int_equal(queue.ready_releases, 1); /* the first one was replaced */
  for (sequence = 1; sequence <= 9; sequence++) { (void)queue_push(&queue, sequence, 100); }
  expect_pull(&queue, 20, QC_PULL_BLOCKED, QC_BLOCKED_OWN_MARK, 1, 2, 3, 4, 5, 6, 7);
  for (sequence = 1; sequence <= 7; sequence++) { assert_ok(qc_cursor_ack(queue.cursor, sequence, NULL)); }
  assert_int_equal(attempt.calls, 1);
  check_refused(&attempt);
  queue_close(&queue);
}

/* A listener of the tracker runs inside the call on the cursor whose charge crossed a step: it may call on trackers. */
typedef struct listening {
  test_queue *queue;
  int events;
  qc_status of_cursor;
  qc_status of_tracker;
} listening;

static void on_step(void *ctx, const qc_usage_event *event) {
  listening *heard = QC_CAST(listening *, ctx);
  uint8_t full = 0;
  (void)event;
  heard->events++;
  heard->of_cursor = qc_cursor_refresh(heard->queue->cursor);
  heard->of_tracker = qc_usage_is_full(heard->queue->usage, &full);
}

static void a_listener_inside_a_push_may_ask_trackers(void **state) {
  test_queue queue;
  listening heard;
  (void)state;
  queue_open(&queue, NULL);
  memset(&heard, 0, sizeof heard);
  heard.queue = &queue;
  assert_ok(qc_usage_set_listener(queue.usage, on_step, &heard, NULL));
  assert_int_equal(queue_push(&queue, 1, 500), QC_CACHED);
  assert_int_equal(heard.events, 1);
  assert_status(heard.of_cursor, QC_ERR_REENTRANT);
  assert_status(heard.of_tracker, QC_OK);
  assert_ok(qc_usage_clear_events(queue.usage));
  queue_close(&queue);
}

/* The tracker's handle goes first: what is in memory stays counted until it is released, and nothing else changes. */
static void a_tracker_lives_on_while_a_cursor_uses_it(void **state) {
  test_queue queue;
  qc_usage *root;
  (void)state;
  queue_open(&queue, NULL);
  root = queue.root;
  assert_int_equal(queue_push(&queue, 1, 300), QC_CACHED);
  assert_int_equal(queue_push(&queue, 2, 200), QC_CACHED);
  assert_int_equal(usage_end(queue.usage), 0); /* nothing was taken off */
  assert_status(qc_usage_increase(queue.usage, 1), QC_ERR_DESTROYED);
  assert_int_equal(usage_of(root), 500);
  assert_int_equal(usage_figures(root).children, 1);
  assert_int_equal(queue_push(&queue, 3, 300), QC_CACHED);
  assert_int_equal(queue_push(&queue, 4, 300), QC_STORED);
  expect_pull(&queue, 10, QC_PULL_BLOCKED, QC_BLOCKED_OWN_MARK, 1, 2, 3);
  assert_ok(qc_cursor_ack(queue.cursor, 1, NULL));
  assert_int_equal(usage_of(root), 500);
  assert_int_equal(queue.ready_calls, 0);
  assert_ok(qc_cursor_ack(queue.cursor, 2, NULL));
  assert_int_equal(queue.ready_calls, 1);
  expect_pull(&queue, 10, QC_PULL_EMPTY, QC_BLOCKED_NOT, 4);
  assert_int_equal(usage_of(root), 600);
  assert_ok(qc_cursor_destroy(queue.cursor)); /* the rest is taken off with it */
  assert_int_equal(usage_of(root), 0);
  assert_int_equal(usage_figures(root).children, 0);
  assert_int_equal(queue.ready_releases, 1);
  assert_ok(qc_cursor_group_destroy(queue.group));
  assert_int_equal(usage_end(root), 0);
  assert_balanced(&queue.memory);
  assert_balanced(&queue.group_memory);
  assert_balanced(&queue.usage_memory);
}

/* All handles but the cursor's go first. */
static void group_and_parent_live_on_too(void **state) {
  test_queue queue;
  (void)state;
  queue_open(&queue, NULL);
  assert_int_equal(queue_push(&queue, 1, 300), QC_CACHED);
  assert_ok(qc_cursor_group_destroy(queue.group));
  assert_int_equal(usage_end(queue.root), 0);
  assert_int_equal(usage_end(queue.usage), 0);
  assert_int_equal(queue_push(&queue, 2, 300), QC_CACHED);
  expect_pull(&queue, 10, QC_PULL_EMPTY, QC_BLOCKED_NOT, 1, 2);
  assert_true(queue.usage_memory.bytes > 0);
  assert_ok(qc_cursor_destroy(queue.cursor));
  assert_balanced(&queue.memory);
  assert_balanced(&queue.group_memory);
  assert_balanced(&queue.usage_memory);
}

/* A stopped parent answers the host's waits, and wakes cursors all the same: each blocked pull gets one call, not many. */
static void a_stopped_parent_neither_wakes_nor_forgets_a_cursor(void **state) {
  test_queue queue;
  qc_usage *hog;
  int i;
  (void)state;
  open_stored(&queue, 3);
  hog = usage_child(queue.root, 0);
  assert_ok(qc_usage_increase(hog, 9500));
  assert_int_equal(queue_push_open(&queue, 4, 10), QC_STORED);
  {
    /* The guaranteed share would lend a page; with a message in hand it does not. */
    expect_pull(&queue, 1, QC_PULL_MORE, QC_BLOCKED_NOT, 1);
    expect_pull(&queue, 5, QC_PULL_BLOCKED, QC_BLOCKED_COMMIT, 2, 3);
  }
  assert_ok(qc_cursor_committed(queue.cursor, 4, 4));
  store_add(&queue.store, 4, 10);
  queue.ready_calls = 0;
  expect_no_pull(&queue, QC_PULL_BLOCKED, QC_BLOCKED_PARENT);
  assert_ok(qc_usage_stop(queue.root));
  assert_int_equal(queue.ready_calls, 0);
  for (i = 0; i < 3; i++) {
    expect_no_pull(&queue, QC_PULL_BLOCKED, QC_BLOCKED_PARENT);
    assert_int_equal(queue.ready_calls, 0);
  }
  assert_ok(qc_usage_decrease(hog, 9000));
  assert_int_equal(queue.ready_calls, 1);
  expect_pull(&queue, 5, QC_PULL_EMPTY, QC_BLOCKED_NOT, 4);
  (void)usage_end(hog);
  queue_close(&queue);
}

/* With the host's accounting the cursor waits for the host's own level. */
static void the_host_may_account_itself(void **state) {
  qc_cursor_options options = cursor_options_of();
  test_queue queue;
  qc_cursor *cursor = NULL;
  qc_store table;
  qc_message message = {1, 1, 1, 100, 4, QC_WRITE_COMMITTED, 0};
  qc_delivered out[4];
  qc_pulled pulled;
  uint32_t pushed = 9;
  (void)state;
  queue_open(&queue, NULL);
  table = store_table(&queue.store);
  options.accounting = QC_ACCOUNTING_HOST;
  assert_ok(qc_cursor_create(&options, NULL, queue.usage, NULL, &table, &cursor));
  store_add(&queue.store, 1, 100);
  assert_ok(qc_cursor_push(cursor, &message, &pushed));
  assert_int_equal(pushed, QC_CACHED);
  assert_int_equal(usage_of(queue.usage), 0);
  assert_ok(qc_usage_increase(queue.usage, 700)); /* the host's reference counts */
  message.token = message.sequence = 2;
  store_add(&queue.store, 2, 100);
  assert_ok(qc_cursor_push(cursor, &message, &pushed));
  assert_int_equal(pushed, QC_STORED);
  assert_ok(qc_cursor_pull(cursor, 4, QC_ROUND_BEGIN, out, 4, &pulled));
  assert_true(pulled.count == 1 && pulled.end == QC_PULL_BLOCKED && pulled.blocked == QC_BLOCKED_OWN_MARK);
  assert_ok(qc_cursor_ack(cursor, 1, NULL));
  assert_ok(qc_usage_decrease(queue.usage, 700));
  assert_ok(qc_cursor_pull(cursor, 4, QC_ROUND_BEGIN, out, 4, &pulled));
  assert_int_equal(pulled.count, 1);
  assert_ok(qc_cursor_destroy(cursor));
  queue_close(&queue);
}

/* A struct of another version gets as much as fits, and nothing behind it. */
static void figures_and_policy_fit_into_any_room(void **state) {
  test_queue queue;
  cursor_stats_of stats;
  qc_cursor_policy policy;
  (void)state;
  queue_open(&queue, NULL);
  assert_int_equal(queue_push(&queue, 1, 300), QC_CACHED);
  memset(&stats, 0xa5, sizeof stats);
  stats.struct_size = 30;
  assert_ok(qc_cursor_stats(queue.cursor, &stats));
  assert_true(stats.struct_size == 24 && stats.is_caching == 1 && stats.is_filling == 1 && stats.pending_count == 1);
  assert_int_equal(stats.pending_bytes, UINT64_C(0xa5a5a5a5a5a5a5a5));
  stats.struct_size = 7;
  assert_status(qc_cursor_stats(queue.cursor, &stats), QC_ERR_INVALID_ARGUMENT);
  stats.struct_size = 4097;
  assert_status(qc_cursor_stats(queue.cursor, &stats), QC_ERR_INVALID_ARGUMENT);
  assert_ok(qc_cursor_set_marks(queue.cursor, 30, 40));
  memset(&policy, 0xa5, sizeof policy);
  policy.struct_size = sizeof policy;
  assert_ok(qc_cursor_get_policy(queue.cursor, &policy));
  assert_true(policy.struct_size == sizeof policy && policy.low_percent == 30 && policy.high_percent == 40);
  assert_true(policy.page_messages == 200 && policy.use_cache == 1 && policy.reserved == 0);
  assert_ok(qc_cursor_set_policy(queue.cursor, &policy)); /* what comes out goes in */
  policy.struct_size = 7;
  assert_status(qc_cursor_get_policy(queue.cursor, &policy), QC_ERR_INVALID_ARGUMENT);
  queue_close(&queue);
}

/* A purge in steps: bodies of the window are told to the store, what is in hand stays. */
static void a_purge_takes_steps(void **state) {
  test_queue queue;
  qc_purged purged;
  uint64_t sequence;
  (void)state;
  queue_open(&queue, NULL);
  for (sequence = 1; sequence <= 20; sequence++) { (void)queue_push(&queue, sequence, 100); }
  expect_pull(&queue, 2, QC_PULL_MORE, QC_BLOCKED_NOT, 1, 2);
  assert_ok(qc_cursor_purge(queue.cursor, 0, 3, &purged));
  assert_true(purged.up_to == 20 && purged.messages == 3 && purged.stored_messages == 13 && purged.more == 1);
  assert_int_equal(purged.released_bytes, 300);
  assert_int_equal(queue.store.discarded, 3);
  queue.store.count = 0;
  assert_ok(qc_cursor_purge(queue.cursor, purged.up_to, 3, &purged));
  assert_true(purged.up_to == 20 && purged.messages == 2 && purged.stored_messages == 0 && purged.more == 0);
  assert_int_equal(cursor_figures(queue.cursor).pending_count, 2);
  assert_int_equal(usage_of(queue.usage), 200);
  expect_no_pull(&queue, QC_PULL_EMPTY, QC_BLOCKED_NOT);
  assert_int_equal(queue.store.fetches, 0);
  queue_close(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_broken_word_of_a_store_is_a_status),
      cmocka_unit_test(what_is_refused_is_discarded),
      cmocka_unit_test(the_store_may_not_call_back_in),
      cmocka_unit_test(the_store_may_call_another_cursor),
      cmocka_unit_test(ready_may_not_call_back_in),
      cmocka_unit_test(a_listener_inside_a_push_may_ask_trackers),
      cmocka_unit_test(a_tracker_lives_on_while_a_cursor_uses_it),
      cmocka_unit_test(group_and_parent_live_on_too),
      cmocka_unit_test(a_stopped_parent_neither_wakes_nor_forgets_a_cursor),
      cmocka_unit_test(the_host_may_account_itself),
      cmocka_unit_test(a_purge_takes_steps),
      cmocka_unit_test(figures_and_policy_fit_into_any_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
