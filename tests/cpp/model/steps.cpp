// The acting half of Driver: each kind of step, done to both sides.

#include "driver.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace model {
namespace {

constexpr std::int64_t time_max = std::int64_t{1} << 62;

}  // namespace

Driver::Driver(std::uint64_t seed)
    : seed_(seed), chance_(seed), shape_(random_shape(chance_)), model_(shape_.options) {
  expect_status(qc_history_create(&shape_.options, &history_), QC_OK);
}

Driver::~Driver() { (void)qc_history_destroy(history_); }

void Driver::run(std::uint64_t steps) {
  for (at_step_ = 0; at_step_ < steps; ++at_step_) {
    model_.start_step();
    step();
    compare_counts();
    if (at_step_ % 97 == 96) { compare_all(); }
  }
  compare_all();
}

void Driver::step() {
  const bool batch = chance_.percent(shape_.batch_percent);
  const std::uint64_t kind = chance_.below(1000);
  if (kind < 400) { return batch ? do_put_batch(false) : do_put(false); }
  if (kind < 500) { return batch ? do_put_batch(true) : do_put(true); }
  if (kind < 780) { return batch ? do_erase_batch() : do_erase(kind < 600); }
  if (kind < 840) { return batch ? do_contains_batch() : do_contains(); }
  if (kind < 870) { return do_forget(kind < 855); }
  if (kind < 890) { return do_find(); }
  if (kind < 950) { return do_gc(); }
  if (kind < 965) { return do_write_value(); }
  if (kind < 980) { return do_stale(); }
  if (kind < 990) { return do_clock_reset(); }
  if (kind < 996) { return do_erase_all_live(); }
  if (kind < 998) { return do_clear(); }
}

// ---- choosing ----

void Driver::note(std::string text) {
  if (text.size() > 300) { text.replace(300, std::string::npos, " ..."); }  // the seed tells the rest
  trail_.push_back(std::to_string(at_step_) + ": " + std::move(text));
  if (trail_.size() > 25) { trail_.pop_front(); }
}

std::int64_t Driver::now() { return random_now(chance_, shape_, model_.seen().value_or(shape_.start_ns)); }

qc_status Driver::check_at(std::int64_t at, std::int64_t now) const {
  if (at < -time_max || at > time_max) { return QC_ERR_CLOCK; }
  return at > model_.present(now) ? QC_ERR_OUT_OF_RANGE : QC_OK;
}

Bytes Driver::some_value() {
  Bytes value(shape_.options.value_size);
  const auto byte = static_cast<unsigned char>(chance_.below(256));
  std::fill(value.begin(), value.end(), byte);
  if (!value.empty()) { value.back() = static_cast<unsigned char>(byte + 1); }
  return value;
}

const NaiveHistory::Live* Driver::some_live() {
  const auto order = model_.live_order();
  if (order.empty()) { return nullptr; }
  // Mostly from the old end, as acknowledgements come.
  return order[chance_.below(chance_.percent(70) ? std::min<std::size_t>(order.size(), 4) : order.size())];
}

/// The entry of a live id is gone.
void Driver::left(std::uint64_t id) {
  stale_.push_back(entries_.at(id));
  if (stale_.size() > 64) { stale_.erase(stale_.begin()); }
  entries_.erase(id);
}

// ---- in ----

void Driver::do_put(bool readmits) {
  const std::uint64_t number = some_key();
  const qc_key key = key_of(number);
  const std::int64_t at_now = now();
  const std::int64_t at = random_at(chance_, shape_, model_.present(at_now));
  const bool zeros = chance_.percent(10);
  const Bytes value = zeros ? Bytes(shape_.options.value_size) : some_value();
  note(std::string(readmits ? "readmit " : "insert ") + std::to_string(number) + " at " + std::to_string(at) +
       " now " + std::to_string(at_now));

  qc_insert_result result{77, 77, 77};
  const auto call = readmits ? &qc_history_readmit : &qc_history_insert;
  const qc_status status =
      call(history_, &key, zeros ? nullptr : value.data(), zeros ? 0 : value.size(), at, at_now, &result);

  qc_status wanted = model_.check_now(at_now);
  if (wanted == QC_OK) { wanted = check_at(at, at_now); }
  if (wanted == QC_OK) {
    const NaiveHistory::Time before = model_.time();
    const std::int64_t present = model_.present(at_now);
    model_.tell_time(at_now);
    const NaiveHistory::Put put = model_.put(number, value, at, readmits);
    expect_status(status, put.status);
    if (put.status == QC_OK) { return compare_put(result, put); }
    model_.untell_time(before);
    collect_both(present, true);
  } else {
    expect_status(status, wanted);
  }
  seen_.refused++;
  expect(result.entry == 77 && result.outcome == 77 && result.reserved == 77, "a refused insert wrote its result");
}

