/* Use and misuse of the functions that take no cursor: inits, create, and those of groups. */

#include "cursor_misuse_rows.h"

/* One init function: sizes that make no sense, an older and a newer caller, and nothing beyond the caller's room. */
#define CHECK_INIT(init, type)                                                                        \
  do {                                                                                                \
    union {                                                                                           \
      unsigned char bytes[4096 + 64];                                                                 \
      type options;                                                                                   \
    } room;                                                                                           \
    const size_t wrong[5] = {0, 1, 3, 4097, SIZE_MAX};                                                \
    size_t i;                                                                                         \
    assert_status(init(NULL, sizeof(type)), QC_ERR_NULL_ARGUMENT);                                    \
    assert_error_names("out_");                                                                       \
    memset(&room, 0xa5, sizeof room);                                                                 \
    for (i = 0; i < 5; i++) {                                                                         \
      assert_status(init(&room.options, wrong[i]), QC_ERR_INVALID_ARGUMENT);                          \
      assert_error_names("struct_size");                                                              \
    }                                                                                                 \
    assert_status(init((type *)((uintptr_t)&room.options + 1), 100), QC_ERR_INVALID_ARGUMENT);        \
    for (i = 0; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }                      \
    assert_ok(init(&room.options, 8));                                                                \
    assert_int_equal(room.options.struct_size, 8);                                                    \
    for (i = 8; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }                      \
    assert_ok(init(&room.options, 4096));                                                             \
    assert_int_equal(room.options.struct_size, 4096);                                                 \
    for (i = sizeof(type); i < 4096; i++) { assert_int_equal(room.bytes[i], 0); }                     \
    for (i = 4096; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }                   \
  } while (0)

void cursor_inits_row(void **state) {
  const qc_cursor_policy policy = policy_of();
  (void)state;
  CHECK_INIT(qc_cursor_policy_init, qc_cursor_policy);
  CHECK_INIT(qc_cursor_options_init, qc_cursor_options);
  CHECK_INIT(qc_cursor_group_options_init, qc_cursor_group_options);
  CHECK_INIT(qc_store_init, qc_store);
  assert_int_equal(policy.high_percent, 70);
  assert_int_equal(policy.low_percent, 50);
  assert_int_equal(policy.parent_cache_percent, 100);
  assert_int_equal(policy.parent_page_percent, 90);
  assert_int_equal(policy.page_messages, 200);
  assert_int_equal(policy.page_bytes, 1 << 20);
  assert_int_equal(policy.min_page_messages, 0);
  assert_true(policy.lazy_dispatch == 0 && policy.use_cache == 1 && policy.deliver_uncommitted == 0);
}

/* All that a create takes, right. */
typedef struct create_case {
  qc_cursor_options options;
  qc_cursor_policy policy;
  qc_usage *usage;
  qc_cursor_group *group;
  test_store state;
  qc_store store;
} create_case;

static create_case right_case(qc_usage *usage, qc_cursor_group *group) {
  create_case right;
  memset(&right, 0, sizeof right);
  right.options = cursor_options_of();
  right.policy = policy_of();
  right.usage = usage;
  right.group = group;
  right.store = store_table(&right.state);
  return right;
}

static void expect_create(const create_case *given, qc_status want, const char *word) {
  qc_cursor *const untouched = (qc_cursor *)(uintptr_t)77;
  qc_cursor *cursor = untouched;
  const qc_status status =
      qc_cursor_create(&given->options, &given->policy, given->usage, given->group, &given->store, &cursor);
  if (status != want) { print_error("(create, broken: %s)\n", word); }
  assert_status(status, want);
  if (want == QC_OK) {
    assert_ok(qc_cursor_destroy(cursor));
  } else {
    assert_ptr_equal(cursor, untouched);
    assert_error_names(word);
  }
}

