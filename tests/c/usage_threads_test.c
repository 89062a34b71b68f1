/* Calls of many threads on trackers that come and go: whatever overlaps, a call is done or says that its tracker is
   destroyed, and at the end all levels are what the calls that were done add up to. */

#include "usage_support.h"

#include <pthread.h>
#include <sched.h>

enum { CALLERS = 4, TRACKERS = 300 };

/* A tracker that all threads call on until it is gone. Written by one, read by all. */
typedef struct stage {
  pthread_mutex_t mutex;
  qc_usage *usage; /* NULL: the play is over */
  qc_usage *root;
} stage;

static qc_usage *look(stage *shared) {
  qc_usage *usage;
  assert_int_equal(pthread_mutex_lock(&shared->mutex), 0);
  usage = shared->usage;
  assert_int_equal(pthread_mutex_unlock(&shared->mutex), 0);
  return usage;
}

static void show(stage *shared, qc_usage *usage) {
  assert_int_equal(pthread_mutex_lock(&shared->mutex), 0);
  shared->usage = usage;
  assert_int_equal(pthread_mutex_unlock(&shared->mutex), 0);
}

/* A tracker whose own part is told apart from the start: its first child comes before its own operations. */
static qc_usage *parent_below(qc_usage *root) {
  qc_usage *usage = usage_child(root, 50000);
  (void)usage_end(usage_child(usage, 0));
  return usage;
}

static int is_gone(qc_status status) {
  if (status != QC_OK && status != QC_ERR_DESTROYED) { check_status(status, QC_OK, "a call", __FILE__, __LINE__); }
  return status == QC_ERR_DESTROYED;
}

/* Each kind of call, over and over, on whatever is shown. Holds no lock while it calls. */
static void *call_on_what_is_shown(void *ctx) {
  stage *shared = QC_CAST(stage *, ctx);
  qc_usage *usage;
  uint64_t round = 0;
  for (usage = look(shared); usage != NULL; usage = look(shared)) {
    int gone = 0;
    while (!gone) {
      const qc_usage_options options = usage_options_of(10);
      uint8_t answer = 0;
      int32_t percent = 0;
      int64_t bytes = 0;
      qc_usage *child = NULL;
      gone |= is_gone(qc_usage_increase(usage, 3));
      gone |= is_gone(qc_usage_is_full(usage, &answer));
      gone |= is_gone(qc_usage_percent(usage, &percent));
      gone |= is_gone(qc_usage_decrease(usage, 2));
      switch (round++ % 16) {
        case 0: gone |= is_gone(qc_usage_try_reserve(usage, 5, &answer)); break;
        case 1: gone |= is_gone(qc_usage_usage(usage, &bytes)); break;
        case 2: gone |= is_gone(qc_usage_usage_exact(usage, &bytes)); break;
        case 3: gone |= is_gone(qc_usage_set_marks(usage, 10, 20)); break;
        case 4: gone |= is_gone(qc_usage_keep_events(usage)); break;
        case 5:
          if (is_gone(qc_usage_create_child(usage, &options, &child))) {
            gone = 1;
          } else {
            assert_ok(qc_usage_increase(child, 4));
            assert_ok(qc_usage_destroy(child, NULL));
          }
          break;
        case 6: {
          const qc_status status = qc_usage_reserve_wait(usage, 1, MS_NS / 100);
          gone |= status == QC_ERR_TIMED_OUT ? 0 : is_gone(status);
          break;
        }
        default: break;
      }
    }
    while (look(shared) == usage) { (void)sched_yield(); }
  }
  return NULL;
}

static void trackers_are_destroyed_under_their_callers(void **state) {
  host_memory memory;
  const qc_usage_options options = usage_options_with(100000, &memory);
  pthread_t threads[CALLERS];
  stage shared;
  int64_t residual = 0;
  int i;
  (void)state;
  assert_int_equal(pthread_mutex_init(&shared.mutex, NULL), 0);
  assert_ok(qc_usage_create(&options, &shared.root));
  shared.usage = parent_below(shared.root);
  for (i = 0; i < CALLERS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, call_on_what_is_shown, &shared), 0);
  }
  for (i = 0; i < TRACKERS; i++) {
    qc_usage *old = shared.usage; /* this thread alone writes it */
    qc_usage *next = i + 1 < TRACKERS ? parent_below(shared.root) : NULL;
    int64_t bytes = 0;
    int turns;
    for (turns = 0; turns < 3; turns++) { (void)sched_yield(); }
    assert_ok(qc_usage_destroy(old, &bytes));
    assert_status(qc_usage_destroy(old, &bytes), QC_ERR_DESTROYED);
    residual += bytes;
    show(&shared, next);
  }
  for (i = 0; i < CALLERS; i++) { assert_int_equal(pthread_join(threads[i], NULL), 0); }
  /* Whatever was counted on a tracker was taken off with it. */
  assert_int_equal(usage_of(shared.root), 0);
  assert_int_equal(usage_figures(shared.root).children, 0);
  assert_int_equal(usage_end(shared.root), 0);
  assert_true(residual >= 0);
  assert_balanced(&memory);
  assert_int_equal(pthread_mutex_destroy(&shared.mutex), 0);
}

