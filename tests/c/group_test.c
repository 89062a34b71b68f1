/* Groups of histories: collected in turn, one limit, one cache. Times are in ticks. */

#include "support.h"

#define MEMBERS 50

typedef struct qc_history_group_stats figures_of;

static figures_of figures(qc_history_group *group) {
  figures_of filled;
  memset(&filled, 0, sizeof filled);
  filled.struct_size = QC_CAST(uint32_t, sizeof filled);
  assert_ok(qc_history_group_stats(group, &filled));
  return filled;
}

static qc_history_group_options group_options(void) {
  qc_history_group_options options;
  assert_ok(qc_history_group_options_init(&options, sizeof options));
  return options;
}

static qc_history_group *new_group(void) {
  const qc_history_group_options options = group_options();
  qc_history_group *group = NULL;
  assert_ok(qc_history_group_create(&options, &group));
  return group;
}

static qc_history *member_of(qc_history_group *group, int64_t window) {
  qc_history_options options = options_of(window);
  options.seed = 0;
  options.group = group;
  options.gc_policy = QC_GC_SCHEDULED;
  return create_of(&options);
}

static qc_gc_result gc_many(qc_history_group *group, int64_t now, uint64_t max) {
  qc_gc_result result;
  assert_ok(qc_history_group_gc_many(group, now * TICK_NS, max, &result));
  return result;
}

static void remember(qc_history *history, uint64_t key, int64_t now) {
  assert_int_equal(put(history, key, now, now, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, key, now), QC_ERASED_HISTORICAL);
}

static void gc_many_collects_what_gc_would(void **state) {
  qc_history_group *group = new_group();
  qc_history *members[MEMBERS];
  qc_gc_result result;
  uint64_t i;
  uint64_t k;
  (void)state;
  for (i = 0; i < MEMBERS; i++) {
    members[i] = member_of(group, 100 + QC_CAST(int64_t, i));
    for (k = 0; k < i; k++) { remember(members[i], k, 0); }
  }
  assert_int_equal(figures(group).histories, MEMBERS);
  assert_int_equal(figures(group).scheduled, MEMBERS - 1);
  result = gc_many(group, 99, 1000000);
  assert_int_equal(result.collected, 0);
  assert_int_equal(result.more, 0);
  result = gc_many(group, 120, 1000000); /* the windows of numbers 0 to 20 have ended */
  assert_int_equal(result.collected, 20 * 21 / 2);
  assert_int_equal(result.more, 0);
  for (i = 0; i < MEMBERS; i++) { assert_int_equal(history_len(members[i]), i <= 20 ? 0 : i); }
  assert_int_equal(figures(group).scheduled, MEMBERS - 21);
  result = gc_many(group, 1000, 1000000);
  assert_int_equal(result.collected, 49 * 50 / 2 - 20 * 21 / 2);
  assert_int_equal(figures(group).scheduled, 0);
  for (i = 0; i < MEMBERS; i++) { assert_ok(qc_history_destroy(members[i])); }
  assert_int_equal(figures(group).histories, 0);
  assert_ok(qc_history_group_destroy(group));
}

/* Each has 64 steps, then it is the next one's turn; a call stops at its maximum, and the next goes on. */
static void members_take_turns(void **state) {
  qc_history_group *group = new_group();
  qc_history *members[3];
  qc_gc_result result;
  uint64_t i;
  uint64_t k;
  uint64_t left = 3 * 1000;
  (void)state;
  for (i = 0; i < 3; i++) {
    members[i] = member_of(group, 100);
    for (k = 0; k < 1000; k++) { remember(members[i], k, 0); }
  }
  result = gc_many(group, 100, 0);
  assert_int_equal(result.collected, 0);
  assert_int_equal(result.more, 1);
  while (left > 0) {
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    result = gc_many(group, 100, 100);
    assert_int_equal(result.collected, left < 100 ? left : 100);
    left -= result.collected;
    assert_int_equal(result.more, left > 0);
    for (i = 0; i < 3; i++) {
      const uint64_t len = history_len(members[i]);
      if (len < least) { least = len; }
      if (len > most) { most = len; }
    }
    assert_true(most - least <= 128);
  }
  for (i = 0; i < 3; i++) { assert_ok(qc_history_destroy(members[i])); }
  assert_ok(qc_history_group_destroy(group));
}

