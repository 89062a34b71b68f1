/* Calls that overlap, each deterministic: a callback of one call holds it open while every other function is tried, from
   another thread or from the callback itself. And cursors on many threads below one parent. */

#include "cursor_misuse_rows.h"

#include <pthread.h>

enum { MAX_ROWS = 64 };

/* One attempt of every row on a cursor that is inside a call. Checked later: a failed check jumps, which must not happen
   across the library. */
typedef struct attempts {
  test_queue *queue;
  cursor_frame frames[MAX_ROWS];
  qc_status statuses[MAX_ROWS];
  int from_another_thread;
  int made;
} attempts;

static void *attempt_every_row(void *ctx) {
  attempts *all = QC_CAST(attempts *, ctx);
  size_t i;
  for (i = 0; i < cursor_row_count; i++) {
    if (cursor_rows[i].call == NULL) { continue; }
    all->frames[i] = cursor_right_frame();
    all->statuses[i] = cursor_rows[i].call(all->queue->cursor, &all->frames[i]);
  }
  return NULL;
}

static void on_fetch(void *ctx) {
  attempts *all = QC_CAST(attempts *, ctx);
  all->made++;
  if (all->from_another_thread) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, attempt_every_row, all) != 0) { abort(); }
    (void)pthread_join(thread, NULL);
  } else {
    (void)attempt_every_row(all);
  }
}

static void try_every_row_inside_a_fetch(int from_another_thread, qc_status want) {
  qc_stored seen[8];
  qc_browsed browsed;
  test_queue queue;
  attempts all;
  uint64_t before;
  size_t i;
  misuse_queue_open(&queue, 0);
  memset(&all, 0, sizeof all);
  all.queue = &queue;
  all.from_another_thread = from_another_thread;
  queue.store.on_fetch = on_fetch;
  queue.store.on_ctx = &all;
  before = queue_digest(&queue);
  assert_ok(qc_cursor_browse(queue.cursor, 0, seen, 8, &browsed));
  assert_int_equal(browsed.count, 3); /* a page of 300 bytes */
  assert_int_equal(all.made, 1);
  for (i = 0; i < cursor_row_count; i++) {
    if (cursor_rows[i].call == NULL) { continue; }
    if (all.statuses[i] != want) { print_error("(%s)\n", cursor_rows[i].function); }
    assert_status(all.statuses[i], want);
    assert_cursor_untouched(&cursor_rows[i], &all.frames[i]);
  }
  assert_int_equal(queue_digest(&queue), before);
  queue_close(&queue);
}

static void every_function_refuses_a_second_thread(void **state) {
  (void)state;
  try_every_row_inside_a_fetch(1, QC_ERR_BUSY);
}

static void every_function_refuses_a_call_from_its_own_callback(void **state) {
  (void)state;
  try_every_row_inside_a_fetch(0, QC_ERR_REENTRANT);
}

/* Two threads push and acknowledge without any order between them: each call is done or refused with QC_ERR_BUSY. */
typedef struct rival {
  qc_cursor *cursor;
  pthread_barrier_t *barrier;
  uint64_t first;
  uint64_t done;
  uint64_t busy;
  uint64_t other;
} rival;

enum { ROUNDS = 20000 };

static void *push_on(void *ctx) {
  rival *self = QC_CAST(rival *, ctx);
  cursor_stats_of stats;
  int i;
  memset(&stats, 0, sizeof stats);
  (void)pthread_barrier_wait(self->barrier);
  for (i = 0; i < ROUNDS; i++) {
    qc_status status;
    stats.struct_size = QC_CAST(uint32_t, sizeof stats);
    status = qc_cursor_stats(self->cursor, &stats);
    if (status == QC_OK) {
      self->done++;
    } else if (status == QC_ERR_BUSY) {
      self->busy++;
    } else {
      self->other++;
    }
  }
  return NULL;
}

static void rivals_are_refused_or_done(void **state) {
  test_queue queue;
  rival rivals[2];
  pthread_t threads[2];
  pthread_barrier_t barrier;
  size_t i;
  (void)state;
  queue_open(&queue, NULL);
  assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
  memset(rivals, 0, sizeof rivals);
  for (i = 0; i < 2; i++) {
    rivals[i].cursor = queue.cursor;
    rivals[i].barrier = &barrier;
    assert_int_equal(pthread_create(&threads[i], NULL, push_on, &rivals[i]), 0);
  }
  for (i = 0; i < 2; i++) {
    (void)pthread_join(threads[i], NULL);
    assert_int_equal(rivals[i].done + rivals[i].busy, ROUNDS);
    assert_int_equal(rivals[i].other, 0);
  }
  (void)pthread_barrier_destroy(&barrier);
  queue_close(&queue);
}

/* A queue and its one thread, below a parent that is too small for all: it blocks and is woken by the others. */
typedef struct worker {
  qc_usage *usage;
  qc_cursor *cursor;
  test_store store;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  int is_ready;
  uint64_t pulled;
  uint64_t blocked;
  qc_status wrong;
} worker;

enum { WORKERS = 4, MESSAGES = 400 };

static void wake(void *ctx) {
  worker *self = QC_CAST(worker *, ctx);
  (void)pthread_mutex_lock(&self->lock);
  self->is_ready = 1;
  (void)pthread_cond_signal(&self->wake);
  (void)pthread_mutex_unlock(&self->lock);
}

