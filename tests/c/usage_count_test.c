/* Counting, limits and percents of the usage meter, on one level and on several. */

#include "usage_support.h"

static void what_is_counted_is_counted_on_every_level(void **state) {
  qc_usage *root = usage_root(1000);
  qc_usage *middle = usage_child(root, 500);
  qc_usage *leaf = usage_child(middle, 0);
  qc_usage *other = usage_child(root, 0);
  (void)state;
  assert_ok(qc_usage_increase(leaf, 300));
  assert_ok(qc_usage_increase(middle, 10));
  assert_ok(qc_usage_increase(other, 100));
  assert_ok(qc_usage_decrease(leaf, 50));
  assert_int_equal(usage_of(leaf), 250);
  assert_int_equal(usage_of(middle), 260);
  assert_int_equal(usage_of(other), 100);
  assert_int_equal(usage_of(root), 360);
  assert_int_equal(percent_of(root), 36);
  assert_int_equal(percent_of(middle), 52);
  assert_int_equal(percent_of(leaf), 0); /* unlimited */
  assert_int_equal(usage_figures(middle).own_bytes, 10);
  assert_ok(qc_usage_increase(leaf, 0));
  assert_ok(qc_usage_decrease(leaf, 0));
  assert_int_equal(usage_of(root), 360);
  /* Destroyed in any order, each takes off its own part. */
  assert_int_equal(usage_end(middle), 10);
  assert_int_equal(usage_of(root), 350);
  assert_int_equal(usage_end(leaf), 250);
  assert_int_equal(usage_of(root), 100);
  assert_int_equal(usage_end(root), 0);
  assert_int_equal(usage_of(other), 100);
  assert_int_equal(usage_end(other), 100);
}

static void null_is_destroyed_without_a_word(void **state) {
  int64_t residual = 77;
  (void)state;
  assert_ok(qc_usage_destroy(NULL, NULL));
  assert_ok(qc_usage_destroy(NULL, &residual));
  assert_int_equal(residual, 77);
}

static void field_11_a_parent_over_its_limit_fills_its_children(void **state) {
  qc_usage *parent = usage_root(UINT64_C(1503238554));
  qc_usage *child = usage_child(parent, UINT64_C(1503238554));
  (void)state;
  assert_ok(qc_usage_increase(child, UINT64_C(366732408)));
  assert_ok(qc_usage_increase(parent, UINT64_C(1503321772) - UINT64_C(366732408)));
  assert_int_equal(percent_of(child), 24);
  assert_int_equal(percent_of(parent), 100);
  assert_true(is_full(child) && is_full(parent));
  (void)usage_end(child);
  (void)usage_end(parent);
}

static void field_12_a_negative_level_is_shown_and_makes_no_room(void **state) {
  qc_usage *usage = usage_root(1000);
  (void)state;
  assert_ok(qc_usage_increase(usage, 100));
  assert_ok(qc_usage_decrease(usage, 100));
  assert_ok(qc_usage_decrease(usage, 100));
  assert_int_equal(usage_of(usage), -100);
  assert_int_equal(percent_of(usage), -10);
  assert_false(reserved(usage, 1050));
  assert_true(reserved(usage, 1000));
  assert_int_equal(usage_of(usage), 900);
  (void)usage_end(usage);
}

static void field_13_an_increase_over_the_limit_never_fails(void **state) {
  qc_usage *usage = usage_root(100);
  (void)state;
  assert_ok(qc_usage_increase(usage, 100));
  assert_ok(qc_usage_increase(usage, 50));
  assert_int_equal(percent_of(usage), 150);
  assert_false(reserved(usage, 20));
  assert_true(reserved(usage, 0));
  assert_int_equal(usage_of(usage), 150);
  (void)usage_end(usage);
}

static void field_18_the_last_byte(void **state) {
  qc_usage *usage = usage_root(1000);
  qc_usage_event events[4];
  size_t count = 0;
  (void)state;
  assert_ok(qc_usage_increase(usage, 999));
  assert_int_equal(percent_of(usage), 99);
  assert_false(is_full(usage));
  assert_true(reserved(usage, 1));
  assert_int_equal(percent_of(usage), 100);
  assert_true(is_full(usage));
  assert_false(reserved(usage, 1));
  assert_ok(qc_usage_keep_events(usage));
  assert_ok(qc_usage_decrease(usage, 1));
  assert_ok(qc_usage_poll_events(usage, events, 4, &count));
  assert_int_equal(count, 1);
  assert_int_equal(events[0].old_percent, 100);
  assert_int_equal(events[0].new_percent, 99);
  (void)usage_end(usage);
}

