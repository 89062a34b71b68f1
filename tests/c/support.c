/* See support.h. */

#include "support.h"

void check_status(qc_status got, qc_status want, const char *call, const char *file, int line) {
  if (got != want) {
    print_error("%s: %d (%s; %s), wanted %d (%s)\n", call, QC_CAST(int, got), qc_status_string(got), qc_last_error(),
                QC_CAST(int, want), qc_status_string(want));
    _fail(file, line);
  }
}

void check_error_names(const char *word, const char *file, int line) {
  if (strstr(qc_last_error(), word) == NULL) {
    print_error("the last error \"%s\" does not name \"%s\"\n", qc_last_error(), word);
    _fail(file, line);
  }
}

qc_key key_of(uint64_t n) {
  qc_key key;
  memset(&key, 0, sizeof key);
  memcpy(key.bytes, &n, sizeof n);
  key.bytes[15] = 0x5a;
  return key;
}

qc_history_options options_of(int64_t window_ticks) {
  qc_history_options options;
  assert_ok(qc_history_options_init(&options, sizeof options));
  options.window_ns = window_ticks * TICK_NS;
  options.resolution_ns = TICK_NS;
  options.seed = 42;
  return options;
}

qc_history *create_of(const qc_history_options *options) {
  qc_history *history = NULL;
  assert_ok(qc_history_create(options, &history));
  assert_non_null(history);
  return history;
}

qc_history *create_window(int64_t window_ticks) {
  qc_history_options options = options_of(window_ticks);
  return create_of(&options);
}

qc_outcome put(qc_history *history, uint64_t key, int64_t at, int64_t now, qc_entry *entry) {
  const qc_key k = key_of(key);
  qc_insert_result result;
  assert_ok(qc_history_insert(history, &k, NULL, 0, at * TICK_NS, now * TICK_NS, &result));
  if (entry != NULL) { *entry = result.entry; }
  return QC_CAST(qc_outcome, result.outcome);
}

qc_outcome readmit(qc_history *history, uint64_t key, int64_t at, int64_t now, qc_entry *entry) {
  const qc_key k = key_of(key);
  qc_insert_result result;
  assert_ok(qc_history_readmit(history, &k, NULL, 0, at * TICK_NS, now * TICK_NS, &result));
  if (entry != NULL) { *entry = result.entry; }
  return QC_CAST(qc_outcome, result.outcome);
}

qc_presence seen(qc_history *history, uint64_t key, int64_t now) {
  const qc_key k = key_of(key);
  uint32_t presence = 99;
  assert_ok(qc_history_contains(history, &k, now * TICK_NS, &presence));
  return QC_CAST(qc_presence, presence);
}

qc_erased erase_entry(qc_history *history, qc_entry entry, int64_t now) {
  uint32_t erased = 99;
  assert_ok(qc_history_erase(history, entry, now * TICK_NS, &erased));
  return QC_CAST(qc_erased, erased);
}

qc_erased erase_key(qc_history *history, uint64_t key, int64_t now) {
  const qc_key k = key_of(key);
  uint32_t erased = 99;
  assert_ok(qc_history_erase_key(history, &k, now * TICK_NS, &erased));
  return QC_CAST(qc_erased, erased);
}

qc_entry found(qc_history *history, uint64_t key) {
  const qc_key k = key_of(key);
  qc_entry entry = 99;
  assert_ok(qc_history_find(history, &k, &entry));
  return entry;
}

uint64_t live_len(qc_history *history) {
  uint64_t len = 0;
  assert_ok(qc_history_live_len(history, &len));
  return len;
}

uint64_t history_len(qc_history *history) {
  uint64_t len = 0;
  assert_ok(qc_history_history_len(history, &len));
  return len;
}

void gc_expect(qc_history *history, int64_t now, uint64_t max, uint64_t collected, int more, const char *file,
               int line) {
  qc_gc_result result;
  check_status(qc_history_gc(history, now * TICK_NS, max, &result), QC_OK, "qc_history_gc", file, line);
  _assert_int_equal(result.collected, collected, file, line);
  _assert_int_equal(result.more, QC_CAST(uint32_t, more), file, line);
}

stats_of stats(qc_history *history) {
  stats_of counters;
  memset(&counters, 0, sizeof counters);
  counters.struct_size = QC_CAST(uint32_t, sizeof counters);
  assert_ok(qc_history_stats(history, &counters));
  return counters;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *at = QC_CAST(const unsigned char *, bytes);
  size_t i;
  for (i = 0; i < count; i++) { hash = (hash ^ at[i]) * UINT64_C(1099511628211); }
  return hash;
}