static void *consume(void *ctx) {
  worker *self = QC_CAST(worker *, ctx);
  while (self->pulled < MESSAGES && self->wrong == QC_OK) {
    qc_delivered out[32];
    qc_pulled pulled;
    uint64_t i;
    self->wrong = qc_cursor_pull(self->cursor, 32, QC_ROUND_BEGIN, out, 32, &pulled);
    for (i = 0; i < pulled.count && self->wrong == QC_OK; i++) {
      self->pulled++;
      if (out[i].sequence != self->pulled) { self->wrong = QC_ERR_ORDER; }
      if (self->wrong == QC_OK) { self->wrong = qc_cursor_ack(self->cursor, out[i].sequence, NULL); }
    }
    if (pulled.count == 0 && pulled.end == QC_PULL_BLOCKED) {
      self->blocked++;
      (void)pthread_mutex_lock(&self->lock);
      while (!self->is_ready) { (void)pthread_cond_wait(&self->wake, &self->lock); }
      self->is_ready = 0;
      (void)pthread_mutex_unlock(&self->lock);
    }
  }
  return NULL;
}

static void cursors_below_one_parent_wake_each_other(void **state) {
  const qc_cursor_options options = cursor_options_of();
  qc_cursor_group_options group_options = group_options_of();
  qc_cursor_policy policy = policy_of();
  qc_usage *root = usage_root(2000);
  qc_cursor_group *group = NULL;
  worker *workers = QC_CAST(worker *, calloc(WORKERS, sizeof *workers));
  pthread_t threads[WORKERS];
  size_t i;
  (void)state;
  assert_non_null(workers);
  group_options.max_lent_bytes = 100;
  policy.page_messages = 8;
  policy.parent_page_percent = 30;
  assert_ok(qc_cursor_group_create(&group_options, root, &group));
  for (i = 0; i < WORKERS; i++) {
    worker *self = &workers[i];
    qc_store table = store_table(&self->store);
    uint64_t sequence;
    for (sequence = 1; sequence <= MESSAGES; sequence++) { store_add(&self->store, sequence, 50); }
    self->usage = usage_child(root, 1000);
    assert_int_equal(pthread_mutex_init(&self->lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&self->wake, NULL), 0);
    assert_ok(qc_cursor_create(&options, &policy, self->usage, group, &table, &self->cursor));
    assert_ok(qc_cursor_open(self->cursor, MESSAGES, MESSAGES * 50, MESSAGES));
    assert_ok(qc_cursor_on_ready(self->cursor, wake, self, NULL));
  }
  for (i = 0; i < WORKERS; i++) { assert_int_equal(pthread_create(&threads[i], NULL, consume, &workers[i]), 0); }
  for (i = 0; i < WORKERS; i++) {
    (void)pthread_join(threads[i], NULL);
    assert_status(workers[i].wrong, QC_OK);
    assert_int_equal(workers[i].pulled, MESSAGES);
  }
  assert_int_equal(usage_of(root), 0);
  assert_int_equal(group_figures(group).lent_bytes, 0);
  for (i = 0; i < WORKERS; i++) {
    assert_ok(qc_cursor_destroy(workers[i].cursor));
    (void)usage_end(workers[i].usage);
    (void)pthread_cond_destroy(&workers[i].wake);
    (void)pthread_mutex_destroy(&workers[i].lock);
  }
  free(workers);
  assert_ok(qc_cursor_group_destroy(group));
  (void)usage_end(root);
}

/* Cursors come and go on many threads while the group's handle is asked and destroyed. */
typedef struct comer {
  qc_cursor_group *group;
  qc_usage *usage;
  uint64_t made;
  qc_status wrong;
} comer;

static void *come_and_go(void *ctx) {
  comer *self = QC_CAST(comer *, ctx);
  const qc_cursor_options options = cursor_options_of();
  test_store store;
  qc_store table;
  memset(&store, 0, sizeof store);
  table = store_table(&store);
  for (;;) {
    qc_cursor *cursor = NULL;
    const qc_status status = qc_cursor_create(&options, NULL, self->usage, self->group, &table, &cursor);
    if (status == QC_ERR_DESTROYED) { return NULL; }
    if (status != QC_OK || qc_cursor_destroy(cursor) != QC_OK) {
      self->wrong = status;
      return NULL;
    }
    self->made++;
  }
}

static void a_group_may_go_while_cursors_come(void **state) {
  const qc_cursor_group_options options = group_options_of();
  int round;
  (void)state;
  for (round = 0; round < 20; round++) {
    qc_usage *root = usage_root(1000);
    qc_cursor_group *group = NULL;
    comer comers[2];
    pthread_t threads[2];
    size_t i;
    assert_ok(qc_cursor_group_create(&options, root, &group));
    memset(comers, 0, sizeof comers);
    for (i = 0; i < 2; i++) {
      comers[i].group = group;
      comers[i].usage = root;
      assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &comers[i]), 0);
    }
    for (i = 0; i < 50; i++) { (void)group_figures(group); }
    assert_ok(qc_cursor_group_destroy(group));
    for (i = 0; i < 2; i++) {
      (void)pthread_join(threads[i], NULL);
      assert_status(comers[i].wrong, QC_OK);
    }
    assert_int_equal(usage_end(root), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_refuses_a_second_thread),
      cmocka_unit_test(every_function_refuses_a_call_from_its_own_callback),
      cmocka_unit_test(rivals_are_refused_or_done),
      cmocka_unit_test(cursors_below_one_parent_wake_each_other),
      cmocka_unit_test(a_group_may_go_while_cursors_come),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
