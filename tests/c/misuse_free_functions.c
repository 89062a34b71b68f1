/* Use and misuse of the functions that take no history: version, texts, options, create. */

#include "misuse_rows.h"

#include <pthread.h>

void misuse_version(void **state) {
  char text[64];
  (void)state;
  (void)snprintf(text, sizeof text, "%d.%d.%d", QC_VERSION_MAJOR, QC_VERSION_MINOR, QC_VERSION_PATCH);
  assert_string_equal(qc_version_string(), text);
  assert_int_equal(qc_abi_version(), QC_VERSION_NUMBER);
  assert_int_equal(qc_abi_version() >> 16, QC_VERSION_MAJOR);
  assert_int_equal((qc_abi_version() >> 8) & 0xff, QC_VERSION_MINOR);
  assert_int_equal(qc_abi_version() & 0xff, QC_VERSION_PATCH);
}

void misuse_status_string(void **state) {
  const int32_t unknown[6] = {-1, 32, 1000, INT32_MAX, INT32_MIN, 0x10000};
  int32_t code;
  int n;
  (void)state;
  for (code = QC_OK; code <= QC_ERR_NOT_BEGUN; code++) {
    const char *text = qc_status_string(code);
    assert_non_null(text);
    assert_true(strlen(text) > 3);
    assert_ptr_equal(qc_status_string(code), text);
    assert_string_not_equal(text, qc_status_string(-1));
  }
  for (n = 0; n < 6; n++) { assert_string_equal(qc_status_string(unknown[n]), qc_status_string(-1)); }
}

static void *read_last_error(void *out) {
  char *text = QC_CAST(char *, out);
  (void)snprintf(text, 64, "%s", qc_last_error());
  return NULL;
}