static void field_19_marks_are_set_as_a_pair(void **state) {
  qc_usage *usage = usage_root(100);
  (void)state;
  assert_false(is_over_mark(usage));
  assert_ok(qc_usage_set_marks(usage, 50, 70));
  assert_ok(qc_usage_increase(usage, 69));
  assert_false(is_over_mark(usage));
  assert_ok(qc_usage_increase(usage, 1));
  assert_true(is_over_mark(usage));
  assert_ok(qc_usage_decrease(usage, 20));
  assert_true(is_over_mark(usage));
  assert_ok(qc_usage_decrease(usage, 1));
  assert_false(is_over_mark(usage));
  assert_ok(qc_usage_set_marks(usage, 20, 30));
  assert_true(is_over_mark(usage));
  assert_ok(qc_usage_set_marks(usage, 80, 90));
  assert_false(is_over_mark(usage));
  assert_status(qc_usage_set_marks(usage, 90, 80), QC_ERR_INVALID_ARGUMENT);
  assert_ok(qc_usage_increase(usage, 50));
  assert_true(is_over_mark(usage));
  assert_ok(qc_usage_clear_marks(usage));
  assert_false(is_over_mark(usage));
  (void)usage_end(usage);
}

static void limits_shares_and_steps_change_at_run_time(void **state) {
  qc_usage *root = usage_root(1000);
  qc_usage_options options = usage_options_of(0);
  qc_usage *child = NULL;
  uint64_t limit = 0;
  (void)state;
  options.share_ppm = 500000;
  assert_ok(qc_usage_create_child(root, &options, &child));
  assert_ok(qc_usage_limit(child, &limit));
  assert_int_equal(limit, 500);
  assert_ok(qc_usage_increase(child, 250));
  assert_int_equal(percent_of(child), 50);
  assert_ok(qc_usage_set_limit(root, 500));
  assert_int_equal(percent_of(child), 100);
  assert_true(is_full(child) && !is_full(root));
  assert_ok(qc_usage_set_share(child, 1000000));
  assert_int_equal(percent_of(child), 50);
  assert_ok(qc_usage_set_limit(child, 1000)); /* cuts the tie */
  assert_ok(qc_usage_set_limit(root, 300));
  assert_int_equal(percent_of(child), 25);
  assert_int_equal(percent_of(root), 83);
  assert_ok(qc_usage_set_min_delta(root, 10));
  assert_int_equal(percent_of(root), 80);
  assert_true(is_full_at(child, 80) && !is_full_at(child, 81));
  assert_ok(qc_usage_set_limit(root, 0));
  assert_int_equal(percent_of(root), 0);
  (void)usage_end(child);
  (void)usage_end(root);
}

static void a_new_usage_is_told_to_the_levels_above(void **state) {
  qc_usage *root = usage_root(1000);
  qc_usage *child = usage_child(root, 0);
  (void)state;
  assert_ok(qc_usage_increase(child, 10));
  assert_ok(qc_usage_set_usage(child, 700));
  assert_int_equal(usage_of(root), 700);
  assert_ok(qc_usage_set_usage(root, 5)); /* its own part */
  assert_int_equal(usage_of(root), 705);
  assert_ok(qc_usage_set_usage(child, -700));
  assert_int_equal(usage_of(root), -695);
  assert_int_equal(usage_end(child), -700);
  assert_int_equal(usage_end(root), 5);
}