/* Sets one field of otherwise right arguments and expects that status. */
#define EXPECT_FIELD(part, field, number, want)              \
  do {                                                       \
    create_case broken = right_case(usage, group);           \
    broken.part.field = (number);                            \
    expect_create(&broken, (want), #field);                  \
  } while (0)

static void every_field_is_checked(qc_usage *usage, qc_cursor_group *group) {
  host_memory memory;
  EXPECT_FIELD(policy, high_percent, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, high_percent, 101, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, high_percent, 100, QC_OK);
  EXPECT_FIELD(policy, low_percent, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, low_percent, 71, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(policy, low_percent, 70, QC_OK);
  EXPECT_FIELD(policy, parent_cache_percent, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, parent_cache_percent, 1001, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, parent_page_percent, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, parent_page_percent, 1000, QC_OK);
  EXPECT_FIELD(policy, page_messages, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, page_messages, 65537, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, page_bytes, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, page_bytes, (UINT64_C(1) << 40) + 1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, min_page_messages, 201, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(policy, lazy_dispatch, 2, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(policy, use_cache, 255, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(policy, deliver_uncommitted, 2, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(policy, reserved, 1, QC_ERR_UNSUPPORTED);
  EXPECT_FIELD(policy, struct_size, 3, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(policy, struct_size, 8, QC_OK);
  EXPECT_FIELD(options, accounting, 2, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(options, accounting, QC_ACCOUNTING_HOST, QC_OK);
  EXPECT_FIELD(options, max_entries, (UINT32_C(1) << 26) + 1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(options, max_open_writes, (UINT32_C(1) << 20) + 1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(options, alloc, usage_options_with(0, &memory).alloc, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(options, free, usage_options_with(0, &memory).free, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(options, struct_size, 0, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(options, struct_size, 4, QC_OK);
  EXPECT_FIELD(options, struct_size, 4097, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(store, reserved, 1, QC_ERR_UNSUPPORTED);
  EXPECT_FIELD(store, fetch, NULL, QC_ERR_NULL_ARGUMENT);
  EXPECT_FIELD(store, discard, NULL, QC_OK);
  EXPECT_FIELD(store, struct_size, 2, QC_ERR_INVALID_ARGUMENT);
}

/* A newer caller's structs are longer: fine while they ask for nothing that this version does not know. */
static void newer_structs_of_zeros_are_taken(qc_usage *usage) {
  union {
    unsigned char bytes[256];
    qc_cursor_options options;
    qc_cursor_policy policy;
    qc_store store;
  } room;
  const create_case right = right_case(usage, NULL);
  qc_cursor *cursor = NULL;
  memset(&room, 0, sizeof room);
  room.options = right.options;
  room.options.struct_size = 256;
  assert_ok(qc_cursor_create(&room.options, &right.policy, usage, NULL, &right.store, &cursor));
  assert_ok(qc_cursor_destroy(cursor));
  room.bytes[255] = 1;
  assert_status(qc_cursor_create(&room.options, NULL, usage, NULL, &right.store, &cursor), QC_ERR_UNSUPPORTED);
  assert_error_names("options");
  memset(&room, 0, sizeof room);
  room.policy = right.policy;
  room.policy.struct_size = 256;
  room.bytes[sizeof room.policy] = 1;
  assert_status(qc_cursor_create(&right.options, &room.policy, usage, NULL, &right.store, &cursor), QC_ERR_UNSUPPORTED);
  assert_error_names("policy");
  memset(&room, 0, sizeof room);
  room.store = right.store;
  room.store.struct_size = 256;
  room.bytes[200] = 1;
  assert_status(qc_cursor_create(&right.options, NULL, usage, NULL, &room.store, &cursor), QC_ERR_UNSUPPORTED);
  assert_error_names("store");
}

void cursor_create_row(void **state) {
  test_queue queue;
  test_queue gone;
  create_case given;
  qc_cursor *cursor = NULL;
  qc_usage *usage;
  qc_cursor_group *group;
  (void)state;
  queue_open(&gone, NULL);
  queue_close(&gone);
  queue_open(&queue, NULL);
  usage = queue.usage;
  group = queue.group;
  given = right_case(usage, group);
  expect_create(&given, QC_OK, "");
  assert_status(qc_cursor_create(NULL, NULL, usage, NULL, &given.store, &cursor), QC_ERR_NULL_ARGUMENT);
  assert_error_names("options");
  assert_status(qc_cursor_create(&given.options, NULL, usage, NULL, NULL, &cursor), QC_ERR_NULL_ARGUMENT);
  assert_error_names("store");
  assert_status(qc_cursor_create(&given.options, NULL, usage, NULL, &given.store, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_cursor");
  assert_null(cursor);
  given.usage = NULL;
  expect_create(&given, QC_ERR_NULL_HANDLE, "usage");
  given.usage = (qc_usage *)(uintptr_t)4096;
  expect_create(&given, QC_ERR_FOREIGN_HANDLE, "usage");
  given.usage = (qc_usage *)group;
  expect_create(&given, QC_ERR_WRONG_PART, "usage");
  given.usage = gone.usage;
  expect_create(&given, QC_ERR_DESTROYED, "usage");
  given.usage = usage;
  given.group = (qc_cursor_group *)(uintptr_t)4096;
  expect_create(&given, QC_ERR_FOREIGN_HANDLE, "group");
  given.group = (qc_cursor_group *)queue.cursor;
  expect_create(&given, QC_ERR_WRONG_PART, "group");
  given.group = gone.group;
  expect_create(&given, QC_ERR_DESTROYED, "group");
  every_field_is_checked(usage, group);
  newer_structs_of_zeros_are_taken(usage);
  assert_int_equal(group_figures(group).members, 1);
  queue_close(&queue);
}

void cursor_group_create_row(void **state) {
  qc_usage *root = usage_root(100);
  qc_usage *gone = usage_root(100);
  qc_cursor_group *const untouched = (qc_cursor_group *)(uintptr_t)77;
  qc_cursor_group *group = untouched;
  qc_cursor_group_options options = group_options_of();
  host_memory memory;
  (void)state;
  (void)usage_end(gone);
  assert_status(qc_cursor_group_create(NULL, root, &group), QC_ERR_NULL_ARGUMENT);
  assert_error_names("options");
  assert_status(qc_cursor_group_create(&options, root, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_group");
  assert_status(qc_cursor_group_create(&options, NULL, &group), QC_ERR_NULL_HANDLE);
  assert_error_names("parent");
  assert_status(qc_cursor_group_create(&options, (qc_usage *)(uintptr_t)64, &group), QC_ERR_FOREIGN_HANDLE);
  assert_status(qc_cursor_group_create(&options, gone, &group), QC_ERR_DESTROYED);
  options.divides_limit = 2;
  assert_status(qc_cursor_group_create(&options, root, &group), QC_ERR_INVALID_ARGUMENT);
  assert_error_names("divides_limit");
  options = group_options_of();
  options.max_lent_bytes = LIMIT_MAX + 1;
  assert_status(qc_cursor_group_create(&options, root, &group), QC_ERR_OUT_OF_RANGE);
  assert_error_names("max_lent_bytes");
  options = group_options_of();
  options.alloc = usage_options_with(0, &memory).alloc;
  assert_status(qc_cursor_group_create(&options, root, &group), QC_ERR_INVALID_ARGUMENT);
  options = group_options_of();
  options.struct_size = 3;
  assert_status(qc_cursor_group_create(&options, root, &group), QC_ERR_INVALID_ARGUMENT);
  assert_ptr_equal(group, untouched);
  options.struct_size = 8;
  assert_ok(qc_cursor_group_create(&options, root, &group));
  assert_ok(qc_cursor_group_destroy(group));
  (void)usage_end(root);
}

void cursor_group_stats_row(void **state) {
  test_queue queue;
  group_stats_of stats;
  (void)state;
  queue_open(&queue, NULL);
  memset(&stats, 0xa5, sizeof stats);
  stats.struct_size = 16;
  assert_ok(qc_cursor_group_stats(queue.group, &stats));
  assert_int_equal(stats.struct_size, 16);
  assert_true(stats.members == 1 && stats.waiting == 0 && stats.lent_bytes == UINT64_C(0xa5a5a5a5a5a5a5a5));
  stats.struct_size = 7;
  assert_status(qc_cursor_group_stats(queue.group, &stats), QC_ERR_INVALID_ARGUMENT);
  assert_status(qc_cursor_group_stats(queue.group, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("inout_stats");
  stats.struct_size = 16;
  assert_status(qc_cursor_group_stats(NULL, &stats), QC_ERR_NULL_HANDLE);
  assert_status(qc_cursor_group_stats((qc_cursor_group *)&queue, &stats), QC_ERR_FOREIGN_HANDLE);
  assert_status(qc_cursor_group_stats((qc_cursor_group *)queue.usage, &stats), QC_ERR_WRONG_PART);
  queue_close(&queue);
  assert_status(qc_cursor_group_stats(queue.group, &stats), QC_ERR_DESTROYED);
}

void cursor_group_destroy_row(void **state) {
  test_queue queue;
  (void)state;
  assert_ok(qc_cursor_group_destroy(NULL));
  queue_open(&queue, NULL);
  assert_status(qc_cursor_group_destroy((qc_cursor_group *)&queue), QC_ERR_FOREIGN_HANDLE);
  assert_status(qc_cursor_group_destroy((qc_cursor_group *)queue.usage), QC_ERR_WRONG_PART);
  assert_int_equal(group_figures(queue.group).members, 1);
  queue_close(&queue);
  assert_status(qc_cursor_group_destroy(queue.group), QC_ERR_DESTROYED);
}