/* Whatever changes the oldest record, its time comes. */
static void nothing_is_overlooked(void **state) {
  qc_history_group *group = new_group();
  qc_history *history = member_of(group, 100);
  const qc_key first = key_of(1);
  (void)state;
  /* The oldest by place is forgotten, and the one behind it is older by time. */
  assert_int_equal(put(history, 1, 50, 50, NULL), QC_ADDED);
  assert_int_equal(put(history, 2, 10, 50, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 2, 50), QC_ERASED_HISTORICAL);
  assert_int_equal(gc_many(group, 110, 100).collected, 0);
  assert_ok(qc_history_forget_key(history, &first));
  assert_int_equal(gc_many(group, 110, 100).collected, 1);
  /* The window is lowered, then raised. */
  remember(history, 3, 110);
  assert_ok(qc_history_set_window(history, 10 * TICK_NS));
  assert_int_equal(gc_many(group, 120, 100).collected, 1);
  remember(history, 4, 120);
  assert_ok(qc_history_set_window(history, 1000 * TICK_NS));
  assert_int_equal(gc_many(group, 1119, 100).collected, 0);
  assert_int_equal(gc_many(group, 1120, 100).collected, 1);
  /* Everything is cleared, and something comes again. */
  remember(history, 5, 1120);
  assert_ok(qc_history_clear(history));
  remember(history, 6, 1120);
  assert_int_equal(gc_many(group, 2120, 100).collected, 1);
  /* A live entry that outlives its window takes a step and stays. */
  assert_int_equal(put(history, 7, 2120, 2120, NULL), QC_ADDED);
  assert_int_equal(gc_many(group, 3120, 100).collected, 0);
  assert_int_equal(figures(group).scheduled, 0);
  assert_int_equal(seen(history, 7, 3120), QC_LIVE);
  assert_ok(qc_history_destroy(history));
  assert_ok(qc_history_group_destroy(group));
}

/* A host that collects the group from a timer has told all of its histories the time. */
static void an_idle_member_accepts_the_groups_time(void **state) {
  const int64_t hour = INT64_C(3600000000);
  qc_history_group *group = new_group();
  qc_history *history = member_of(group, 100);
  qc_insert_result result;
  const qc_key key = key_of(2);
  int64_t now;
  (void)state;
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  for (now = 0; now <= 5 * hour; now += hour) { (void)gc_many(group, now, 10); }
  assert_int_equal(put(history, 2, 5 * hour, 5 * hour, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 2, 5 * hour), QC_ERASED_HISTORICAL);
  assert_status(qc_history_insert(history, &key, NULL, 0, 5 * hour * TICK_NS, 7 * hour * TICK_NS, &result), QC_ERR_CLOCK);
  assert_int_equal(seen(history, 2, 5 * hour + 99), QC_HISTORICAL);
  assert_ok(qc_history_destroy(history));
  assert_ok(qc_history_group_destroy(group));
}

static void the_limit_is_of_all_together(void **state) {
  qc_history_group_options options = group_options();
  qc_history_group *group = NULL;
  qc_history *members[4];
  qc_insert_result result;
  qc_status status = QC_OK;
  uint64_t added = 0;
  uint64_t before;
  size_t i;
  (void)state;
  options.limit_bytes = 200000;
  assert_ok(qc_history_group_create(&options, &group));
  for (i = 0; i < 4; i++) { members[i] = member_of(group, 1000); }
  while (status == QC_OK) {
    const qc_key key = key_of(added);
    status = qc_history_insert(members[added % 4], &key, NULL, 0, 0, 0, &result);
    added += status == QC_OK;
    assert_true(figures(group).bytes_in_use <= 200000);
  }
  assert_int_equal(status, QC_ERR_CAPACITY);
  assert_error_names("limit_bytes");
  assert_true(added > 2000);
  assert_true(figures(group).refused_by_limit > 0);
  before = added;
  assert_int_equal(live_len(members[0]) + live_len(members[1]) + live_len(members[2]) + live_len(members[3]), before);
  assert_ok(qc_history_destroy(members[0]));
  members[0] = member_of(group, 1000); /* there is room again */
  for (i = 0; i < 100; i++) { assert_int_equal(put(members[1], 100000 + i, 0, 0, NULL), QC_ADDED); }
  for (i = 0; i < 4; i++) { assert_ok(qc_history_destroy(members[i])); }
  assert_ok(qc_history_group_destroy(group));
}

