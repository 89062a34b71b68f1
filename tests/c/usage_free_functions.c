/* Use and misuse of the functions that take no tracker: options, create, layout, holds; and of options for a child. */

#include "usage_misuse_rows.h"

void usage_options_init_row(void **state) {
  union {
    unsigned char bytes[4096 + 64];
    qc_usage_options options;
  } room;
  const size_t wrong[5] = {0, 1, 3, 4097, SIZE_MAX};
  const size_t older = offsetof(qc_usage_options, tag);
  size_t i;
  (void)state;
  assert_status(qc_usage_options_init(NULL, sizeof(qc_usage_options)), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_options");
  memset(&room, 0xa5, sizeof room);
  for (i = 0; i < 5; i++) {
    assert_status(qc_usage_options_init(&room.options, wrong[i]), QC_ERR_INVALID_ARGUMENT);
    assert_error_names("struct_size");
  }
  assert_status(qc_usage_options_init((qc_usage_options *)((uintptr_t)&room.options + 1), 100),
                QC_ERR_INVALID_ARGUMENT);
  for (i = 0; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }

  /* An older caller: nothing beyond its own struct is written. */
  assert_ok(qc_usage_options_init(&room.options, older));
  assert_int_equal(room.options.struct_size, older);
  for (i = older; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }

  /* A newer one: what this version does not know is zero. */
  assert_ok(qc_usage_options_init(&room.options, 4096));
  assert_int_equal(room.options.struct_size, 4096);
  for (i = sizeof(qc_usage_options); i < 4096; i++) { assert_int_equal(room.bytes[i], 0); }
  for (i = 4096; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }

  assert_ok(qc_usage_options_init(&room.options, sizeof room.options));
  assert_int_equal(room.options.struct_size, sizeof room.options);
  assert_int_equal(room.options.limit_bytes, 0);
  assert_int_equal(room.options.share_ppm, 0);
  assert_int_equal(room.options.tag, 0);
  assert_int_equal(room.options.min_delta_percent, 1);
  assert_int_equal(room.options.event_capacity, 64);
  assert_int_equal(room.options.max_stripes, 0);
  assert_true(room.options.alloc == NULL && room.options.free == NULL && room.options.release == NULL);
}

static void *some_alloc(void *ctx, size_t size, size_t align) {
  (void)ctx;
  (void)size;
  (void)align;
  return NULL;
}

static void some_free(void *ctx, void *ptr, size_t size, size_t align) {
  (void)ctx;
  (void)ptr;
  (void)size;
  (void)align;
}

static void some_release(void *ctx) { (void)ctx; }

/* As a root, or as a child of `parent`. */
static void expect_create(qc_usage *parent, const qc_usage_options *options, qc_status want, const char *word) {
  qc_usage *const untouched = (qc_usage *)(uintptr_t)77;
  qc_usage *usage = untouched;
  const qc_status status =
      parent == NULL ? qc_usage_create(options, &usage) : qc_usage_create_child(parent, options, &usage);
  if (status != want) { print_error("(create, broken: %s)\n", word); }
  assert_status(status, want);
  if (want == QC_OK) {
    assert_ok(qc_usage_destroy(usage, NULL));
  } else {
    assert_ptr_equal(usage, untouched);
    assert_error_names(word);
  }
}

/* Sets one field of otherwise right options and expects that status. */
#define EXPECT_FIELD(parent, field, number, want)       \
  do {                                                  \
    qc_usage_options broken = usage_options_of(0);      \
    broken.field = (number);                            \
    expect_create((parent), &broken, (want), #field);   \
  } while (0)

static void both_check_every_field(qc_usage *parent) {
  EXPECT_FIELD(parent, limit_bytes, LIMIT_MAX, QC_OK);
  EXPECT_FIELD(parent, limit_bytes, LIMIT_MAX + 1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(parent, limit_bytes, UINT64_MAX, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(parent, share_ppm, 1000001, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(parent, tag, UINT64_MAX, QC_OK);
  EXPECT_FIELD(parent, min_delta_percent, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(parent, min_delta_percent, UINT32_MAX, QC_OK);
  EXPECT_FIELD(parent, event_capacity, 0, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(parent, event_capacity, 65536, QC_OK);
  EXPECT_FIELD(parent, event_capacity, 65537, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(parent, reserved, 1, QC_ERR_UNSUPPORTED);
  EXPECT_FIELD(parent, alloc, some_alloc, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(parent, free, some_free, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(parent, release, some_release, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(parent, struct_size, 0, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(parent, struct_size, 3, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(parent, struct_size, 4097, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(parent, struct_size, UINT32_MAX, QC_ERR_INVALID_ARGUMENT);
}

/* An older caller's struct ends early: what is missing takes its default, what lies beyond is not read. */
static void create_takes_an_older_struct(void) {
  qc_usage_options options = usage_options_of(1000);
  qc_usage *usage = NULL;
  memset((unsigned char *)&options + offsetof(qc_usage_options, tag), 0xff,
         sizeof options - offsetof(qc_usage_options, tag));
  options.struct_size = QC_CAST(uint32_t, offsetof(qc_usage_options, tag));
  assert_ok(qc_usage_create(&options, &usage));
  assert_int_equal(usage_figures(usage).limit_bytes, 1000);
  assert_int_equal(usage_end(usage), 0);
  options.struct_size = 4; /* not even a limit */
  assert_ok(qc_usage_create(&options, &usage));
  assert_int_equal(usage_figures(usage).limit_bytes, 0);
  assert_int_equal(usage_end(usage), 0);
}

/* A newer caller's struct is longer: fine while it asks for nothing that this version does not know. */
static void create_takes_a_newer_struct_of_zeros(void) {
  union {
    unsigned char bytes[512];
    qc_usage_options options;
  } room;
  memset(&room, 0, sizeof room);
  room.options = usage_options_of(10);
  room.options.struct_size = 512;
  expect_create(NULL, &room.options, QC_OK, "");
  room.bytes[sizeof room.options] = 1;
  expect_create(NULL, &room.options, QC_ERR_UNSUPPORTED, "struct_size");
  room.bytes[sizeof room.options] = 0;
  room.bytes[511] = 0x80;
  expect_create(NULL, &room.options, QC_ERR_UNSUPPORTED, "struct_size");
}

void usage_create_row(void **state) {
  qc_usage_options options = usage_options_of(10);
  qc_usage *usage = NULL;
  qc_usage *parent = usage_root(100);
  (void)state;
  expect_create(NULL, NULL, QC_ERR_NULL_ARGUMENT, "options");
  assert_status(qc_usage_create(&options, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_usage");
  assert_status(qc_usage_create(&options, (qc_usage **)((uintptr_t)&usage + 1)), QC_ERR_INVALID_ARGUMENT);
  assert_null(usage);
  both_check_every_field(NULL);
  both_check_every_field(parent);
  create_takes_an_older_struct();
  create_takes_a_newer_struct_of_zeros();
  /* What is a root's alone, and a child's. */
  EXPECT_FIELD(NULL, share_ppm, 5, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(parent, share_ppm, 5, QC_OK);
  EXPECT_FIELD(NULL, max_stripes, 4, QC_OK);
  EXPECT_FIELD(parent, max_stripes, 4, QC_ERR_INVALID_ARGUMENT);
  options.share_ppm = 5;
  expect_create(parent, &options, QC_ERR_INVALID_ARGUMENT, "limit_bytes");
  assert_int_equal(usage_figures(parent).children, 0);
  assert_int_equal(usage_end(parent), 0);
}

/* The memory behind a tracker is what the layout says: the answers of the calls stand there. */
void usage_layout_row(void **state) {
  const struct qc_usage_layout *layout = qc_usage_layout();
  qc_usage *root = usage_root(100);
  qc_usage *child = usage_child(root, 0);
  const void *root_node = NULL;
  const void *node = NULL;
  const void *above = NULL;
  uint32_t full = 0;
  (void)state;
  assert_ptr_equal(qc_usage_layout(), layout);
  assert_int_equal(layout->struct_size, sizeof *layout);
  assert_int_equal(layout->version, 1);
  assert_true(layout->stripe_bytes >= 128); /* two lines: processors fetch them in pairs */
  assert_ok(qc_usage_node(root, &root_node));
  assert_ok(qc_usage_node(child, &node));
  memcpy(&above, QC_CAST(const unsigned char *, node) + layout->parent_offset, sizeof above);
  assert_ptr_equal(above, root_node);
  memcpy(&above, QC_CAST(const unsigned char *, root_node) + layout->parent_offset, sizeof above);
  assert_null(above);
  assert_ok(qc_usage_increase(child, 100));
  memcpy(&full, QC_CAST(const unsigned char *, root_node) + layout->state_offset, sizeof full);
  assert_true((full & layout->state_full_mask) != 0);
  assert_int_equal(usage_end(child), 100);
  memcpy(&full, QC_CAST(const unsigned char *, root_node) + layout->state_offset, sizeof full);
  assert_true((full & layout->state_full_mask) == 0);
  assert_int_equal(usage_end(root), 0);
}

/* A hold keeps the memory of a tracker that is destroyed, with stripes that are empty; and refuses what is no hold. */
void usage_hold_destroy_row(void **state) {
  const struct qc_usage_layout *layout = qc_usage_layout();
  host_memory memory;
  const qc_usage_options options = usage_options_with(1000000, &memory);
  qc_usage *root = NULL;
  qc_usage *child = NULL;
  qc_usage_hold *hold = NULL;
  const void *node = NULL;
  uint64_t word = 1;
  int i;
  (void)state;
  assert_ok(qc_usage_create(&options, &root));
  child = usage_child(root, 0);
  for (i = 0; i < 1000; i++) { /* until something is lent */
    assert_ok(qc_usage_increase(child, 10));
    assert_ok(qc_usage_decrease(child, 10));
  }
  assert_ok(qc_usage_increase(child, 10));
  assert_ok(qc_usage_keep_node(child, &hold, &node));
  memcpy(&word, QC_CAST(const unsigned char *, node) + layout->inline_word_offset, sizeof word);
  assert_true(word != 0);
  assert_status(qc_usage_destroy(QC_CAST(qc_usage *, QC_CAST(void *, hold)), NULL), QC_ERR_WRONG_PART);
  assert_int_equal(usage_end(child), 10);
  memcpy(&word, QC_CAST(const unsigned char *, node) + layout->inline_word_offset, sizeof word);
  assert_true(word == 0);
  assert_status(qc_usage_increase(child, 1), QC_ERR_DESTROYED);
  assert_int_equal(usage_figures(root).children, 1);

  assert_ok(qc_usage_hold_destroy(NULL));
  assert_status(qc_usage_hold_destroy(QC_CAST(qc_usage_hold *, QC_CAST(void *, root))), QC_ERR_WRONG_PART);
  assert_status(qc_usage_hold_destroy(QC_CAST(qc_usage_hold *, QC_CAST(void *, &memory))), QC_ERR_FOREIGN_HANDLE);
  assert_ok(qc_usage_hold_destroy(hold));
  assert_status(qc_usage_hold_destroy(hold), QC_ERR_DESTROYED);
  assert_int_equal(usage_figures(root).children, 0);
  assert_int_equal(usage_end(root), 0);
  assert_balanced(&memory);
}
