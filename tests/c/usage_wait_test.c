/* Waiting for space, with a thread and without one; stop, start, and destroy under those who wait. No test depends on how
   long something takes: whoever has to be waiting is waited for by the count of waiters. */

#include "usage_support.h"

#include <pthread.h>
#include <sched.h>

typedef struct wait_job {
  qc_usage *usage;
  uint64_t amount; /* 0: for space */
  int64_t timeout_ns;
  int32_t percent;
  qc_status status;
} wait_job;

static void *run_wait(void *ctx) {
  wait_job *job = QC_CAST(wait_job *, ctx);
  job->status = job->amount != 0 ? qc_usage_reserve_wait(job->usage, job->amount, job->timeout_ns)
                                 : qc_usage_wait_for_space(job->usage, job->timeout_ns, job->percent);
  return NULL;
}

static void start_wait(pthread_t *thread, wait_job *job, qc_usage *usage, uint64_t amount, qc_usage *seen_at,
                       uint64_t waiters) {
  memset(job, 0, sizeof *job);
  job->usage = usage;
  job->amount = amount;
  job->timeout_ns = FOREVER;
  job->percent = 100;
  job->status = QC_ERR_PANIC;
  assert_int_equal(pthread_create(thread, NULL, run_wait, job), 0);
  while (usage_figures(seen_at).waiters < waiters) { (void)sched_yield(); }
}

static void what_fits_does_not_wait(void **state) {
  qc_usage *usage = usage_root(100);
  (void)state;
  assert_ok(qc_usage_reserve_wait(usage, 100, 0));
  assert_ok(qc_usage_reserve_wait(usage, 0, 0));
  assert_status(qc_usage_reserve_wait(usage, 1, 0), QC_ERR_TIMED_OUT);
  assert_status(qc_usage_reserve_wait(usage, 1, MS_NS), QC_ERR_TIMED_OUT);
  assert_status(qc_usage_wait_for_space(usage, 0, 100), QC_ERR_TIMED_OUT);
  assert_ok(qc_usage_wait_for_space(usage, 0, 101));
  assert_int_equal(usage_of(usage), 100);
  assert_int_equal(usage_figures(usage).waiters, 0);
  assert_ok(qc_usage_decrease(usage, 1));
  assert_ok(qc_usage_wait_for_space(usage, 0, 100));
  assert_ok(qc_usage_reserve_wait(usage, 1, 0));
  (void)usage_end(usage);
}

static void field_16_many_waits_time_out_and_leave_nothing(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *middle = usage_child(root, 100);
  qc_usage *leaf = usage_child(middle, 100);
  int i;
  (void)state;
  assert_ok(qc_usage_increase(leaf, 100));
  for (i = 0; i < 200; i++) {
    assert_status(qc_usage_wait_for_space(leaf, MS_NS / 10, 100), QC_ERR_TIMED_OUT);
    assert_status(qc_usage_reserve_wait(leaf, 1, MS_NS / 10), QC_ERR_TIMED_OUT);
  }
  assert_int_equal(usage_figures(root).waiters, 0);
  assert_int_equal(usage_figures(root).waiting_bytes, 0);
  (void)usage_end(leaf);
  (void)usage_end(middle);
  (void)usage_end(root);
}

static void a_release_wakes_who_waits(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *child = usage_child(root, 0);
  wait_job jobs[3];
  pthread_t threads[3];
  int i;
  (void)state;
  assert_ok(qc_usage_increase(root, 100));
  for (i = 0; i < 2; i++) { start_wait(&threads[i], &jobs[i], child, 0, root, QC_CAST(uint64_t, i) + 1); }
  start_wait(&threads[2], &jobs[2], child, 30, root, 3);
  assert_int_equal(usage_figures(root).waiting_bytes, 30);
  assert_ok(qc_usage_decrease(root, 30));
  for (i = 0; i < 3; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_status(jobs[i].status, QC_OK);
  }
  assert_int_equal(usage_of(child), 30);
  assert_int_equal(usage_of(root), 100);
  (void)usage_end(child);
  (void)usage_end(root);
}

