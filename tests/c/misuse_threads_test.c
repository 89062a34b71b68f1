/* Calls that overlap and calls that come back in, each deterministic: a callback of one call holds it open
   while every other function is tried, from another thread (QC_ERR_BUSY) or from the callback itself
   (QC_ERR_REENTRANT). */

#include "misuse_rows.h"

#include <pthread.h>

enum { MAX_ROWS = 64 };

/* One attempt of every row on a handle that is inside a call. Checked later: a failed check jumps, which
   must not happen across the library. */
typedef struct attempts {
  misuse_fixture *fixture;
  misuse_frame frames[MAX_ROWS];
  qc_status statuses[MAX_ROWS];
  int wanted; /* attempts are made while this is above 0 */
  int made;
} attempts;

static void attempt_every_row(void *ctx) {
  attempts *all = QC_CAST(attempts *, ctx);
  size_t i;
  if (all->wanted == 0) { return; }
  all->wanted--;
  all->made++;
  for (i = 0; i < misuse_row_count; i++) {
    if (misuse_rows[i].call == NULL) { continue; }
    all->frames[i] = misuse_right_frame(all->fixture);
    all->statuses[i] = misuse_rows[i].call(all->fixture->history, &all->frames[i]);
  }
}

static void check_every_row(const attempts *all, qc_status want) {
  size_t i;
  assert_int_equal(all->made, 1);
  for (i = 0; i < misuse_row_count; i++) {
    if (misuse_rows[i].call == NULL) { continue; }
    if (all->statuses[i] != want) { print_error("(%s)\n", misuse_rows[i].function); }
    assert_status(all->statuses[i], want);
    assert_untouched(&misuse_rows[i], &all->frames[i]);
  }
}

/* The fixture is as it was, and works. */
static void check_whole(misuse_fixture *fixture, uint64_t live) {
  assert_int_equal(live_len(fixture->history), live);
  assert_int_equal(history_len(fixture->history), 1);
  assert_int_equal(seen(fixture->history, 1, 10), QC_LIVE);
  assert_int_equal(seen(fixture->history, 2, 10), QC_LIVE);
  assert_int_equal(seen(fixture->history, 3, 10), QC_HISTORICAL);
  assert_int_equal(seen(fixture->history, 60, 10), QC_ABSENT);
}

static void a_hash_callback_may_not_call_back_in(void **state) {
  misuse_fixture fixture;
  attempts all;
  (void)state;
  memset(&all, 0, sizeof all);
  misuse_open(&fixture);
  all.fixture = &fixture;
  all.wanted = 1;
  fixture.on_hash_ctx = &all;
  fixture.on_hash = attempt_every_row;
  assert_int_equal(put(fixture.history, 4, 0, 10, NULL), QC_ADDED);
  check_every_row(&all, QC_ERR_REENTRANT);
  check_whole(&fixture, 3);
  misuse_close(&fixture);
}

/* Inserts until the library has asked for memory. */
static uint64_t insert_until_made(misuse_fixture *fixture, const attempts *all) {
  uint64_t inserted = 0;
  while (all->made == 0 && inserted < 100000) {
    assert_int_equal(put(fixture->history, 1000 + inserted, 0, 10, NULL), QC_ADDED);
    inserted++;
  }
  return inserted;
}

static void an_allocator_may_not_call_back_in(void **state) {
  misuse_fixture fixture;
  attempts all;
  uint64_t inserted;
  (void)state;
  memset(&all, 0, sizeof all);
  misuse_open(&fixture);
  all.fixture = &fixture;
  all.wanted = 1;
  fixture.memory.on_ctx = &all;
  fixture.memory.on_alloc = attempt_every_row;
  inserted = insert_until_made(&fixture, &all);
  check_every_row(&all, QC_ERR_REENTRANT);
  check_whole(&fixture, 2 + inserted);
  misuse_close(&fixture);
}

static void a_free_callback_may_not_call_back_in(void **state) {
  misuse_fixture fixture;
  attempts all;
  uint64_t i;
  (void)state;
  memset(&all, 0, sizeof all);
  misuse_open(&fixture);
  for (i = 0; i < 10000; i++) { assert_int_equal(put(fixture.history, 1000 + i, 0, 10, NULL), QC_ADDED); }
  all.fixture = &fixture;
  all.wanted = 1;
  fixture.memory.on_ctx = &all;
  fixture.memory.on_free = attempt_every_row;
  assert_ok(qc_history_clear(fixture.history));
  check_every_row(&all, QC_ERR_REENTRANT);
  assert_int_equal(live_len(fixture.history), 0);
  misuse_close(&fixture);
}

/* While a destroy runs, its handle is on its way out. */
static void a_free_callback_of_destroy_may_not_call_back_in(void **state) {
  misuse_fixture fixture;
  attempts all;
  size_t i;
  (void)state;
  memset(&all, 0, sizeof all);
  misuse_open(&fixture);
  all.fixture = &fixture;
  all.wanted = 1;
  fixture.memory.on_ctx = &all;
  fixture.memory.on_free = attempt_every_row;
  assert_ok(qc_history_destroy(fixture.history));
  assert_int_equal(all.made, 1);
  for (i = 0; i < misuse_row_count; i++) {
    if (misuse_rows[i].call == NULL) { continue; }
    if (all.statuses[i] != QC_ERR_DESTROYED) { assert_status(all.statuses[i], QC_ERR_REENTRANT); }
    assert_untouched(&misuse_rows[i], &all.frames[i]);
  }
  assert_balanced(&fixture.memory);
}

/* A call on another history is nobody's re-entry. */
static void use_another(void *ctx) {
  qc_history *other = QC_CAST(qc_history *, ctx);
  const qc_key key = key_of(9);
  qc_insert_result result;
  (void)qc_history_insert(other, &key, NULL, 0, 0, 0, &result);
}