static void children_are_told_as_far_as_there_is_room(void **state) {
  qc_usage *root = usage_root(1000);
  qc_usage_options options = usage_options_of(100);
  qc_usage *children[3];
  qc_usage_child seen[5];
  uint64_t tags = 0;
  size_t count = 99;
  int i;
  (void)state;
  assert_ok(qc_usage_children(root, NULL, 0, &count));
  assert_int_equal(count, 0);
  for (i = 0; i < 3; i++) {
    options.tag = QC_CAST(uint64_t, 1) << i;
    assert_ok(qc_usage_create_child(root, &options, &children[i]));
    assert_ok(qc_usage_increase(children[i], 10));
  }
  assert_ok(qc_usage_children(root, NULL, 0, &count));
  assert_int_equal(count, 3);
  memset(seen, 0xa5, sizeof seen);
  assert_ok(qc_usage_children(root, seen, 2, &count));
  assert_int_equal(count, 3);
  assert_int_equal(seen[2].reserved, UINT32_C(0xa5a5a5a5)); /* beyond the room */
  assert_ok(qc_usage_children(root, seen, 5, &count));
  assert_int_equal(count, 3);
  for (i = 0; i < 3; i++) {
    tags |= seen[i].tag;
    assert_int_equal(seen[i].usage_bytes, 10);
    assert_int_equal(seen[i].limit_bytes, 100);
    assert_int_equal(seen[i].percent, 10);
  }
  assert_int_equal(tags, 7);
  for (i = 0; i < 3; i++) { (void)usage_end(children[i]); }
  (void)usage_end(root);
}

/* A struct of figures may be older or newer than the library's. */
static void figures_fill_the_room_there_is(void **state) {
  union {
    unsigned char bytes[600];
    usage_stats_of stats;
  } room;
  const uint32_t wrong[4] = {0, 7, 4097, UINT32_MAX};
  qc_usage *usage = usage_root(1000);
  size_t i;
  (void)state;
  assert_ok(qc_usage_increase(usage, 123));
  for (i = 0; i < 4; i++) {
    memset(&room, 0xa5, sizeof room);
    room.stats.struct_size = wrong[i];
    assert_status(qc_usage_stats(usage, &room.stats), QC_ERR_INVALID_ARGUMENT);
    assert_error_names("struct_size");
    assert_int_equal(room.bytes[8], 0xa5);
  }
  memset(&room, 0xa5, sizeof room);
  room.stats.struct_size = 20; /* the usage, and half of the next field */
  assert_ok(qc_usage_stats(usage, &room.stats));
  assert_int_equal(room.stats.struct_size, 16);
  assert_int_equal(room.stats.usage_bytes, 123);
  for (i = 16; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }
  memset(&room, 0xa5, sizeof room);
  room.stats.struct_size = 600;
  assert_ok(qc_usage_stats(usage, &room.stats));
  assert_int_equal(room.stats.struct_size, sizeof room.stats);
  assert_int_equal(room.bytes[sizeof room.stats], 0xa5);
  assert_int_equal(room.stats.percent, 12);
  assert_int_equal(room.stats.tree_trackers, 1);
  assert_true(room.stats.bytes_in_use >= 256 && room.stats.bytes_peak >= room.stats.bytes_in_use);
  (void)usage_end(usage);
}

static void field_21_ten_thousand_come_and_go(void **state) {
  host_memory memory;
  const qc_usage_options options = usage_options_with(1000, &memory);
  qc_usage *root = NULL;
  uint64_t before;
  int i;
  (void)state;
  assert_ok(qc_usage_create(&options, &root));
  (void)usage_end(usage_child(root, 0));
  before = memory.bytes;
  for (i = 0; i < 10000; i++) {
    qc_usage *child = usage_child(root, 10);
    assert_ok(qc_usage_start(child));
    assert_ok(qc_usage_increase(child, 5));
    assert_int_equal(usage_end(child), 5);
  }
  assert_int_equal(usage_figures(root).children, 0);
  assert_int_equal(usage_of(root), 0);
  assert_int_equal(memory.bytes, before);
  (void)usage_end(root);
  assert_balanced(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_counted_is_counted_on_every_level),
      cmocka_unit_test(null_is_destroyed_without_a_word),
      cmocka_unit_test(field_11_a_parent_over_its_limit_fills_its_children),
      cmocka_unit_test(field_12_a_negative_level_is_shown_and_makes_no_room),
      cmocka_unit_test(field_13_an_increase_over_the_limit_never_fails),
      cmocka_unit_test(field_18_the_last_byte),
      cmocka_unit_test(field_19_marks_are_set_as_a_pair),
      cmocka_unit_test(limits_shares_and_steps_change_at_run_time),
      cmocka_unit_test(a_new_usage_is_told_to_the_levels_above),
      cmocka_unit_test(children_are_told_as_far_as_there_is_room),
      cmocka_unit_test(figures_fill_the_room_there_is),
      cmocka_unit_test(field_21_ten_thousand_come_and_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