/* What becomes free is held for the first in line, although a later one would fit. */
static void reservations_are_served_in_their_order(void **state) {
  qc_usage *usage = usage_root(100);
  wait_job large;
  wait_job small;
  pthread_t threads[2];
  (void)state;
  assert_ok(qc_usage_increase(usage, 100));
  start_wait(&threads[0], &large, usage, 50, usage, 1);
  start_wait(&threads[1], &small, usage, 10, usage, 2);
  assert_ok(qc_usage_decrease(usage, 20));
  assert_false(reserved(usage, 5)); /* behind those who wait */
  assert_int_equal(usage_figures(usage).waiters, 2);
  assert_ok(qc_usage_decrease(usage, 30));
  assert_int_equal(pthread_join(threads[0], NULL), 0);
  assert_status(large.status, QC_OK);
  assert_int_equal(usage_figures(usage).waiters, 1);
  assert_ok(qc_usage_decrease(usage, 10));
  assert_int_equal(pthread_join(threads[1], NULL), 0);
  assert_status(small.status, QC_OK);
  assert_int_equal(usage_of(usage), 100);
  (void)usage_end(usage);
}

static void stop_ends_waits_here_and_below(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *child = usage_child(root, 100);
  wait_job jobs[2];
  pthread_t threads[2];
  int i;
  (void)state;
  assert_ok(qc_usage_increase(child, 100));
  start_wait(&threads[0], &jobs[0], child, 0, root, 1);
  start_wait(&threads[1], &jobs[1], child, 10, root, 2);
  assert_ok(qc_usage_stop(root));
  for (i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_status(jobs[i].status, QC_ERR_STOPPED);
  }
  assert_status(qc_usage_wait_for_space(child, FOREVER, 100), QC_ERR_STOPPED);
  assert_status(qc_usage_reserve_wait(child, 1, FOREVER), QC_ERR_STOPPED);
  /* Everything else goes on. */
  assert_ok(qc_usage_decrease(child, 50));
  assert_int_equal(usage_of(root), 50);
  assert_true(usage_figures(root).is_stopped && !usage_figures(child).is_stopped);
  assert_ok(qc_usage_start(root));
  assert_ok(qc_usage_reserve_wait(child, 1, FOREVER));
  (void)usage_end(child);
  (void)usage_end(root);
}

static void destroy_ends_the_waits_on_it(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *child = usage_child(root, 50);
  qc_usage *other = usage_child(root, 50);
  wait_job jobs[3];
  pthread_t threads[3];
  int i;
  (void)state;
  assert_ok(qc_usage_increase(child, 50));
  assert_ok(qc_usage_increase(other, 50));
  start_wait(&threads[0], &jobs[0], child, 0, root, 1);
  start_wait(&threads[1], &jobs[1], child, 10, root, 2);
  start_wait(&threads[2], &jobs[2], other, 10, root, 3);
  assert_int_equal(usage_end(child), 50);
  for (i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_status(jobs[i].status, QC_ERR_DESTROYED);
  }
  assert_int_equal(usage_figures(root).waiters, 1);
  assert_int_equal(usage_end(root), 0);
  assert_ok(qc_usage_decrease(other, 10));
  assert_int_equal(pthread_join(threads[2], NULL), 0);
  assert_status(jobs[2].status, QC_OK);
  (void)usage_end(other);
}

typedef struct notice {
  int calls;
  qc_status reason;
  qc_usage *destroys; /* what it does inside */
} notice;

static void note(void *ctx, qc_status reason) {
  notice *told = QC_CAST(notice *, ctx);
  told->calls++;
  told->reason = reason;
  if (told->destroys != NULL) { assert_ok(qc_usage_destroy(told->destroys, NULL)); }
}

static void a_notice_comes_once(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *child = usage_child(root, 0);
  notice told = {0, QC_ERR_PANIC, NULL};
  uint8_t registered = 9;
  (void)state;
  assert_ok(qc_usage_notify_when_not_full(child, note, &told, &registered));
  assert_int_equal(registered, 0); /* nothing is full */
  assert_ok(qc_usage_increase(root, 100));
  assert_ok(qc_usage_notify_when_not_full(child, note, &told, &registered));
  assert_int_equal(registered, 1);
  assert_int_equal(usage_figures(root).waiters, 1);
  assert_int_equal(told.calls, 0);
  assert_ok(qc_usage_decrease(root, 1));
  assert_int_equal(told.calls, 1);
  assert_int_equal(told.reason, QC_OK);
  assert_ok(qc_usage_increase(root, 1));
  assert_ok(qc_usage_decrease(root, 1));
  assert_int_equal(told.calls, 1);
  assert_ok(qc_usage_notify_when_below(child, 50, note, &told, &registered));
  assert_int_equal(registered, 1);
  assert_ok(qc_usage_decrease(root, 49));
  assert_int_equal(told.calls, 1); /* 50 percent are not below 50 */
  assert_ok(qc_usage_decrease(root, 1));
  assert_int_equal(told.calls, 2);
  (void)usage_end(child);
  (void)usage_end(root);
}

