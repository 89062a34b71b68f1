// History<V>: an insertion-ordered map of live messages and the memory of those that are gone.

#ifndef QUEUECORE_HISTORY_HPP
#define QUEUECORE_HISTORY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <type_traits>
#include <utility>

#include "live.hpp"
#include "options.hpp"
#include "session.hpp"
#include "transfer.hpp"

namespace queuecore {

/// Owns one history of the library, with an object of V for each live entry.
///
/// V: trivially copyable types up to 1024 bytes, aligned to at most 16, are stored inside the library.
/// Any other movable type lives in a pool of this object. Both stay at one address from insert until the
/// entry is erased or forgotten, or the history cleared or destroyed; there a V is destroyed.
///
/// Times are the caller's monotonic clock, as int64 ns or std::chrono; negative ones are fine.
///
/// Errors: `x()` throws Error, `try_x()` is noexcept and returns a Result with the same status. A call that
/// failed has changed nothing, except that a batch has done its first elements, erase_all_live may have, and
/// an insert or erase that ends without memory or room (QC_ERR_NO_MEMORY, QC_ERR_CAPACITY) has told the
/// history the time and may have collected expired entries to make room. Every call may answer
/// QC_ERR_NULL_HANDLE (moved-from), QC_ERR_BUSY, QC_ERR_REENTRANT, QC_ERR_POISONED and QC_ERR_PANIC; further
/// ones stand at the call. Exceptions from the caller's own code (allocator, hash functor, a copy or
/// move of V) pass through `x()` as they are; in a Result they are QC_ERR_CALLBACK, or QC_ERR_NO_MEMORY
/// for std::bad_alloc, and kept in exception().
///
/// Threads: one at a time, for const calls and iterators too; handing over with synchronisation is fine.
/// Calls that overlap are detected (QC_ERR_BUSY), and so are calls from inside a call: from its callbacks, or
/// from V's own constructors and destructor when V is pooled (QC_ERR_REENTRANT). Not detected are a move or
/// destruction under a running call, and the use of an object while another thread ends it.
/// Complexity: O(1) a call, or a batch element, unless it says otherwise.
template <class V>
class History : public detail::Transfer<V, History<V>> {
  friend class detail::Transfer<V, History<V>>;
  static_assert(std::is_object_v<V> && std::is_same_v<V, std::remove_cv_t<V>>, "V is an object type without const");
  static_assert(std::is_nothrow_destructible_v<V> && std::is_move_constructible_v<V>, "V can be moved and destroyed");
  using Values = detail::ValuesOf<V>;
  using BatchValues = Span<detail::BatchValue<V>>;
  static constexpr bool pooled = detail::is_pooled<V>;
  template <class U>
  using IfMakesV = std::enable_if_t<std::is_constructible_v<V, U&&>>;

 public:
  using iterator = LiveIterator<V>;
  using const_iterator = LiveIterator<const V>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using value_type = Item<V>;

  /// Creates an empty history. QC_ERR_OUT_OF_RANGE, QC_ERR_INVALID_ARGUMENT, QC_ERR_NO_MEMORY.
  explicit History(const HistoryOptions& options = HistoryOptions()) : History(Unopened(), options) {
    Result<void>(open(options)).value();
  }