void Driver::do_put_batch(bool readmits) {
  const std::size_t count = 1 + chance_.below(chance_.percent(80) ? 10 : 150);
  const std::int64_t at_now = now();
  const bool untimed = chance_.percent(20);
  const bool zeros = chance_.percent(10);
  const std::int64_t present = model_.present(at_now);
  std::vector<std::uint64_t> numbers(count);
  std::vector<qc_key> keys(count);
  std::vector<Bytes> values(count);
  Bytes flat;
  std::vector<std::int64_t> ats(count, present);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = some_key();
    keys[i] = key_of(numbers[i]);
    values[i] = zeros ? Bytes(shape_.options.value_size) : some_value();
    flat.insert(flat.end(), values[i].begin(), values[i].end());
    // Late ones are rare here, so that batches get anywhere.
    if (!untimed) { ats[i] = chance_.percent(90) ? present : random_at(chance_, shape_, present); }
  }
  std::ostringstream text;
  text << (readmits ? "readmit_batch" : "insert_batch") << (untimed ? " untimed" : "") << " now " << at_now;
  for (std::size_t i = 0; i < count; ++i) { text << " " << numbers[i] << "@" << ats[i]; }
  note(text.str());

  std::vector<qc_insert_result> results(count, {77, 77, 77});
  std::size_t done = 77;
  const auto call = readmits ? &qc_history_readmit_batch : &qc_history_insert_batch;
  const qc_status status = call(history_, keys.data(), zeros ? nullptr : flat.data(),
                                untimed ? nullptr : ats.data(), count, at_now, results.data(), &done);
  qc_status wanted = model_.check_now(at_now);
  std::size_t wanted_done = 0;
  if (wanted == QC_OK) {
    const NaiveHistory::Time before = model_.time();
    model_.tell_time(at_now);
    while (wanted == QC_OK && wanted_done < count) {
      const NaiveHistory::Put put = model_.put(numbers[wanted_done], values[wanted_done], ats[wanted_done], readmits);
      wanted = put.status;
      if (wanted == QC_OK) { compare_put(results[wanted_done++], put); }
    }
    if (wanted_done == 0) { model_.untell_time(before); }
    expect_status(status, wanted);
    if (wanted == QC_ERR_CAPACITY) { collect_both(present, wanted_done == 0); }
  }
  expect_status(status, wanted);
  expect_equal(done, wanted_done, "done");
  for (std::size_t i = wanted_done; i < count; ++i) { expect(results[i].entry == 77, "a result beyond done"); }
  if (wanted != QC_OK) { seen_.refused++; }
}

// ---- out ----

void Driver::do_erase(bool by_key) {
  const NaiveHistory::Live* live = some_live();
  if (live == nullptr) { return; }
  const std::uint64_t id = live->id;
  const qc_key key = key_of(live->key);
  const std::int64_t at_now = now();
  note(std::string(by_key ? "erase_key " : "erase ") + std::to_string(live->key) + " now " + std::to_string(at_now));

  std::uint32_t erased = 77;
  const bool full = model_.history_is_full();
  const std::uint64_t evicted = model_.counters().evicted_early;
  const qc_status status = by_key ? qc_history_erase_key(history_, &key, at_now, &erased)
                                  : qc_history_erase(history_, entries_.at(id), at_now, &erased);
  qc_status wanted = model_.check_now(at_now);
  if (wanted == QC_OK) {
    const NaiveHistory::Time before = model_.time();
    const std::int64_t present = model_.present(at_now);
    qc_erased wanted_erased;
    model_.tell_time(at_now);
    wanted = model_.erase(id, wanted_erased);
    expect_status(status, wanted);
    if (wanted == QC_OK) {
      expect_equal(erased, wanted_erased, "erased");
      (wanted_erased == QC_ERASED_GONE ? seen_.gone : seen_.historical)++;
      left(id);
    } else {
      model_.untell_time(before);
    }
    // How many steps the search for room takes is the library's own affair.
    if (full) { collect_both(present, wanted != QC_OK); }
    seen_.evicted += model_.counters().evicted_early - evicted;
  }
  expect_status(status, wanted);
  if (wanted != QC_OK) {
    seen_.refused++;
    expect_equal(erased, 77, "a refused erase wrote its answer");
  }
}