static uint64_t digest_with(qc_history *history, size_t value_size, const stats_of *counters) {
  uint64_t hash = mix(UINT64_C(14695981039346656037), counters, sizeof *counters);
  qc_entry entry = 0;
  assert_ok(qc_history_first(history, &entry));
  while (entry != 0) {
    qc_entry_info info;
    assert_ok(qc_history_entry_info(history, entry, &info));
    hash = mix(hash, &entry, sizeof entry);
    hash = mix(hash, info.key.bytes, sizeof info.key.bytes);
    hash = mix(hash, &info.inserted_at_ns, sizeof info.inserted_at_ns);
    if (value_size != 0) { hash = mix(hash, info.value, value_size); }
    assert_ok(qc_history_next(history, entry, &entry));
  }
  return hash;
}

uint64_t digest(qc_history *history, size_t value_size) {
  stats_of counters = stats(history);
  /* Asking and trying are no change: probes, and allocator calls that were refused or taken back. */
  counters.buckets_probed = 0;
  counters.bytes_peak = 0;
  counters.allocations -= counters.deallocations;
  counters.deallocations = 0;
  return digest_with(history, value_size, &counters);
}

uint64_t digest_of_entries(qc_history *history, size_t value_size) {
  const stats_of all = stats(history);
  stats_of counters;
  memset(&counters, 0, sizeof counters);
  counters.live_len = all.live_len;
  counters.history_len = all.history_len + all.collected_total;
  counters.evicted_early = all.evicted_early;
  counters.duplicates = all.duplicates;
  counters.readmitted = all.readmitted;
  counters.clock_regressions = all.clock_regressions;
  return digest_with(history, value_size, &counters);
}

typedef struct host_block {
  struct host_block *next;
  unsigned char *start; /* what malloc gave */
  unsigned char *given; /* what the library got */
  size_t size;
  size_t align;
} host_block;

static void *host_alloc(void *ctx, size_t size, size_t align) {
  host_memory *memory = QC_CAST(host_memory *, ctx);
  host_block *block;
  size_t over;
  memory->asked++;
  if (memory->on_alloc != NULL) { memory->on_alloc(memory->on_ctx); }
  if (memory->asked == memory->fail_at) { return NULL; }
  if (memory->fail_from != 0 && memory->asked >= memory->fail_from) { return NULL; }
  block = QC_CAST(host_block *, malloc(sizeof *block));
  if (block == NULL) { abort(); }
  block->start = QC_CAST(unsigned char *, malloc(size + align + 1));
  if (block->start == NULL) { abort(); }
  over = QC_CAST(size_t, (uintptr_t)block->start) & (align - 1);
  block->given = block->start + (over == 0 ? 0 : align - over);
  if (memory->asked == memory->misalign_at && align > 1) { block->given++; }
  block->size = size;
  block->align = align;
  block->next = memory->blocks;
  memory->blocks = block;
  memory->allocations++;
  memory->bytes += size;
  memset(block->given, 0xdb, size); /* fresh memory is not zero */
  return block->given;
}

static void host_free(void *ctx, void *given, size_t size, size_t align) {
  host_memory *memory = QC_CAST(host_memory *, ctx);
  host_block **link = &memory->blocks;
  host_block *block;
  if (memory->on_free != NULL) { memory->on_free(memory->on_ctx); }
  while (*link != NULL && (*link)->given != given) { link = &(*link)->next; }
  block = *link;
  if (block == NULL || block->size != size || block->align != align) {
    memory->wrong_frees++;
    return;
  }
  *link = block->next;
  memory->deallocations++;
  memory->bytes -= size;
  memset(given, 0xdd, size); /* a use after this is seen */
  free(block->start);
  free(block);
}

void host_attach(host_memory *memory, qc_history_options *options) {
  memset(memory, 0, sizeof *memory);
  options->alloc = host_alloc;
  options->free = host_free;
  options->alloc_ctx = memory;
}

void host_check_balanced(const host_memory *memory, const char *file, int line) {
  if (memory->wrong_frees != 0 || memory->allocations != memory->deallocations || memory->bytes != 0) {
    print_error("%llu blocks given, %llu back, %llu bytes out, %llu wrong ones back\n",
                QC_CAST(unsigned long long, memory->allocations), QC_CAST(unsigned long long, memory->deallocations),
                QC_CAST(unsigned long long, memory->bytes), QC_CAST(unsigned long long, memory->wrong_frees));
    _fail(file, line);
  }
}
