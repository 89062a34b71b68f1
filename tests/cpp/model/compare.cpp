// The comparing half of Driver: after each step the counts, now and then everything that can be seen.

#include <cstring>
#include <sstream>

#include "driver.hpp"

namespace model {

void Driver::expect(bool same, const std::string& what) const {
  if (same) { return; }
  std::ostringstream out;
  out << what << "\n  seed " << seed_ << ", step " << at_step_ << "\n  " << describe(shape_) << "\n  last steps:";
  for (const std::string& line : trail_) { out << "\n    " << line; }
  throw Disagreement(out.str());
}

void Driver::expect_equal(std::uint64_t library, std::uint64_t model, const char* what) const {
  if (library == model) { return; }
  expect(false, std::string(what) + ": the library says " + std::to_string(library) + ", the model " +
                    std::to_string(model));
}

void Driver::expect_status(qc_status library, qc_status model) const {
  if (library == model) { return; }
  expect(false, "status " + std::to_string(library) + " (" + qc_last_error() + ") from the library, " +
                    std::to_string(model) + " (" + qc_status_string(model) + ") from the model");
}

struct qc_history_stats Driver::stats() const {
  struct qc_history_stats stats {};
  stats.struct_size = static_cast<std::uint32_t>(sizeof stats);
  expect_status(qc_history_stats(history_, &stats), QC_OK);
  return stats;
}

void Driver::compare_counts() {
  const struct qc_history_stats now = stats();
  std::uint64_t live = 0;
  std::uint64_t historical = 0;
  expect_status(qc_history_live_len(history_, &live), QC_OK);
  expect_status(qc_history_history_len(history_, &historical), QC_OK);
  expect_equal(live, model_.live_len(), "live_len");
  expect_equal(now.live_len, model_.live_len(), "stats.live_len");
  expect_equal(historical, model_.history_len(), "history_len");
  expect_equal(now.history_len, model_.history_len(), "stats.history_len");
  while (now.tombstones > model_.tombstones() && model_.put_back()) {}
  expect_equal(now.tombstones, model_.tombstones(), "stats.tombstones");
  expect_equal(now.collected_total, model_.counters().collected, "stats.collected_total");
  expect_equal(now.evicted_early, model_.counters().evicted_early, "stats.evicted_early");
  expect_equal(now.duplicates, model_.counters().duplicates, "stats.duplicates");
  expect_equal(now.readmitted, model_.counters().readmitted, "stats.readmitted");
  expect_equal(now.clock_regressions, model_.counters().clock_regressions, "stats.clock_regressions");
}

void Driver::compare_put(const qc_insert_result& result, const NaiveHistory::Put& put) {
  expect_equal(result.outcome, put.outcome, "outcome");
  expect_equal(result.reserved, 0, "reserved");
  if (put.outcome == QC_DUPLICATE_HISTORY) {
    seen_.duplicate_history++;
    expect_equal(result.entry, 0, "entry of a historical key");
  } else if (put.outcome == QC_DUPLICATE_LIVE) {
    seen_.duplicate_live++;
    expect_equal(result.entry, entries_.at(put.id), "entry of a live key");
  } else {
    seen_.added++;
    expect(result.entry != 0, "an added entry is 0");
    entries_[put.id] = result.entry;
  }
}

/// The live order with keys, times and values.
void Driver::compare_order(bool forward) {
  const auto order = model_.live_order();
  qc_entry entry = 0;
  expect_status(forward ? qc_history_first(history_, &entry) : qc_history_last(history_, &entry), QC_OK);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const NaiveHistory::Live& live = *order[forward ? i : order.size() - 1 - i];
    const qc_key key = key_of(live.key);
    qc_entry_info info{};
    expect_equal(entry, entries_.at(live.id), "entry in the live order");
    expect_status(qc_history_entry_info(history_, entry, &info), QC_OK);
    expect(std::memcmp(info.key.bytes, key.bytes, sizeof key.bytes) == 0, "key in the live order");
    const std::int64_t tick = shape_.options.resolution_ns == 0 ? 1000 : shape_.options.resolution_ns;
    expect(info.inserted_at_ns == live.tick * tick, "insert time of key " + std::to_string(live.key) + ": " +
                                                        std::to_string(info.inserted_at_ns) + ", not " +
                                                        std::to_string(live.tick * tick));
    expect(live.value.empty() || std::memcmp(info.value, live.value.data(), live.value.size()) == 0,
           "value of key " + std::to_string(live.key));
    expect_status(forward ? qc_history_next(history_, entry, &entry) : qc_history_prev(history_, entry, &entry), QC_OK);
  }
  expect_equal(entry, 0, "the end of the live order");
}

void Driver::compare_all() {
  compare_order(true);
  compare_order(false);
  if (!model_.seen()) { return; }
  for (std::uint64_t n = 0; n < shape_.key_count; ++n) {
    const qc_key key = key_of(n);
    std::uint32_t presence = 99;
    expect_status(qc_history_contains(history_, &key, *model_.seen(), &presence), QC_OK);
    expect_equal(presence, model_.contains(n), ("presence of key " + std::to_string(n)).c_str());
  }
}

/// Makes both collect all that is due at this present, where the design leaves open how much they have.
/// `refused`: by a limit, which may or may not have told the library the time.
void Driver::collect_both(std::int64_t now, bool refused) {
  qc_gc_result result{};
  bool more = true;
  expect_status(qc_history_gc(history_, now, UINT64_MAX, &result), QC_OK);
  model_.tell_time(now);
  (void)model_.gc(UINT64_MAX, more);
  expect_equal(result.more, more ? 1 : 0, "more, after collecting all");
  if (refused && stats().clock_regressions == model_.counters().clock_regressions + 1) { model_.count_regression(); }
}

}  // namespace model