void Driver::do_erase_batch() {
  auto order = model_.live_order();
  if (order.empty()) { return; }
  const std::size_t count = 1 + chance_.below(std::min<std::size_t>(order.size(), chance_.percent(80) ? 8 : 150));
  std::vector<std::uint64_t> ids;
  std::vector<qc_entry> entries;
  std::ostringstream text;
  for (std::size_t i = 0; i < count; ++i) {
    const NaiveHistory::Live* live = chance_.percent(90) ? order[i] : order[chance_.below(order.size())];
    ids.push_back(live->id);  // the same one may come twice
    entries.push_back(entries_.at(live->id));
    text << " " << live->key;
  }
  if (!stale_.empty() && chance_.percent(5)) {
    const std::size_t where = chance_.below(count);
    ids[where] = 0;
    entries[where] = stale_[chance_.below(stale_.size())];
  }
  const std::int64_t at_now = now();
  note("erase_batch now " + std::to_string(at_now) + text.str());

  std::vector<std::uint32_t> erased(count, 77);
  std::size_t done = 77;
  bool full = model_.history_is_full();
  const qc_status status = qc_history_erase_batch(history_, entries.data(), count, at_now, erased.data(), &done);
  qc_status wanted = model_.check_now(at_now);
  std::size_t wanted_done = 0;
  if (wanted == QC_OK) {
    const NaiveHistory::Time before = model_.time();
    const std::int64_t present = model_.present(at_now);
    model_.tell_time(at_now);
    while (wanted == QC_OK && wanted_done < count) {
      qc_erased answer;
      full = full || model_.history_is_full();
      if (model_.get(ids[wanted_done]) == nullptr) {
        wanted = QC_ERR_STALE_HANDLE;
      } else {
        wanted = model_.erase(ids[wanted_done], answer);
      }
      if (wanted != QC_OK) { break; }
      expect_equal(erased[wanted_done], answer, "erased");
      left(ids[wanted_done++]);
    }
    if (wanted_done == 0) { model_.untell_time(before); }
    expect_status(status, wanted);
    if (full) { collect_both(present, wanted != QC_OK && wanted_done == 0); }
  }
  expect_status(status, wanted);
  expect_equal(done, wanted_done, "done");
  for (std::size_t i = wanted_done; i < count; ++i) { expect_equal(erased[i], 77, "an answer beyond done"); }
  if (wanted != QC_OK) { seen_.refused++; }
}

void Driver::do_erase_all_live() {
  const std::int64_t at_now = now();
  note("erase_all_live now " + std::to_string(at_now));
  std::uint64_t count = 77;
  const qc_status status = qc_history_erase_all_live(history_, at_now, &count);
  const qc_status wanted = model_.check_now(at_now);
  if (wanted != QC_OK) { return expect_status(status, wanted); }
  const NaiveHistory::Time before = model_.time();
  const std::int64_t present = model_.present(at_now);
  model_.tell_time(at_now);
  const NaiveHistory::Fit fit = model_.purge_fits();
  if (status == QC_ERR_CAPACITY && fit != NaiveHistory::Fit::yes) {
    model_.untell_time(before);
    expect_equal(count, 77, "a refused purge wrote its count");
    seen_.refused++;
  } else {
    expect_status(status, fit == NaiveHistory::Fit::no ? QC_ERR_CAPACITY : QC_OK);
    for (const NaiveHistory::Live* live : model_.live_order()) { left(live->id); }
    expect_equal(count, model_.erase_all_live(), "how many were erased");
    expect_equal(0, model_.live_len(), "what the model could not purge");
  }
  collect_both(present, status != QC_OK);
}

void Driver::do_forget(bool by_key) {
  if (by_key) {
    const std::uint64_t number = some_key();
    const qc_key key = key_of(number);
    const NaiveHistory::Live* live = model_.find(number);
    const std::uint64_t id = live == nullptr ? 0 : live->id;
    note("forget_key " + std::to_string(number));
    const qc_status status = qc_history_forget_key(history_, &key);
    expect_status(status, model_.forget_key(number) ? QC_OK : QC_ERR_NOT_FOUND);
    if (id != 0) { left(id); }
    return;
  }
  const NaiveHistory::Live* live = some_live();
  if (live == nullptr) { return; }
  const std::uint64_t id = live->id;
  note("forget " + std::to_string(live->key));
  expect_status(qc_history_forget(history_, entries_.at(id)), QC_OK);
  model_.forget(id);
  left(id);
}

// ---- looking ----