/* What one gives back, the next one gets; all of it is the host's in the end. */
static void blocks_are_used_again(void **state) {
  qc_history_group_options options = group_options();
  qc_history_options books = options_of(1);
  host_memory memory;
  qc_history_group *group = NULL;
  uint64_t asked = 0;
  int round;
  (void)state;
  memset(&memory, 0, sizeof memory);
  host_attach(&memory, &books);
  options.alloc = books.alloc;
  options.free = books.free;
  options.alloc_ctx = books.alloc_ctx;
  assert_ok(qc_history_group_create(&options, &group));
  for (round = 0; round < 10; round++) {
    qc_history *history = member_of(group, 100);
    uint64_t k;
    for (k = 0; k < 1000; k++) { remember(history, k, 0); }
    assert_ok(qc_history_destroy(history));
    if (round == 0) { asked = memory.asked; }
  }
  assert_true(memory.asked - asked < asked / 2); /* of nine rounds together */
  assert_true(figures(group).reused_blocks > 100);
  assert_true(figures(group).bytes_cached > 0 && figures(group).bytes_cached <= 256 * 1024);
  assert_true(figures(group).bytes_in_use >= memory.bytes && figures(group).bytes_in_use < memory.bytes + 4096);
  assert_ok(qc_history_group_destroy(group));
  assert_balanced(&memory);
}

/* Every allocation that a group makes, refused in turn. */
static void without_memory_there_is_a_status(void **state) {
  uint64_t fail_at;
  int failures = 0;
  (void)state;
  for (fail_at = 1; fail_at < 100; fail_at++) {
    qc_history_group_options options = group_options();
    qc_history_options books = options_of(1);
    host_memory memory;
    qc_history_group *group = NULL;
    qc_history *history = NULL;
    qc_status status;
    memset(&memory, 0, sizeof memory);
    host_attach(&memory, &books);
    memory.fail_at = fail_at;
    options.alloc = books.alloc;
    options.free = books.free;
    options.alloc_ctx = books.alloc_ctx;
    status = qc_history_group_create(&options, &group);
    if (status == QC_OK) {
      qc_history_options of_history = options_of(100);
      of_history.seed = 0;
      of_history.group = group;
      status = qc_history_create(&of_history, &history);
      if (status == QC_OK) {
        const qc_key key = key_of(1);
        qc_insert_result result;
        status = qc_history_insert(history, &key, NULL, 0, 0, 0, &result);
        assert_ok(qc_history_destroy(history));
      } else {
        assert_null(history);
        assert_int_equal(figures(group).histories, 0);
      }
      assert_ok(qc_history_group_destroy(group));
    }
    assert_balanced(&memory);
    if (status == QC_OK) { break; }
    assert_int_equal(status, QC_ERR_NO_MEMORY);
    failures++;
  }
  assert_true(failures > 4 && fail_at < 100);
}

/* An entry of one history is no entry of another one of the group, though they share the seed. */
static void entries_of_another_member_are_stale(void **state) {
  qc_history_group *group = new_group();
  qc_history *first = member_of(group, 100);
  qc_history *second = member_of(group, 100);
  qc_entry entry = 0;
  (void)state;
  assert_int_equal(put(first, 1, 0, 0, &entry), QC_ADDED);
  assert_int_equal(put(second, 1, 0, 0, NULL), QC_ADDED);
  assert_status(qc_history_forget(second, entry), QC_ERR_STALE_HANDLE);
  assert_ok(qc_history_forget(first, entry));
  assert_ok(qc_history_destroy(first));
  assert_ok(qc_history_destroy(second));
  assert_ok(qc_history_group_destroy(group));
}

/* 10,000 empty histories: not one of them is looked at, which the bench times. */
static void empty_members_cost_nothing(void **state) {
  qc_history_group *group = new_group();
  qc_history **members = QC_CAST(qc_history **, calloc(10000, sizeof(qc_history *)));
  qc_gc_result result;
  size_t i;
  (void)state;
  assert_non_null(members);
  for (i = 0; i < 10000; i++) { members[i] = member_of(group, 100); }
  assert_int_equal(figures(group).scheduled, 0);
  for (i = 0; i < 10000; i++) { remember(members[i], 1, 0); }
  assert_int_equal(figures(group).scheduled, 10000);
  result = gc_many(group, 100, 20000);
  assert_int_equal(result.collected, 10000);
  assert_int_equal(result.more, 0);
  assert_int_equal(figures(group).scheduled, 0);
  for (i = 0; i < 10000; i++) { assert_ok(qc_history_destroy(members[i])); }
  free(members);
  assert_ok(qc_history_group_destroy(group));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gc_many_collects_what_gc_would),
      cmocka_unit_test(members_take_turns),
      cmocka_unit_test(nothing_is_overlooked),
      cmocka_unit_test(an_idle_member_accepts_the_groups_time),
      cmocka_unit_test(the_limit_is_of_all_together),
      cmocka_unit_test(blocks_are_used_again),
      cmocka_unit_test(without_memory_there_is_a_status),
      cmocka_unit_test(entries_of_another_member_are_stale),
      cmocka_unit_test(empty_members_cost_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