static void a_reservation_without_a_thread_keeps_its_turn(void **state) {
  qc_usage *usage = usage_root(100);
  notice first = {0, QC_ERR_PANIC, NULL};
  notice second = {0, QC_ERR_PANIC, NULL};
  uint64_t ticket = 9;
  uint64_t behind = 9;
  uint8_t cancelled = 9;
  uint8_t admitted = 9;
  (void)state;
  assert_ok(qc_usage_reserve_notify(usage, 60, note, &first, &ticket));
  assert_int_equal(ticket, 0); /* it fits: counted, and nobody is told */
  assert_ok(qc_usage_reserve_notify(usage, 90, note, &first, &ticket));
  assert_ok(qc_usage_reserve_notify(usage, 10, note, &second, &behind));
  assert_true(ticket != 0 && behind > ticket);
  assert_int_equal(usage_figures(usage).waiters, 2);
  assert_int_equal(usage_figures(usage).waiting_bytes, 100);
  assert_ok(qc_usage_try_reserve(usage, 1, &admitted));
  assert_int_equal(admitted, 0); /* what is free is held for the first in line */
  assert_status(qc_usage_reserve_wait(usage, 1, 0), QC_ERR_TIMED_OUT);
  assert_ok(qc_usage_decrease(usage, 50));
  assert_int_equal(first.calls, 1); /* 10 + 90 */
  assert_int_equal(first.reason, QC_OK);
  assert_int_equal(second.calls, 0);
  assert_ok(qc_usage_reserve_cancel(usage, ticket, &cancelled));
  assert_int_equal(cancelled, 0); /* it has come to its turn */
  assert_ok(qc_usage_reserve_cancel(usage, behind, &cancelled));
  assert_int_equal(cancelled, 1);
  assert_ok(qc_usage_reserve_cancel(usage, behind, &cancelled));
  assert_int_equal(cancelled, 0); /* once only */
  assert_int_equal(usage_figures(usage).waiters, 0);
  assert_int_equal(usage_figures(usage).waiting_bytes, 0);
  assert_ok(qc_usage_decrease(usage, 100));
  assert_int_equal(second.calls, 0);
  assert_int_equal(usage_end(usage), 0);
}

static void a_cancelled_reservation_lets_the_next_through(void **state) {
  host_memory memory;
  const qc_usage_options options = usage_options_with(100, &memory);
  qc_usage *usage = NULL;
  notice large = {0, QC_ERR_PANIC, NULL};
  notice small = {0, QC_ERR_PANIC, NULL};
  uint64_t ticket = 0;
  uint64_t behind = 0;
  uint8_t cancelled = 0;
  (void)state;
  assert_ok(qc_usage_create(&options, &usage));
  assert_ok(qc_usage_increase(usage, 90));
  assert_ok(qc_usage_reserve_notify(usage, 50, note, &large, &ticket));
  assert_ok(qc_usage_reserve_notify(usage, 10, note, &small, &behind));
  assert_ok(qc_usage_reserve_cancel(usage, ticket, &cancelled));
  assert_int_equal(cancelled, 1);
  assert_int_equal(small.calls, 1); /* told by the call that made room */
  assert_int_equal(small.reason, QC_OK);
  assert_int_equal(large.calls, 0);
  assert_status(qc_usage_reserve_notify(usage, 101, note, &large, &ticket), QC_ERR_NEVER_FITS);
  assert_ok(qc_usage_reserve_notify(usage, 1, note, &large, &ticket));
  assert_ok(qc_usage_stop(usage));
  assert_int_equal(large.calls, 1);
  assert_int_equal(large.reason, QC_ERR_STOPPED);
  assert_status(qc_usage_reserve_notify(usage, 0, note, &large, &ticket), QC_ERR_STOPPED);
  assert_ok(qc_usage_start(usage));
  assert_ok(qc_usage_reserve_notify(usage, 1, note, &large, &ticket));
  large.reason = QC_OK;
  assert_int_equal(usage_end(usage), 100);
  assert_int_equal(large.calls, 2);
  assert_int_equal(large.reason, QC_ERR_DESTROYED);
  assert_balanced(&memory);
}

