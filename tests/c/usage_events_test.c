/* Percent steps: told to a listener in an unbroken chain, or polled; and who releases what. */

#include "usage_support.h"

#include <poll.h>

typedef struct listener {
  int calls;
  int releases;
  int broken; /* steps that did not begin where the one before ended */
  int32_t last;
  uint64_t tag;
  qc_usage *frees;    /* gives back this much of it, once */
  uint64_t frees_bytes;
  qc_usage *destroys; /* or destroys it, once */
} listener;

static void listen(void *ctx, const qc_usage_event *event) {
  listener *heard = QC_CAST(listener *, ctx);
  heard->calls++;
  if (event->old_percent != heard->last) { heard->broken++; }
  heard->last = event->new_percent;
  heard->tag = event->tag;
  if (heard->frees != NULL) {
    qc_usage *usage = heard->frees;
    const int calls = heard->calls;
    heard->frees = NULL;
    assert_ok(qc_usage_decrease(usage, heard->frees_bytes));
    assert_int_equal(heard->calls, calls); /* no recursion: what this brings about is told later */
  }
  if (heard->destroys != NULL) {
    qc_usage *usage = heard->destroys;
    heard->destroys = NULL;
    assert_ok(qc_usage_destroy(usage, NULL));
  }
}

static void release(void *ctx) { QC_CAST(listener *, ctx)->releases++; }

static listener fresh_listener(int32_t percent) {
  listener heard;
  memset(&heard, 0, sizeof heard);
  heard.last = percent;
  return heard;
}

static void a_listener_hears_an_unbroken_chain(void **state) {
  qc_usage_options options = usage_options_of(100);
  qc_usage *usage = NULL;
  listener heard = fresh_listener(10);
  int i;
  (void)state;
  options.tag = 42;
  assert_ok(qc_usage_create(&options, &usage));
  assert_ok(qc_usage_increase(usage, 10));
  assert_ok(qc_usage_set_listener(usage, listen, &heard, release));
  assert_int_equal(heard.calls, 0); /* nothing is told when it begins */
  for (i = 0; i < 50; i++) { assert_ok(qc_usage_increase(usage, 1)); }
  assert_int_equal(heard.calls, 50);
  assert_int_equal(heard.last, 60);
  assert_int_equal(heard.tag, 42);
  assert_ok(qc_usage_decrease(usage, 30));
  assert_int_equal(heard.last, 30);
  assert_ok(qc_usage_set_limit(usage, 50));
  assert_int_equal(heard.last, 60);
  assert_ok(qc_usage_set_usage(usage, 0));
  assert_int_equal(heard.last, 0);
  assert_int_equal(heard.broken, 0);
  assert_int_equal(heard.releases, 0);
  (void)usage_end(usage);
  assert_int_equal(heard.releases, 1);
}

static void a_listener_is_released_once_however_it_ends(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *child = usage_child(root, 100);
  listener first = fresh_listener(0);
  listener second = fresh_listener(0);
  listener third = fresh_listener(0);
  (void)state;
  assert_ok(qc_usage_set_listener(root, listen, &first, release));
  assert_ok(qc_usage_set_listener(root, listen, &second, release));
  assert_int_equal(first.releases, 1);
  assert_ok(qc_usage_increase(child, 10));
  assert_int_equal(first.calls, 0);
  assert_int_equal(second.calls, 1);
  assert_ok(qc_usage_keep_events(root));
  assert_int_equal(second.releases, 1);
  assert_ok(qc_usage_set_listener(root, listen, &third, NULL)); /* nobody need know */
  assert_ok(qc_usage_set_listener(root, listen, &third, release));
  assert_int_equal(third.releases, 0);
  assert_ok(qc_usage_clear_events(root));
  assert_int_equal(third.releases, 1);
  assert_ok(qc_usage_clear_events(root));
  assert_status(qc_usage_set_listener(root, NULL, &third, release), QC_ERR_NULL_ARGUMENT);
  (void)usage_end(child);
  (void)usage_end(root);
  assert_int_equal(first.releases + second.releases + third.releases, 3);
}

