// See naive_history.hpp.

#include "naive_history.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace model {
namespace {

constexpr std::int64_t time_max = std::int64_t{1} << 62;
/// How many records one erase looks at when it needs room in a full history.
constexpr int room_reach = 64;
constexpr std::uint64_t entries_max = 2147483647;

bool in_time(std::int64_t ns) { return ns >= -time_max && ns <= time_max; }

/// later - earlier, which may not fit into a signed number.
std::uint64_t distance(std::int64_t earlier, std::int64_t later) {
  return static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
}

}  // namespace

NaiveHistory::NaiveHistory(const qc_history_options& options)
    : resolution_(options.resolution_ns == 0 ? 1000 : options.resolution_ns),
      window_ticks_(static_cast<std::uint64_t>(options.window_ns / resolution_ +
                                               (options.window_ns % resolution_ != 0 ? 1 : 0))),
      max_clock_step_(options.max_clock_step_ns),
      max_entries_(options.max_entries == 0 ? entries_max : options.max_entries),
      max_history_(options.max_history),
      gc_step_(options.gc_step != 0 ? options.gc_step : options.gc_policy == QC_GC_ON_DEMAND ? 1000 : 4),
      evicts_(options.overflow == QC_OVERFLOW_EVICT_OLDEST),
      until_collected_(options.visibility == QC_VISIBLE_UNTIL_COLLECTED),
      policy_(static_cast<qc_gc_policy>(options.gc_policy)) {}

// ---- time ----

std::int64_t NaiveHistory::tick_of(std::int64_t ns) const {
  const std::int64_t down = ns / resolution_;
  return ns % resolution_ < 0 ? down - 1 : down;
}

qc_status NaiveHistory::check_now(std::int64_t now) const {
  if (!in_time(now)) { return QC_ERR_CLOCK; }
  if (max_clock_step_ != 0 && seen_ && now > *seen_ &&
      distance(*seen_, now) > static_cast<std::uint64_t>(max_clock_step_)) {
    return QC_ERR_CLOCK;
  }
  return QC_OK;
}

std::int64_t NaiveHistory::present(std::int64_t now) const { return seen_ ? std::max(now, *seen_) : now; }

void NaiveHistory::tell_time(std::int64_t now) {
  if (seen_ && now < *seen_) { counters_.clock_regressions++; }
  seen_ = present(now);
}

void NaiveHistory::clock_reset(std::int64_t now) { seen_ = now; }

bool NaiveHistory::expired(std::int64_t tick) const {
  const std::int64_t now = tick_of(*seen_);
  return now >= tick && distance(tick, now) >= window_ticks_;
}

// ---- collection ----

bool NaiveHistory::head_is_due() const {
  return !log_.empty() && (log_.front().kind == Kind::tombstone || expired(log_.front().tick));
}

bool NaiveHistory::step() {
  if (!head_is_due()) { return false; }
  const Record& head = log_.front();
  if (head.kind == Kind::historical) {
    historical_.erase(head.key);
    counters_.collected++;
  } else if (head.kind == Kind::live) {
    live_.at(head.key)->record.reset();
  }
  log_.pop_front();
  return true;
}

void NaiveHistory::collect(std::uint64_t steps) {
  for (; steps > 0 && step(); --steps) {}
}

void NaiveHistory::collect_for_put() {
  if (policy_ == QC_GC_STEADY || (policy_ == QC_GC_ON_DEMAND && wants_gc_)) {
    collect(gc_step_);
    wants_gc_ = wants_gc_ && head_is_due();
  }
}

std::uint64_t NaiveHistory::gc(std::uint64_t max, bool& more) {
  const std::uint64_t before = counters_.collected;
  collect(max);
  more = head_is_due();
  wants_gc_ = more;
  return counters_.collected - before;
}

void NaiveHistory::bury(Log::iterator record) {
  if (record->kind == Kind::historical) { historical_.erase(record->key); }
  record->kind = Kind::tombstone;
}

void NaiveHistory::drop(Log::iterator record) {
  bury(record);
  if (std::next(record) == log_.end()) {
    log_.pop_back();
    ++taken_back_;
  }
}

bool NaiveHistory::put_back() {
  if (taken_back_ == 0) { return false; }
  --taken_back_;
  log_.push_back({Kind::tombstone, 0, 0});
  return true;
}

bool NaiveHistory::make_room() {
  if (evicts_) { return evict_oldest(); }
  for (int reach = room_reach; reach > 0 && history_is_full() && step(); --reach) {}
  return !history_is_full();
}

bool NaiveHistory::evict_oldest() {
  for (int reach = room_reach; reach > 0 && !log_.empty(); --reach) {
    const Record head = log_.front();
    if (head.kind == Kind::live) { live_.at(head.key)->record.reset(); }
    log_.pop_front();
    if (head.kind == Kind::historical) {
      historical_.erase(head.key);
      ++(expired(head.tick) ? counters_.collected : counters_.evicted_early);
      return true;
    }
  }
  counters_.evicted_early++;
  return false;
}

// ---- in and out ----

bool NaiveHistory::visible(std::uint64_t key) const {
  const auto found = historical_.find(key);
  return found != historical_.end() && (until_collected_ || !expired(found->second->tick));
}