void misuse_last_error(void **state) {
  pthread_t thread;
  char elsewhere[64] = "not run";
  char here[600];
  uint64_t len = 0;
  qc_history *history;
  (void)state;
  assert_status(qc_history_live_len(NULL, &len), QC_ERR_NULL_HANDLE);
  assert_true(strlen(qc_last_error()) > 0);
  assert_true(strlen(qc_last_error()) <= 511);
  (void)snprintf(here, sizeof here, "%s", qc_last_error());
  /* Each thread has its own, and one that never failed has none. */
  assert_int_equal(pthread_create(&thread, NULL, read_last_error, elsewhere), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_string_equal(elsewhere, "");
  /* A call that succeeds leaves it. */
  history = create_window(1);
  assert_int_equal(live_len(history), 0);
  assert_ok(qc_history_destroy(history));
  assert_string_equal(qc_last_error(), here);
}

void misuse_options_init(void **state) {
  union {
    unsigned char bytes[4096 + 64];
    qc_history_options options;
  } room;
  const size_t wrong[5] = {0, 1, 3, 4097, SIZE_MAX};
  size_t i;
  (void)state;
  assert_status(qc_history_options_init(NULL, sizeof(qc_history_options)), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_options");
  memset(&room, 0xa5, sizeof room);
  for (i = 0; i < 5; i++) {
    assert_status(qc_history_options_init(&room.options, wrong[i]), QC_ERR_INVALID_ARGUMENT);
    assert_error_names("struct_size");
  }
  assert_status(qc_history_options_init((qc_history_options *)((uintptr_t)&room.options + 1), 100),
                QC_ERR_INVALID_ARGUMENT);
  for (i = 0; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }

  /* An older caller: nothing beyond its own struct is written. */
  assert_ok(qc_history_options_init(&room.options, offsetof(qc_history_options, resolution_ns)));
  assert_int_equal(room.options.struct_size, offsetof(qc_history_options, resolution_ns));
  assert_true(room.options.window_ns == INT64_C(300000000000));
  for (i = offsetof(qc_history_options, resolution_ns); i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }

  /* A newer one: what this version does not know is zero. */
  assert_ok(qc_history_options_init(&room.options, 4096));
  for (i = sizeof(qc_history_options); i < 4096; i++) { assert_int_equal(room.bytes[i], 0); }
  for (i = 4096; i < sizeof room; i++) { assert_int_equal(room.bytes[i], 0xa5); }
  {
    qc_history *history = NULL;
    assert_ok(qc_history_create(&room.options, &history));
    assert_ok(qc_history_destroy(history));
  }

  assert_ok(qc_history_options_init(&room.options, sizeof room.options));
  assert_int_equal(room.options.struct_size, sizeof room.options);
  assert_int_equal(room.options.value_size, 0);
  assert_int_equal(room.options.resolution_ns, 1000);
  assert_true(room.options.max_clock_step_ns == INT64_C(3600000000000));
  assert_int_equal(room.options.max_history, 0);
  assert_int_equal(room.options.overflow, QC_OVERFLOW_REJECT);
  assert_int_equal(room.options.visibility, QC_VISIBLE_UNTIL_EXPIRY);
  assert_int_equal(room.options.gc_policy, QC_GC_STEADY);
  assert_int_equal(room.options.seed, 0);
  assert_true(room.options.alloc == NULL && room.options.free == NULL && room.options.hash == NULL);
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

static void expect_create(const qc_history_options *options, qc_status want, const char *word) {
  qc_history *const untouched = (qc_history *)(uintptr_t)77;
  qc_history *history = untouched;
  const qc_status status = qc_history_create(options, &history);
  if (status != want) { print_error("(create, broken: %s)\n", word); }
  assert_status(status, want);
  if (want == QC_OK) {
    assert_ok(qc_history_destroy(history));
  } else {
    assert_ptr_equal(history, untouched);
    assert_error_names(word);
  }
}

/* Sets one field of otherwise right options and expects that status. */
#define EXPECT_FIELD(field, number, want) \
  do {                                    \
    qc_history_options broken = options_of(10); \
    broken.field = (number);              \
    expect_create(&broken, (want), #field); \
  } while (0)

static void create_checks_every_field(void) {
  EXPECT_FIELD(value_size, 1024, QC_OK);
  EXPECT_FIELD(value_size, 1025, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(value_size, UINT32_MAX, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(window_ns, TIME_MAX_NS, QC_OK);
  EXPECT_FIELD(window_ns, TIME_MAX_NS + 1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(window_ns, INT64_MAX, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(window_ns, -1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(window_ns, INT64_MIN, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(resolution_ns, 0, QC_OK);
  EXPECT_FIELD(resolution_ns, -1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(resolution_ns, INT64_MIN, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(max_clock_step_ns, 0, QC_OK);
  EXPECT_FIELD(max_clock_step_ns, -1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(max_entries, ENTRIES_MAX, QC_OK);
  EXPECT_FIELD(max_entries, ENTRIES_MAX + 1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(max_entries, UINT64_MAX, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(overflow, 2, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(overflow, UINT32_MAX, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(visibility, 2, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(visibility, 1000, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(gc_policy, 3, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(gc_policy, UINT32_MAX, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(gc_step, UINT32_C(1) << 20, QC_OK);
  EXPECT_FIELD(gc_step, (UINT32_C(1) << 20) + 1, QC_ERR_OUT_OF_RANGE);
  EXPECT_FIELD(group, (qc_history_group *)(uintptr_t)4096, QC_ERR_FOREIGN_HANDLE);
  EXPECT_FIELD(alloc, some_alloc, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(free, some_free, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(struct_size, 0, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(struct_size, 3, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(struct_size, 4097, QC_ERR_INVALID_ARGUMENT);
  EXPECT_FIELD(struct_size, UINT32_MAX, QC_ERR_INVALID_ARGUMENT);
}

/* An older caller's struct ends early: what is missing takes its default, what lies beyond is not read. */
static void create_takes_an_older_struct(void) {
  qc_history_options options = options_of(10);
  qc_history *history;
  memset((unsigned char *)&options + offsetof(qc_history_options, resolution_ns), 0xff,
         sizeof options - offsetof(qc_history_options, resolution_ns));
  options.struct_size = QC_CAST(uint32_t, offsetof(qc_history_options, resolution_ns));
  history = create_of(&options);
  assert_int_equal(put(history, 1, 0, 0, NULL), QC_ADDED);
  assert_int_equal(erase_key(history, 1, 9), QC_ERASED_HISTORICAL); /* its window was taken */
  assert_int_equal(seen(history, 1, 10), QC_ABSENT);
  assert_ok(qc_history_destroy(history));
  options.struct_size = 4; /* not even a value size */
  history = create_of(&options);
  assert_ok(qc_history_destroy(history));
}

/* A newer caller's struct is longer: fine while it asks for nothing that this version does not know. */
static void create_takes_a_newer_struct_of_zeros(void) {
  union {
    unsigned char bytes[512];
    qc_history_options options;
  } room;
  memset(&room, 0, sizeof room);
  room.options = options_of(10);
  room.options.struct_size = 512;
  expect_create(&room.options, QC_OK, "");
  room.bytes[sizeof room.options] = 1;
  expect_create(&room.options, QC_ERR_UNSUPPORTED, "struct_size");
  room.bytes[sizeof room.options] = 0;
  room.bytes[511] = 0x80;
  expect_create(&room.options, QC_ERR_UNSUPPORTED, "struct_size");
  room.options.struct_size = 511; /* and the byte beyond is nobody's business */
  expect_create(&room.options, QC_OK, "");
}

void misuse_create(void **state) {
  qc_history_options options = options_of(10);
  qc_history *history = NULL;
  (void)state;
  expect_create(NULL, QC_ERR_NULL_ARGUMENT, "options");
  assert_status(qc_history_create(&options, NULL), QC_ERR_NULL_ARGUMENT);
  assert_error_names("out_history");
  assert_status(qc_history_create(&options, (qc_history **)((uintptr_t)&history + 1)), QC_ERR_INVALID_ARGUMENT);
  assert_null(history);
  create_checks_every_field();
  create_takes_an_older_struct();
  create_takes_a_newer_struct_of_zeros();
}