static void a_callback_may_use_another_history(void **state) {
  misuse_fixture fixture;
  qc_history *other = create_window(10);
  (void)state;
  misuse_open(&fixture);
  fixture.on_hash_ctx = other;
  fixture.on_hash = use_another;
  assert_int_equal(put(fixture.history, 4, 0, 10, NULL), QC_ADDED);
  assert_int_equal(live_len(other), 1);
  assert_int_equal(live_len(fixture.history), 3);
  assert_ok(qc_history_destroy(other));
  misuse_close(&fixture);
}

/* Holds a call open until told to go on. */
typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int inside;
  int open;
  int used;
} gate;

static void gate_init(gate *g) {
  memset(g, 0, sizeof *g);
  assert_int_equal(pthread_mutex_init(&g->mutex, NULL), 0);
  assert_int_equal(pthread_cond_init(&g->changed, NULL), 0);
}

static void gate_wait_inside(void *ctx) {
  gate *g = QC_CAST(gate *, ctx);
  (void)pthread_mutex_lock(&g->mutex);
  if (!g->used) {
    g->used = 1;
    g->inside = 1;
    (void)pthread_cond_broadcast(&g->changed);
    while (!g->open) { (void)pthread_cond_wait(&g->changed, &g->mutex); }
  }
  (void)pthread_mutex_unlock(&g->mutex);
}

static void gate_await(gate *g) {
  (void)pthread_mutex_lock(&g->mutex);
  while (!g->inside) { (void)pthread_cond_wait(&g->changed, &g->mutex); }
  (void)pthread_mutex_unlock(&g->mutex);
}

static void gate_open(gate *g) {
  (void)pthread_mutex_lock(&g->mutex);
  g->open = 1;
  (void)pthread_cond_broadcast(&g->changed);
  (void)pthread_mutex_unlock(&g->mutex);
}

typedef struct worker {
  misuse_fixture *fixture;
  gate *hold;
  qc_status status;
  uint64_t inserted;
} worker;

/* Inserts on a thread of its own, until one insert has been held open. */
static void *insert_elsewhere(void *ctx) {
  worker *w = QC_CAST(worker *, ctx);
  while (w->status == QC_OK && !w->hold->used && w->inserted < 100000) {
    const qc_key key = key_of(1000 + w->inserted);
    qc_insert_result result;
    w->status = qc_history_insert(w->fixture->history, &key, NULL, 0, 0, 10 * TICK_NS, &result);
    w->inserted++;
  }
  return NULL;
}

static void overlap(int in_allocator) {
  misuse_fixture fixture;
  attempts all;
  worker w;
  gate g;
  pthread_t thread;
  memset(&all, 0, sizeof all);
  memset(&w, 0, sizeof w);
  gate_init(&g);
  misuse_open(&fixture);
  all.fixture = &fixture;
  all.wanted = 1;
  w.fixture = &fixture;
  w.hold = &g;
  if (in_allocator) {
    fixture.memory.on_ctx = &g;
    fixture.memory.on_alloc = gate_wait_inside;
  } else {
    fixture.on_hash_ctx = &g;
    fixture.on_hash = gate_wait_inside;
  }
  assert_int_equal(pthread_create(&thread, NULL, insert_elsewhere, &w), 0);
  gate_await(&g);
  attempt_every_row(&all);
  gate_open(&g);
  assert_int_equal(pthread_join(thread, NULL), 0);
  check_every_row(&all, QC_ERR_BUSY);
  assert_status(w.status, QC_OK);
  check_whole(&fixture, 2 + w.inserted);
  fixture.memory.on_alloc = NULL;
  misuse_close(&fixture);
}

static void overlapping_calls_are_refused_while_one_hashes(void **state) {
  (void)state;
  overlap(0);
}

static void overlapping_calls_are_refused_while_one_allocates(void **state) {
  (void)state;
  overlap(1);
}

/* Passing a handle on, with synchronisation, is fine: here the join. */
static void *insert_one(void *ctx) {
  worker *w = QC_CAST(worker *, ctx);
  const qc_key key = key_of(1000 + w->inserted);
  qc_insert_result result;
  w->status = qc_history_insert(w->fixture->history, &key, NULL, 0, 0, 10 * TICK_NS, &result);
  w->inserted++;
  return NULL;
}

static void a_handle_may_move_between_threads(void **state) {
  misuse_fixture fixture;
  worker w;
  int round;
  (void)state;
  memset(&w, 0, sizeof w);
  misuse_open(&fixture);
  w.fixture = &fixture;
  for (round = 0; round < 20; round++) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, insert_one, &w), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_status(w.status, QC_OK);
    (void)insert_one(&w);
    assert_status(w.status, QC_OK);
  }
  check_whole(&fixture, 2 + w.inserted);
  misuse_close(&fixture);
}

static void there_is_room_for_every_row(void **state) {
  (void)state;
  assert_in_range(misuse_row_count, 1, MAX_ROWS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_is_room_for_every_row),
      cmocka_unit_test(a_hash_callback_may_not_call_back_in),
      cmocka_unit_test(an_allocator_may_not_call_back_in),
      cmocka_unit_test(a_free_callback_may_not_call_back_in),
      cmocka_unit_test(a_free_callback_of_destroy_may_not_call_back_in),
      cmocka_unit_test(a_callback_may_use_another_history),
      cmocka_unit_test(overlapping_calls_are_refused_while_one_hashes),
      cmocka_unit_test(overlapping_calls_are_refused_while_one_allocates),
      cmocka_unit_test(a_handle_may_move_between_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
