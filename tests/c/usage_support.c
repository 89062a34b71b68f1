/* See usage_support.h. */

#include "usage_support.h"

qc_usage_options usage_options_of(uint64_t limit_bytes) {
  qc_usage_options options;
  assert_ok(qc_usage_options_init(&options, sizeof options));
  options.limit_bytes = limit_bytes;
  return options;
}

qc_usage_options usage_options_with(uint64_t limit_bytes, host_memory *memory) {
  qc_usage_options options = usage_options_of(limit_bytes);
  qc_history_options callbacks;
  host_attach(memory, &callbacks);
  options.alloc = callbacks.alloc;
  options.free = callbacks.free;
  options.alloc_ctx = callbacks.alloc_ctx;
  return options;
}

qc_usage *usage_root(uint64_t limit_bytes) {
  const qc_usage_options options = usage_options_of(limit_bytes);
  qc_usage *usage = NULL;
  assert_ok(qc_usage_create(&options, &usage));
  return usage;
}

qc_usage *usage_child(qc_usage *parent, uint64_t limit_bytes) {
  const qc_usage_options options = usage_options_of(limit_bytes);
  qc_usage *usage = NULL;
  assert_ok(qc_usage_create_child(parent, &options, &usage));
  return usage;
}

int64_t usage_end(qc_usage *usage) {
  int64_t residual = INT64_MIN;
  assert_ok(qc_usage_destroy(usage, &residual));
  return residual;
}

int64_t usage_of(qc_usage *usage) {
  int64_t bytes = INT64_MIN;
  int64_t exact = INT64_MAX;
  assert_ok(qc_usage_usage(usage, &bytes));
  assert_ok(qc_usage_usage_exact(usage, &exact));
  assert_true(bytes == exact); /* while nobody writes */
  return bytes;
}

int32_t percent_of(qc_usage *usage) {
  int32_t percent = INT32_MIN;
  assert_ok(qc_usage_percent(usage, &percent));
  return percent;
}

static int truth(uint8_t answer) {
  assert_true(answer <= 1);
  return answer;
}

int is_full(qc_usage *usage) {
  uint8_t full = 9;
  assert_ok(qc_usage_is_full(usage, &full));
  return truth(full);
}

int is_full_at(qc_usage *usage, int32_t percent) {
  uint8_t full = 9;
  assert_ok(qc_usage_is_full_at(usage, percent, &full));
  return truth(full);
}

int is_over_mark(qc_usage *usage) {
  uint8_t over = 9;
  assert_ok(qc_usage_is_over_mark(usage, &over));
  return truth(over);
}

int reserved(qc_usage *usage, uint64_t amount) {
  uint8_t admitted = 9;
  assert_ok(qc_usage_try_reserve(usage, amount, &admitted));
  return truth(admitted);
}

usage_stats_of usage_figures(qc_usage *usage) {
  usage_stats_of stats;
  memset(&stats, 0, sizeof stats);
  stats.struct_size = QC_CAST(uint32_t, sizeof stats);
  assert_ok(qc_usage_stats(usage, &stats));
  assert_int_equal(stats.struct_size, sizeof stats);
  return stats;
}