static void a_notice_may_be_asked_after_and_taken_back(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *child = usage_child(root, 0);
  notice told = {0, QC_ERR_PANIC, NULL};
  uint64_t first = 9;
  uint64_t second = 9;
  uint8_t answer = 9;
  (void)state;
  assert_ok(qc_usage_space_notify(child, 100, note, &told, &first));
  assert_true(first == 0); /* nothing is full */
  assert_ok(qc_usage_increase(root, 100));
  assert_ok(qc_usage_space_notify(child, 100, note, &told, &first));
  assert_ok(qc_usage_space_notify(child, 90, note, &told, &second));
  assert_true(first != 0 && second != 0 && first != second);
  assert_ok(qc_usage_is_in_line(root, first, &answer));
  assert_int_equal(answer, 0); /* it was asked for below */
  assert_ok(qc_usage_is_in_line(child, first, &answer));
  assert_int_equal(answer, 1);
  assert_ok(qc_usage_reserve_cancel(child, first, &answer));
  assert_int_equal(answer, 1);
  assert_ok(qc_usage_is_in_line(child, first, &answer));
  assert_int_equal(answer, 0);
  assert_int_equal(usage_figures(root).waiters, 1);
  assert_ok(qc_usage_decrease(root, 10));
  assert_int_equal(told.calls, 0);
  assert_ok(qc_usage_decrease(root, 1));
  assert_int_equal(told.calls, 1);
  assert_int_equal(told.reason, QC_OK);
  assert_ok(qc_usage_reserve_cancel(child, second, &answer));
  assert_int_equal(answer, 0);
  assert_int_equal(usage_figures(root).waiters, 0);
  (void)usage_end(child);
  (void)usage_end(root);
}

static void a_notice_is_told_of_stop_and_destroy(void **state) {
  qc_usage *usage = usage_root(100);
  notice stopped = {0, QC_OK, NULL};
  notice destroyed = {0, QC_OK, NULL};
  uint8_t registered = 9;
  (void)state;
  assert_ok(qc_usage_increase(usage, 100));
  assert_ok(qc_usage_notify_when_not_full(usage, note, &stopped, &registered));
  assert_int_equal(registered, 1);
  assert_ok(qc_usage_stop(usage));
  assert_int_equal(stopped.calls, 1);
  assert_int_equal(stopped.reason, QC_ERR_STOPPED);
  assert_ok(qc_usage_start(usage));
  assert_ok(qc_usage_notify_when_not_full(usage, note, &destroyed, &registered));
  assert_int_equal(registered, 1);
  (void)usage_end(usage);
  assert_int_equal(destroyed.calls, 1);
  assert_int_equal(destroyed.reason, QC_ERR_DESTROYED);
}

/* It runs when its caller holds nothing any more, so it may destroy the very tracker. */
static void a_notice_may_destroy_its_tracker(void **state) {
  host_memory memory;
  const qc_usage_options options = usage_options_with(100, &memory);
  qc_usage *usage = NULL;
  notice told = {0, QC_ERR_PANIC, NULL};
  uint8_t registered = 0;
  (void)state;
  assert_ok(qc_usage_create(&options, &usage));
  assert_ok(qc_usage_increase(usage, 100));
  told.destroys = usage;
  assert_ok(qc_usage_notify_when_not_full(usage, note, &told, &registered));
  assert_ok(qc_usage_decrease(usage, 10));
  assert_int_equal(told.calls, 1);
  assert_status(qc_usage_increase(usage, 1), QC_ERR_DESTROYED);
  assert_balanced(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fits_does_not_wait),
      cmocka_unit_test(field_16_many_waits_time_out_and_leave_nothing),
      cmocka_unit_test(a_release_wakes_who_waits),
      cmocka_unit_test(reservations_are_served_in_their_order),
      cmocka_unit_test(stop_ends_waits_here_and_below),
      cmocka_unit_test(destroy_ends_the_waits_on_it),
      cmocka_unit_test(a_notice_comes_once),
      cmocka_unit_test(a_reservation_without_a_thread_keeps_its_turn),
      cmocka_unit_test(a_cancelled_reservation_lets_the_next_through),
      cmocka_unit_test(a_notice_may_be_asked_after_and_taken_back),
      cmocka_unit_test(a_notice_is_told_of_stop_and_destroy),
      cmocka_unit_test(a_notice_may_destroy_its_tracker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