void Driver::do_contains() {
  const std::uint64_t number = some_key();
  const qc_key key = key_of(number);
  const std::int64_t at_now = now();
  note("contains " + std::to_string(number) + " now " + std::to_string(at_now));
  std::uint32_t presence = 77;
  const qc_status status = qc_history_contains(history_, &key, at_now, &presence);
  const qc_status wanted = model_.check_now(at_now);
  expect_status(status, wanted);
  if (wanted != QC_OK) { return expect_equal(presence, 77, "a refused contains wrote its answer"); }
  model_.tell_time(at_now);
  expect_equal(presence, model_.contains(number), "presence");
}

void Driver::do_contains_batch() {
  const std::size_t count = 1 + chance_.below(100);
  const std::int64_t at_now = now();
  std::vector<std::uint64_t> numbers(count);
  std::vector<qc_key> keys(count);
  for (std::size_t i = 0; i < count; ++i) { keys[i] = key_of(numbers[i] = some_key()); }
  note("contains_batch of " + std::to_string(count) + " now " + std::to_string(at_now));
  std::vector<std::uint32_t> presences(count, 77);
  const qc_status status = qc_history_contains_batch(history_, keys.data(), count, at_now, presences.data());
  const qc_status wanted = model_.check_now(at_now);
  expect_status(status, wanted);
  if (wanted == QC_OK) { model_.tell_time(at_now); }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t presence = wanted == QC_OK ? model_.contains(numbers[i]) : 77U;
    expect_equal(presences[i], presence, "presence in a batch");
  }
}

void Driver::do_find() {
  const std::uint64_t number = some_key();
  const qc_key key = key_of(number);
  note("find " + std::to_string(number));
  qc_entry entry = 77;
  expect_status(qc_history_find(history_, &key, &entry), QC_OK);
  const NaiveHistory::Live* live = model_.find(number);
  expect_equal(entry, live == nullptr ? 0 : entries_.at(live->id), "found entry");
}

void Driver::do_write_value() {
  const NaiveHistory::Live* live = some_live();
  if (live == nullptr || shape_.options.value_size == 0) { return; }
  void* address = nullptr;
  note("write value of " + std::to_string(live->key));
  expect_status(qc_history_value(history_, entries_.at(live->id), &address), QC_OK);
  expect(std::memcmp(address, live->value.data(), live->value.size()) == 0, "value");
  const Bytes value = some_value();
  std::memcpy(address, value.data(), value.size());
  const_cast<NaiveHistory::Live*>(live)->value = value;
}

void Driver::do_stale() {
  if (stale_.empty()) { return; }
  const qc_entry entry = stale_[chance_.below(stale_.size())];
  note("stale entry");
  qc_entry other = 77;
  qc_entry_info info;
  expect_status(qc_history_forget(history_, entry), QC_ERR_STALE_HANDLE);
  expect_status(qc_history_next(history_, entry, &other), QC_ERR_STALE_HANDLE);
  expect_status(qc_history_entry_info(history_, entry, &info), QC_ERR_STALE_HANDLE);
  expect_equal(other, 77, "a refused next wrote its answer");
}

// ---- everything at once ----

void Driver::do_gc() {
  const std::int64_t at_now = now();
  const std::uint64_t max = chance_.one_of<std::uint64_t>({0, 1, 3, 20, 20, 1000, UINT64_MAX});
  note("gc now " + std::to_string(at_now) + " max " + std::to_string(max));
  qc_gc_result result{77, 77, 77};
  const qc_status status = qc_history_gc(history_, at_now, max, &result);
  const qc_status wanted = model_.check_now(at_now);
  expect_status(status, wanted);
  if (wanted != QC_OK) { return expect(result.collected == 77 && result.more == 77, "a refused gc wrote its result"); }
  model_.tell_time(at_now);
  bool more = false;
  const std::uint64_t collected = model_.gc(max, more);
  expect_equal(result.collected, collected, "collected");
  expect_equal(result.more, more ? 1 : 0, "more");
  seen_.collected += collected;
}

void Driver::do_clear() {
  note("clear");
  expect_status(qc_history_clear(history_), QC_OK);
  for (const NaiveHistory::Live* live : model_.live_order()) { left(live->id); }
  model_.clear();
}

void Driver::do_clock_reset() {
  const std::int64_t seen = model_.seen().value_or(shape_.start_ns);
  const std::int64_t to = chance_.percent(10) ? shape_.start_ns : now();
  note("clock_reset from " + std::to_string(seen) + " to " + std::to_string(to));
  const qc_status wanted = to < -time_max || to > time_max ? QC_ERR_CLOCK : QC_OK;
  expect_status(qc_history_clock_reset(history_, to), wanted);
  if (wanted == QC_OK) { model_.clock_reset(to); }
}

}  // namespace model