  /// The same, as a Result.
  [[nodiscard]] static Result<History> create(const HistoryOptions& options) noexcept {
    try {
      History history(Unopened(), options);
      if (Failure failure = history.open(options); failure.failed()) { return failure; }
      return history;
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }

  /// Moving hands everything over, in O(1): entries, addresses and iterators stay good. What was moved
  /// from is empty: it can be assigned to, destroyed and asked for valid(); calls answer QC_ERR_NULL_HANDLE.
  History(History&& other) noexcept = default;
  History& operator=(History&& other) noexcept {
    History incoming(std::move(other));
    swap(*this, incoming);
    return *this;
  }
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  /// Destroys every object and gives all memory back. O(entries) at most. Not from one of this history's
  /// own callbacks, and not while another thread is in a call on it.
  ~History() = default;

  friend void swap(History& a, History& b) noexcept {
    std::swap(a.session_, b.session_);
    std::swap(a.values_, b.values_);
  }

  /// Whether this owns a history; false once moved from.
  [[nodiscard]] bool valid() const noexcept { return handle() != nullptr; }

  /// The handle of the C library, still owned by this object. Do not change value slots or remove
  /// entries through it when V is pooled.
  [[nodiscard]] ::qc_history* native_handle() const noexcept { return handle(); }

  // ---- one message ----

  /// Adds `key` unless it is live or remembered. The value is taken only when the key was added, except
  /// that a V whose construction from `value` can throw is made beforehand. `inserted_at` may not
  /// be later than `now`. QC_ERR_OUT_OF_RANGE, QC_ERR_CLOCK, QC_ERR_CAPACITY, QC_ERR_NO_MEMORY.
  template <class U = V, class = IfMakesV<U>>
  [[nodiscard]] Result<Inserted> try_insert(const Key& key, U&& value, Nanos inserted_at, Nanos now) noexcept {
    return put(&::qc_history_insert, key, std::forward<U>(value), inserted_at, now);
  }
  template <class U = V, class = IfMakesV<U>>
  Inserted insert(const Key& key, U&& value, Nanos inserted_at, Nanos now) {
    return try_insert(key, std::forward<U>(value), inserted_at, now).value();
  }

  /// As insert, but a remembered key becomes live again, newest in the live order: for a replica, a proxy
  /// or a recovery.
  template <class U = V, class = IfMakesV<U>>
  [[nodiscard]] Result<Inserted> try_readmit(const Key& key, U&& value, Nanos inserted_at, Nanos now) noexcept {
    return put(&::qc_history_readmit, key, std::forward<U>(value), inserted_at, now);
  }
  template <class U = V, class = IfMakesV<U>>
  Inserted readmit(const Key& key, U&& value, Nanos inserted_at, Nanos now) {
    return try_readmit(key, std::forward<U>(value), inserted_at, now).value();
  }

  /// Ends a live entry: its object is destroyed, its key stays known until its window has passed.
  /// QC_ERR_STALE_HANDLE, QC_ERR_CLOCK; QC_ERR_CAPACITY at max_history, with Overflow::reject.
  [[nodiscard]] Result<Erased> try_erase(Entry entry, Nanos now) noexcept {
    std::uint32_t erased = 0;
    Failure failure = end_entry(entry, [&] { return ::qc_history_erase(handle(), entry, now.count(), &erased); });
    return answer(std::move(failure), static_cast<Erased>(erased));
  }
  Erased erase(Entry entry, Nanos now) { return try_erase(entry, now).value(); }

  /// The same for a walk over the live order: returns the next position.
  iterator erase(iterator position, Nanos now) {
    iterator next = std::next(position);
    erase(position.entry(), now);
    return next;
  }

  /// The same by key. QC_ERR_NOT_FOUND when it is not live.
  [[nodiscard]] Result<Erased> try_erase_key(const Key& key, Nanos now) noexcept {
    std::uint32_t erased = 0;
    Failure failure = end_key(key, [&] { return ::qc_history_erase_key(handle(), &key, now.count(), &erased); });
    return answer(std::move(failure), static_cast<Erased>(erased));
  }
  Erased erase_key(const Key& key, Nanos now) { return try_erase_key(key, now).value(); }

  /// Undoes an insert: the entry leaves and nothing is remembered, so the key can be added again.
  /// QC_ERR_STALE_HANDLE.
  [[nodiscard]] Result<void> try_forget(Entry entry) noexcept {
    return end_entry(entry, [&] { return ::qc_history_forget(handle(), entry); });
  }
  void forget(Entry entry) { try_forget(entry).value(); }

  /// The same by key, live or remembered. QC_ERR_NOT_FOUND.
  [[nodiscard]] Result<void> try_forget_key(const Key& key) noexcept {
    return end_key(key, [&] { return ::qc_history_forget_key(handle(), &key); });
  }
  void forget_key(const Key& key) { try_forget_key(key).value(); }

  // ---- looking ----

  /// The live entry of `key`; 0 when there is none.
  [[nodiscard]] Result<Entry> try_find(const Key& key) const noexcept {
    return session_.ask<Entry>(&key, [&](Entry* out) { return ::qc_history_find(handle(), &key, out); });
  }
  [[nodiscard]] Entry find(const Key& key) const { return try_find(key).value(); }

  /// Whether `key` is live, remembered, or neither, at `now`. QC_ERR_CLOCK.
  [[nodiscard]] Result<Presence> try_contains(const Key& key, Nanos now) noexcept {
    const auto found = session_.ask<std::uint32_t>(
        &key, [&](std::uint32_t* out) { return ::qc_history_contains(handle(), &key, now.count(), out); });
    if (!found) { return found.failure(); }
    return static_cast<Presence>(*found);
  }
  [[nodiscard]] Presence contains(const Key& key, Nanos now) { return try_contains(key, now).value(); }

  /// The object of a live entry. QC_ERR_STALE_HANDLE.
  [[nodiscard]] Result<V*> try_value(Entry entry) noexcept {
    auto slot = session_.ask<void*>(nullptr, [&](void** out) { return ::qc_history_value(handle(), entry, out); });
    if (!slot) { return slot.failure(); }
    return &Values::at(*slot);
  }
  [[nodiscard]] V& value(Entry entry) { return *try_value(entry).value(); }
  [[nodiscard]] const V& value(Entry entry) const { return *const_cast<History*>(this)->try_value(entry).value(); }

  /// Key, insert time (rounded down to a tick) and object of a live entry. QC_ERR_STALE_HANDLE.
  [[nodiscard]] Item<V> info(Entry entry) { return *iterator_at(entry); }
  [[nodiscard]] Item<const V> info(Entry entry) const { return *const_iterator(handle(), entry); }

  /// Entries in insertion order, oldest first. begin() throws when the library refuses it.
  [[nodiscard]] iterator begin() { return {handle(), oldest()}; }
  [[nodiscard]] iterator end() noexcept { return {handle(), 0}; }
  [[nodiscard]] const_iterator begin() const { return {handle(), oldest()}; }
  [[nodiscard]] const_iterator end() const noexcept { return {handle(), 0}; }
  [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  [[nodiscard]] reverse_iterator rend() { return reverse_iterator(begin()); }
  [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  [[nodiscard]] const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
  [[nodiscard]] const_iterator cbegin() const { return begin(); }
  [[nodiscard]] const_iterator cend() const noexcept { return end(); }
  [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
  [[nodiscard]] const_reverse_iterator crend() const { return rend(); }
  /// A walk that starts at a live entry; at 0 it is end().
  [[nodiscard]] iterator iterator_at(Entry entry) noexcept { return {handle(), entry}; }
  /// The live entry that follows that of a live key; 0 when there is none. QC_ERR_NOT_FOUND.
  [[nodiscard]] Result<Entry> try_next_from(const Key& key) const noexcept {
    return session_.ask<Entry>(&key, [&](Entry* out) { return ::qc_history_next_from(handle(), &key, out); });
  }
  [[nodiscard]] Entry next_from(const Key& key) const { return try_next_from(key).value(); }

  /// Live entries; erased keys still held, collected or not; every counter of the library.
  [[nodiscard]] std::uint64_t live_len() const { return length(&::qc_history_live_len); }
  [[nodiscard]] std::uint64_t history_len() const { return length(&::qc_history_history_len); }
  [[nodiscard]] bool empty() const { return live_len() == 0; }
  [[nodiscard]] HistoryStats stats() const {
    HistoryStats stats{};
    stats.struct_size = static_cast<std::uint32_t>(sizeof stats);
    Result<void>(session_.run(nullptr, [&] { return ::qc_history_stats(handle(), &stats); })).value();
    return stats;
  }

  // ---- everything at once ----

  /// Collects up to `max` expired entries from the oldest on. O(max). QC_ERR_CLOCK.
  [[nodiscard]] Result<GcResult> try_gc(Nanos now, std::uint64_t max) noexcept {
    const auto result = session_.ask<::qc_gc_result>(
        nullptr, [&](::qc_gc_result* out) { return ::qc_history_gc(handle(), now.count(), max, out); });
    if (!result) { return result.failure(); }
    return GcResult{result->collected, result->more != 0};
  }
  GcResult gc(Nanos now, std::uint64_t max) { return try_gc(now, max).value(); }

  /// Purges the queue and keeps its memory: erases every live entry, and returns how many. O(live).
  /// QC_ERR_CLOCK, QC_ERR_CAPACITY: nothing was erased. QC_ERR_NO_MEMORY: the oldest may have been, and their
  /// objects are gone with them.
  [[nodiscard]] Result<std::uint64_t> try_erase_all_live(Nanos now) noexcept {
    const detail::Turn turn(session_.owner());
    if (turn.refused()) { return turn.failure(); }
    std::uint64_t count = 0;
    Failure failure = session_.run_in_turn(
        nullptr, [&] { return ::qc_history_erase_all_live(handle(), now.count(), &count); });
    drop_erased();
    return answer(std::move(failure), count);
  }
  std::uint64_t erase_all_live(Nanos now) { return try_erase_all_live(now).value(); }

  /// Forgets everything, live and erased, and gives the memory back. O(entries).
  [[nodiscard]] Result<void> try_clear() noexcept {
    const detail::Turn turn(session_.owner());
    if (turn.refused()) { return turn.failure(); }
    Failure failure = session_.run_in_turn(nullptr, [&] { return ::qc_history_clear(handle()); });
    if constexpr (pooled) {
      if (!failure.failed()) { values_.drop_all(); }
    }
    return failure;
  }
  void clear() { try_clear().value(); }

  /// The same in steps: forgets at most `max` entries, the live ones first, oldest first. `collected` is how many, `more`
  /// whether any are left. O(max).
  [[nodiscard]] Result<GcResult> try_clear_step(std::uint64_t max) noexcept {
    const detail::Turn turn(session_.owner());
    if (turn.refused()) { return turn.failure(); }
    ::qc_gc_result result{};
    Failure failure = session_.run_in_turn(nullptr, [&] { return ::qc_history_clear_step(handle(), max, &result); });
    if (failure.failed()) { return failure; }
    drop_erased();
    return GcResult{result.collected, result.more != 0};
  }
  GcResult clear_step(std::uint64_t max) { return try_clear_step(max).value(); }

  /// Changes how long keys stay known, at once and for all that are stored; what had expired stays so.
  /// QC_ERR_OUT_OF_RANGE, QC_ERR_CAPACITY, QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<void> try_set_window(Nanos window) noexcept {
    return session_.run(nullptr, [&] { return ::qc_history_set_window(handle(), window.count()); });
  }
  void set_window(Nanos window) { try_set_window(window).value(); }

  /// Accepts `now` as the time, however far from what was seen before. QC_ERR_CLOCK outside +-2^62.
  [[nodiscard]] Result<void> try_clock_reset(Nanos now) noexcept {
    return session_.run(nullptr, [&] { return ::qc_history_clock_reset(handle(), now.count()); });
  }
  void clock_reset(Nanos now) { try_clock_reset(now).value(); }

  // ---- batches: as the single calls in a row, faster because their cache misses overlap ----

  /// insert for each key with the value beside it: `values` are `const V` when V is trivially copyable, else
  /// V, each moved from when its key was added. A V whose move may throw is copied instead; one that cannot
  /// be copied either is moved beforehand and moved back when its key was not added, so it is lost if V has no
  /// move assignment or that throws. `inserted_at` is empty (then it is `now` for all) or as long as `keys`; so
  /// is `results`. Stops at the first element that fails. QC_ERR_INVALID_ARGUMENT when lengths differ; else as
  /// insert.
  [[nodiscard]] BatchResult try_insert_batch(Span<const Key> keys, BatchValues values,
                                             Span<const std::int64_t> inserted_at, Nanos now,
                                             Span<Inserted> results = {}) noexcept {
    return put_batch(&::qc_history_insert_batch, keys, values, inserted_at, now, results);
  }
  void insert_batch(Span<const Key> keys, BatchValues values, Span<const std::int64_t> inserted_at, Nanos now,
                    Span<Inserted> results = {}) {
    try_insert_batch(keys, values, inserted_at, now, results).value();
  }

  /// The same for readmit.
  [[nodiscard]] BatchResult try_readmit_batch(Span<const Key> keys, BatchValues values,
                                              Span<const std::int64_t> inserted_at, Nanos now,
                                              Span<Inserted> results = {}) noexcept {
    return put_batch(&::qc_history_readmit_batch, keys, values, inserted_at, now, results);
  }
  void readmit_batch(Span<const Key> keys, BatchValues values, Span<const std::int64_t> inserted_at, Nanos now,
                     Span<Inserted> results = {}) {
    try_readmit_batch(keys, values, inserted_at, now, results).value();
  }

  /// erase for each entry; `results` is empty or as long. Stops at the first that fails. As erase.
  [[nodiscard]] BatchResult try_erase_batch(Span<const Entry> entries, Nanos now, Span<Erased> results = {}) noexcept {
    if (!results.empty() && results.size() != entries.size()) { return {0, lengths_differ()}; }
    return session_.in_chunks(entries.size(), chunk, [&](std::size_t from, std::size_t count, std::size_t& done) {
      std::array<std::uint32_t, chunk> erased;
      Failure failure = erase_chunk(entries.data() + from, count, now, erased.data(), done);
      for (std::size_t i = 0; i < done && !results.empty(); ++i) { results[from + i] = static_cast<Erased>(erased[i]); }
      return failure;
    });
  }
  void erase_batch(Span<const Entry> entries, Nanos now, Span<Erased> results = {}) {
    try_erase_batch(entries, now, results).value();
  }

  /// contains for each key; `results` is as long. QC_ERR_INVALID_ARGUMENT when not; QC_ERR_CLOCK.
  [[nodiscard]] BatchResult try_contains_batch(Span<const Key> keys, Nanos now, Span<Presence> results) noexcept {
    if (results.size() != keys.size()) { return {0, lengths_differ()}; }
    return session_.in_chunks(keys.size(), chunk, [&](std::size_t from, std::size_t count, std::size_t& done) {
      std::array<std::uint32_t, chunk> found;
      Failure failure = session_.run_in_turn(count == 1 ? keys.data() + from : nullptr, [&] {
        return ::qc_history_contains_batch(handle(), keys.data() + from, count, now.count(), found.data());
      });
      done = failure.failed() ? 0 : count;
      for (std::size_t i = 0; i < done; ++i) { results[from + i] = static_cast<Presence>(found[i]); }
      return failure;
    });
  }
  void contains_batch(Span<const Key> keys, Nanos now, Span<Presence> results) {
    try_contains_batch(keys, now, results).value();
  }

 private:
  static constexpr std::size_t chunk = 64;  // of a batch: what its answers are converted in, on the stack
  struct Unopened {};

  History(Unopened, const HistoryOptions& options)
      : session_(options.make_callbacks(), options.group_, pooled), values_(session_.resource()) {}

  [[nodiscard]] Failure open(const HistoryOptions& options) noexcept {
    if (Failure wrong = options.check(); wrong.failed()) { return wrong; }
    ::qc_history_options raw = options.raw();
    raw.value_size = Values::value_size;
    return session_.open(raw);
  }

  [[nodiscard]] ::qc_history* handle() const noexcept { return session_.handle(); }

  [[nodiscard]] static Failure lengths_differ() noexcept {
    return Failure(QC_ERR_INVALID_ARGUMENT, "the spans of a batch differ in length");
  }
  [[nodiscard]] static Failure no_handle() noexcept {
    return Failure(QC_ERR_NULL_HANDLE, "this history was moved from");
  }

  template <class T>
  [[nodiscard]] static Result<T> answer(Failure failure, T value) noexcept {
    if (failure.failed()) { return failure; }
    return value;
  }

  [[nodiscard]] std::uint64_t length(Status (*call)(::qc_history*, std::uint64_t*)) const {
    return session_.ask<std::uint64_t>(nullptr, [&](std::uint64_t* out) { return call(handle(), out); }).value();
  }

  [[nodiscard]] Entry oldest() const {
    return session_.ask<Entry>(nullptr, [&](Entry* out) { return ::qc_history_first(handle(), out); }).value();
  }

  template <class PutCall, class U>
  [[nodiscard]] Result<Inserted> put(PutCall put_call, const Key& key, U&& value, Nanos at, Nanos now) noexcept {
    if (!valid()) { return no_handle(); }
    try {
      if constexpr (pooled) {
        return put_pooled(put_call, key, std::forward<U>(value), at, now);
      } else if constexpr (std::is_same_v<std::remove_cv_t<std::remove_reference_t<U>>, V>) {
        return put_bytes(put_call, key, value, at, now);
      } else {
        // No cast of pointers: IfMakesV has seen to it that V can be made from this.
        return put_bytes(put_call, key, static_cast<V>(std::forward<U>(value)), at, now);
      }
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }

  template <class PutCall>
  [[nodiscard]] Result<Inserted> put_bytes(PutCall put_call, const Key& key, const V& value, Nanos at, Nanos now) {
    ::qc_insert_result raw{};
    Failure failure = session_.run(
        &key, [&] { return put_call(handle(), &key, &value, sizeof value, at.count(), now.count(), &raw); });
    return answer(std::move(failure), Inserted{raw.entry, static_cast<Outcome>(raw.outcome)});
  }

  template <class PutCall, class U>
  [[nodiscard]] Result<Inserted> put_pooled(PutCall put_call, const Key& key, U&& value, Nanos at, Nanos now) {
    const detail::Turn turn(session_.owner());
    if (turn.refused()) { return turn.failure(); }
    const auto place = values_.prepare(std::forward<U>(value));
    ::qc_insert_result raw{};
    bool added = false;
    Failure failure = session_.run_in_turn(&key, [&] {
      const Status status = put_call(handle(), &key, &place, sizeof place, at.count(), now.count(), &raw);
      added = status == QC_OK && raw.outcome == QC_ADDED;
      return status;
    });
    if (added) {
      Values::commit(place, std::forward<U>(value));  // takes the value only if prepare did not
    } else {
      values_.drop(place);
    }
    return answer(std::move(failure), Inserted{raw.entry, static_cast<Outcome>(raw.outcome)});
  }

  /// Runs a call that ends one entry, and destroys its object once it has ended.
  template <class Call>
  [[nodiscard]] Failure end_entry(Entry entry, Call&& call) noexcept {
    const detail::Turn turn(session_.owner());
    if (turn.refused()) { return turn.failure(); }
    return end_in_turn(entry, nullptr, call);
  }

  /// The same for a call by key, which may find that there is no such entry.
  template <class Call>
  [[nodiscard]] Failure end_key(const Key& key, Call&& call) noexcept {
    const detail::Turn turn(session_.owner());
    if (turn.refused()) { return turn.failure(); }
    Entry entry = 0;
    if constexpr (pooled) {
      Failure failure = session_.run_in_turn(&key, [&] { return ::qc_history_find(handle(), &key, &entry); });
      if (failure.failed()) { return failure; }
    }
    return end_in_turn(entry, &key, call);
  }

  /// `entry` is 0 when there is no object to destroy; `key` may be null.
  template <class Call>
  [[nodiscard]] Failure end_in_turn(Entry entry, const Key* key, Call& call) noexcept {
    ::qc_entry_info info{};
    if (entry != 0 && (pooled || (key == nullptr && session_.asks_before()))) {
      const Status status = ::qc_history_entry_info(handle(), entry, &info);
      if (status == QC_ERR_STALE_HANDLE) {
        entry = 0;  // the call will say so
      } else if (status != QC_OK) {
        return Failure(status);
      } else if (key == nullptr) {
        key = &info.key;
      }
    }
    bool ended = false;
    const auto noted = [&] {
      const Status status = call();
      ended = status == QC_OK;
      return status;
    };
    if constexpr (pooled) {
      if (entry != 0) {
        const auto place = Values::read(info.value);
        Failure failure = session_.run_in_turn(key, noted);
        if (ended) { values_.drop(place); }
        return failure;
      }
    }
    return session_.run_in_turn(key, noted);
  }

  /// After a purge, which erases from the oldest on and may have stopped halfway: the pool has the live order.
  void drop_erased() noexcept {
    if constexpr (pooled) {
      Entry first = 0;
      if (::qc_history_first(handle(), &first) != QC_OK) { return; }  // refused as a whole: nothing was erased
      void* slot = nullptr;
      if (first == 0) {
        values_.drop_all();
      } else if (::qc_history_value(handle(), first, &slot) == QC_OK) {
        values_.drop_before(Values::read(slot));
      }
    }
  }

  template <class PutCall>
  [[nodiscard]] BatchResult put_batch(PutCall put_call, Span<const Key> keys, BatchValues values,
                                      Span<const std::int64_t> at, Nanos now, Span<Inserted> results) noexcept {
    if (!valid()) { return {0, no_handle()}; }
    const auto fits = [&](std::size_t size) { return size == 0 || size == keys.size(); };
    if (values.size() != keys.size() || !fits(at.size()) || !fits(results.size())) { return {0, lengths_differ()}; }
    return session_.in_chunks(keys.size(), chunk, [&](std::size_t from, std::size_t count, std::size_t& done) {
      std::array<::qc_insert_result, chunk> raw;
      const auto put_some = [&](std::size_t some, const void* bytes) {
        return session_.run_in_turn(some == 1 ? keys.data() + from : nullptr, [&] {
          return put_call(handle(), keys.data() + from, bytes, at.empty() ? nullptr : at.data() + from, some,
                          now.count(), raw.data(), &done);
        });
      };
      Failure failure = put_chunk(put_some, values.data() + from, count, raw, done);
      for (std::size_t i = 0; i < done && !results.empty(); ++i) {
        results[from + i] = {raw[i].entry, static_cast<Outcome>(raw[i].outcome)};
      }
      return failure;
    });
  }

  template <class PutSome>
  [[nodiscard]] Failure put_chunk(PutSome&& put_some, detail::BatchValue<V>* values, std::size_t count,
                                  std::array<::qc_insert_result, chunk>& raw, std::size_t& done) noexcept {
    if constexpr (!pooled) {
      return put_some(count, values);
    } else {
      std::array<typename Values::Handle, chunk> places;
      std::size_t made = 0;
      Failure stopped(QC_OK);
      try {
        for (; made < count; ++made) { places[made] = values_.prepare(std::move_if_noexcept(values[made])); }
      } catch (...) {
        stopped = Failure::from(std::current_exception());
      }
      Failure failure = made == 0 ? stopped : put_some(made, places.data());
      for (std::size_t i = 0; i < made; ++i) {
        if (i < done && raw[i].outcome == QC_ADDED) {
          Values::commit(places[i], std::move_if_noexcept(values[i]));
        } else {
          Values::give_back(places[i], values[i]);
          values_.drop(places[i]);
        }
      }
      return failure.failed() ? failure : stopped;
    }
  }

  [[nodiscard]] Failure erase_chunk(const Entry* entries, std::size_t count, Nanos now, std::uint32_t* erased,
                                    std::size_t& done) noexcept {
    if (count == 1) {
      const auto erase_one = [&] { return ::qc_history_erase(handle(), *entries, now.count(), erased); };
      Failure failure = end_in_turn(*entries, nullptr, erase_one);
      done = failure.failed() ? 0 : 1;
      return failure;
    }
    const auto erase_all = [&] {
      return ::qc_history_erase_batch(handle(), entries, count, now.count(), erased, &done);
    };
    if constexpr (!pooled) {
      return session_.run_in_turn(nullptr, erase_all);
    } else {
      std::array<typename Values::Handle, chunk> places;
      for (std::size_t i = 0; i < count; ++i) {
        void* slot = nullptr;
        const Status status = ::qc_history_value(handle(), entries[i], &slot);
        if (status == QC_ERR_STALE_HANDLE) {
          count = i + 1;  // the batch stops there too, and says which it was
        } else if (status != QC_OK) {
          return Failure(status);
        } else {
          places[i] = Values::read(slot);
        }
      }
      Failure failure = session_.run_in_turn(nullptr, erase_all);
      for (std::size_t i = 0; i < done; ++i) { values_.drop(places[i]); }
      return failure;
    }
  }

  detail::Session session_;
  Values values_;  // last, so that the objects go before what they were allocated from
};

}  // namespace queuecore

#endif