static void field_20_a_listener_may_give_back(void **state) {
  qc_usage *usage = usage_root(100);
  listener heard = fresh_listener(0);
  (void)state;
  assert_ok(qc_usage_set_listener(usage, listen, &heard, release));
  heard.frees = usage;
  heard.frees_bytes = 40;
  assert_ok(qc_usage_increase(usage, 100));
  assert_int_equal(heard.calls, 2);
  assert_int_equal(heard.last, 60);
  assert_int_equal(heard.broken, 0);
  assert_int_equal(usage_of(usage), 60);
  (void)usage_end(usage);
  assert_int_equal(heard.releases, 1);
}

static void a_listener_may_destroy_its_tracker(void **state) {
  host_memory memory;
  const qc_usage_options options = usage_options_with(100, &memory);
  qc_usage *usage = NULL;
  listener heard = fresh_listener(0);
  (void)state;
  assert_ok(qc_usage_create(&options, &usage));
  assert_ok(qc_usage_set_listener(usage, listen, &heard, release));
  heard.destroys = usage;
  assert_ok(qc_usage_increase(usage, 50));
  assert_int_equal(heard.calls, 1);
  assert_int_equal(heard.releases, 1);
  assert_status(qc_usage_increase(usage, 1), QC_ERR_DESTROYED);
  assert_balanced(&memory);
}

static int is_readable(int descriptor) {
  struct pollfd wanted;
  wanted.fd = descriptor;
  wanted.events = POLLIN;
  wanted.revents = 0;
  return poll(&wanted, 1, 0) == 1;
}

static void events_are_polled_in_batches(void **state) {
  enum { STEPS = 90 };
  qc_usage_options options = usage_options_of(100);
  qc_usage *root = usage_root(1000);
  qc_usage *child = NULL;
  qc_usage_event events[100];
  int32_t descriptor = -1;
  int32_t again = -1;
  int32_t last = 0;
  size_t count = 0;
  size_t seen = 0;
  size_t i;
  (void)state;
  options.tag = 7;
  options.event_capacity = 100;
  assert_ok(qc_usage_create_child(root, &options, &child));
  assert_ok(qc_usage_keep_events(child));
  assert_ok(qc_usage_event_descriptor(root, &descriptor));
  assert_ok(qc_usage_event_descriptor(child, &again));
  assert_int_equal(descriptor, again);
  assert_false(is_readable(descriptor));
  for (i = 0; i < STEPS; i++) { assert_ok(qc_usage_increase(child, 1)); }
  assert_true(is_readable(descriptor));
  assert_ok(qc_usage_poll_events(root, NULL, 0, &count));
  assert_int_equal(count, 0);
  /* More than go through at a time inside, then the rest. */
  assert_ok(qc_usage_poll_events(root, events, 70, &count));
  assert_int_equal(count, 70);
  assert_true(is_readable(descriptor));
  assert_ok(qc_usage_poll_events(root, events + 70, 30, &count));
  seen = 70 + count;
  assert_int_equal(seen, STEPS);
  assert_false(is_readable(descriptor));
  for (i = 0; i < seen; i++) {
    assert_int_equal(events[i].tag, 7);
    assert_int_equal(events[i].old_percent, last);
    last = events[i].new_percent;
  }
  assert_int_equal(last, STEPS);
  (void)usage_end(child);
  (void)usage_end(root);
}

static void a_full_queue_merges(void **state) {
  qc_usage_options options = usage_options_of(100);
  qc_usage *usage = NULL;
  qc_usage_event events[8];
  size_t count = 0;
  int i;
  (void)state;
  options.event_capacity = 3;
  assert_ok(qc_usage_create(&options, &usage));
  assert_ok(qc_usage_keep_events(usage));
  for (i = 0; i < 50; i++) { assert_ok(qc_usage_increase(usage, 1)); }
  assert_ok(qc_usage_poll_events(usage, events, 8, &count));
  assert_int_equal(count, 3);
  assert_int_equal(events[0].old_percent, 0);
  assert_int_equal(events[2].old_percent, events[1].new_percent);
  assert_int_equal(events[2].new_percent, 50);
  assert_int_equal(usage_figures(usage).tree_merged_events, 47);
  (void)usage_end(usage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_listener_hears_an_unbroken_chain),
      cmocka_unit_test(a_listener_is_released_once_however_it_ends),
      cmocka_unit_test(field_20_a_listener_may_give_back),
      cmocka_unit_test(a_listener_may_destroy_its_tracker),
      cmocka_unit_test(events_are_polled_in_batches),
      cmocka_unit_test(a_full_queue_merges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