NaiveHistory::Put NaiveHistory::put(std::uint64_t key, Bytes value, std::int64_t at, bool readmits) {
  if (!in_time(at)) { return {QC_ERR_CLOCK, QC_ADDED, 0}; }
  if (at > *seen_) { return {QC_ERR_OUT_OF_RANGE, QC_ADDED, 0}; }
  collect_for_put();
  if (const Live* live = find(key); live != nullptr) {
    counters_.duplicates++;
    return {QC_OK, QC_DUPLICATE_LIVE, live->id};
  }
  const bool remembered = visible(key);
  if (remembered && !readmits) {
    counters_.duplicates++;
    return {QC_OK, QC_DUPLICATE_HISTORY, 0};
  }
  const auto old = historical_.find(key);
  const auto is_full = [this] { return live_len() + history_len() >= max_entries_; };
  if (old == historical_.end()) {
    // What is due makes room; nothing leaves early for this limit.
    for (int reach = room_reach; reach > 0 && is_full() && step(); --reach) {}
    if (is_full()) { return {QC_ERR_CAPACITY, QC_ADDED, 0}; }
  }
  const std::int64_t tick = tick_of(at);
  const auto entry = order_.insert(order_.end(), Entry{Live{next_id_++, key, tick, std::move(value)}, {}});
  // What can never be remembered has no record: without a window, or when it comes in past its window.
  if (window_ticks_ != 0 && !expired(tick)) { entry->record = log_.insert(log_.end(), Record{Kind::live, key, tick}); }
  live_[key] = entry;
  ids_[entry->live.id] = entry;
  counters_.readmitted += remembered ? 1U : 0U;
  if (old != historical_.end()) { drop(old->second); }
  if (remembered && policy_ == QC_GC_STEADY) { collect(1); }
  return {QC_OK, QC_ADDED, entry->live.id};
}

NaiveHistory::Order::iterator NaiveHistory::by_id(std::uint64_t id) { return ids_.at(id); }

qc_status NaiveHistory::erase(std::uint64_t id, qc_erased& erased) {
  if (policy_ == QC_GC_STEADY) { collect(1); }
  const auto entry = by_id(id);
  const std::uint64_t key = entry->live.key;
  erased = QC_ERASED_GONE;
  if (window_ticks_ != 0 && !expired(entry->live.tick)) {
    const bool room = !history_is_full() || make_room();
    if (!room && !evicts_) { return QC_ERR_CAPACITY; }
    erased = room ? QC_ERASED_HISTORICAL : QC_ERASED_GONE;
  }
  if (erased == QC_ERASED_HISTORICAL) {
    if (!entry->record) { entry->record = log_.insert(log_.end(), Record{Kind::live, key, entry->live.tick}); }
    (*entry->record)->kind = Kind::historical;
    historical_[key] = *entry->record;
  } else if (entry->record) {
    drop(*entry->record);
  }
  live_.erase(key);
  ids_.erase(id);
  order_.erase(entry);
  return QC_OK;
}

NaiveHistory::Fit NaiveHistory::purge_fits() const {
  if (max_history_ == 0 || evicts_) { return Fit::yes; }
  std::uint64_t needed = 0;
  for (const Entry& entry : order_) { needed += window_ticks_ != 0 && !expired(entry.live.tick) ? 1U : 0U; }
  if (needed == 0 || history_len() + needed <= max_history_) { return Fit::yes; }
  std::uint64_t due = 0;
  for (const auto& item : historical_) { due += expired(item.second->tick) ? 1U : 0U; }
  return history_len() - due + needed > max_history_ ? Fit::no : Fit::depends;
}

std::uint64_t NaiveHistory::erase_all_live() {
  std::uint64_t count = 0;
  while (!order_.empty()) {
    qc_erased erased;
    if (erase(order_.front().live.id, erased) != QC_OK) { break; }
    ++count;
  }
  return count;
}

void NaiveHistory::forget(std::uint64_t id) {
  const auto entry = by_id(id);
  if (entry->record) { drop(*entry->record); }
  live_.erase(entry->live.key);
  ids_.erase(id);
  order_.erase(entry);
}

bool NaiveHistory::forget_key(std::uint64_t key) {
  if (const Live* live = find(key); live != nullptr) {
    forget(live->id);
    return true;
  }
  if (!visible(key)) { return false; }
  drop(historical_.at(key));
  return true;
}

void NaiveHistory::clear() {
  log_.clear();
  order_.clear();
  live_.clear();
  ids_.clear();
  historical_.clear();
  wants_gc_ = false;
}

// ---- looking ----

qc_presence NaiveHistory::contains(std::uint64_t key) const {
  if (find(key) != nullptr) { return QC_LIVE; }
  return visible(key) ? QC_HISTORICAL : QC_ABSENT;
}

const NaiveHistory::Live* NaiveHistory::find(std::uint64_t key) const {
  const auto found = live_.find(key);
  return found == live_.end() ? nullptr : &found->second->live;
}

const NaiveHistory::Live* NaiveHistory::get(std::uint64_t id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? nullptr : &found->second->live;
}

std::vector<const NaiveHistory::Live*> NaiveHistory::live_order() const {
  std::vector<const Live*> all;
  for (const Entry& entry : order_) { all.push_back(&entry.live); }
  return all;
}

std::uint64_t NaiveHistory::tombstones() const {
  return static_cast<std::uint64_t>(
      std::count_if(log_.begin(), log_.end(), [](const Record& record) { return record.kind == Kind::tombstone; }));
}

}  // namespace model