typedef struct race {
  qc_usage *usage;
  qc_status status;
  int64_t residual;
} race;

static void *destroy_it(void *ctx) {
  race *own = QC_CAST(race *, ctx);
  own->status = qc_usage_destroy(own->usage, &own->residual);
  return NULL;
}

static void of_two_that_destroy_one_does(void **state) {
  int round;
  (void)state;
  for (round = 0; round < 200; round++) {
    qc_usage *usage = usage_root(100);
    race races[2];
    pthread_t thread;
    int i;
    assert_ok(qc_usage_increase(usage, 7));
    for (i = 0; i < 2; i++) {
      races[i].usage = usage;
      races[i].residual = 0;
      races[i].status = QC_ERR_PANIC;
    }
    assert_int_equal(pthread_create(&thread, NULL, destroy_it, &races[0]), 0);
    (void)destroy_it(&races[1]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(races[0].residual + races[1].residual, 7);
    assert_true((races[0].status == QC_OK && races[1].status == QC_ERR_DESTROYED) ||
                (races[1].status == QC_OK && races[0].status == QC_ERR_DESTROYED));
  }
}

typedef struct waiting {
  qc_usage *usage;
  uint64_t amount;
} waiting;

static void *wait_for_it(void *ctx) {
  waiting *own = QC_CAST(waiting *, ctx);
  const qc_status status = own->amount != 0 ? qc_usage_reserve_wait(own->usage, own->amount, FOREVER)
                                            : qc_usage_wait_for_space(own->usage, FOREVER, 100);
  check_status(status, QC_ERR_DESTROYED, "a wait", __FILE__, __LINE__);
  return NULL;
}

/* A wait that begins when its tracker is being destroyed ends as well: it is not forgotten in between. */
static void a_wait_meets_destroy_at_any_point(void **state) {
  qc_usage *root = usage_root(1000);
  int round;
  (void)state;
  for (round = 0; round < 500; round++) {
    qc_usage *child = usage_child(root, 10);
    waiting jobs[2];
    pthread_t threads[2];
    int i;
    assert_ok(qc_usage_increase(child, 10));
    for (i = 0; i < 2; i++) {
      jobs[i].usage = child;
      jobs[i].amount = i == 0 ? 0 : 5;
      assert_int_equal(pthread_create(&threads[i], NULL, wait_for_it, &jobs[i]), 0);
    }
    for (i = 0; i < round % 8; i++) { (void)sched_yield(); }
    assert_int_equal(usage_end(child), 10);
    for (i = 0; i < 2; i++) { assert_int_equal(pthread_join(threads[i], NULL), 0); }
  }
  assert_int_equal(usage_figures(root).waiters, 0);
  assert_int_equal(usage_end(root), 0);
}

/* Threads that come and go leave their records to others: nothing grows, and each is seen by destroy. */
static void *call_once(void *usage) {
  assert_ok(qc_usage_increase(QC_CAST(qc_usage *, usage), 1));
  return NULL;
}

static void threads_that_come_and_go(void **state) {
  qc_usage *usage = usage_root(0);
  int i;
  (void)state;
  for (i = 0; i < 500; i++) {
    pthread_t threads[2];
    assert_int_equal(pthread_create(&threads[0], NULL, call_once, usage), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, call_once, usage), 0);
    assert_int_equal(pthread_join(threads[0], NULL), 0);
    assert_int_equal(pthread_join(threads[1], NULL), 0);
  }
  assert_int_equal(usage_end(usage), 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trackers_are_destroyed_under_their_callers),
      cmocka_unit_test(of_two_that_destroy_one_does),
      cmocka_unit_test(a_wait_meets_destroy_at_any_point),
      cmocka_unit_test(threads_that_come_and_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
