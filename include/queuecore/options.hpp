// What a history is created with. A value: build it, pass it to History, throw it away.

#ifndef QUEUECORE_OPTIONS_HPP
#define QUEUECORE_OPTIONS_HPP

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "callbacks.hpp"
#include "history_group.hpp"

namespace queuecore {

/// Options of a history, with the C library's defaults. Each setter returns the options, so that calls
/// chain; the values are checked when the history is created, where a wrong one is QC_ERR_OUT_OF_RANGE
/// or QC_ERR_INVALID_ARGUMENT. May be used by one thread at a time.
class HistoryOptions {
 public:
  HistoryOptions() noexcept { (void)::qc_history_options_init(&raw_, sizeof raw_); }

  /// How long a key stays known, from its insert: 0 (no history) to 2^62 ns.
  HistoryOptions& window_ns(Nanos window) noexcept {
    raw_.window_ns = window.count();
    return *this;
  }
  /// Length of a tick: inserts are rounded down to it, the window up. At least 1 ns.
  HistoryOptions& resolution_ns(Nanos tick) noexcept {
    raw_.resolution_ns = tick.count();
    return *this;
  }
  /// How far one call's time may be ahead of all before it; beyond it, QC_ERR_CLOCK. 0 switches this off.
  HistoryOptions& max_clock_step_ns(Nanos step) noexcept {
    raw_.max_clock_step_ns = step.count();
    return *this;
  }
  /// Most entries, live and erased together; 0 for the library's own limit.
  HistoryOptions& max_entries(std::uint64_t entries) noexcept {
    raw_.max_entries = entries;
    return *this;
  }
  /// Most erased keys; 0 for no limit.
  HistoryOptions& max_history(std::uint64_t entries) noexcept {
    raw_.max_history = entries;
    return *this;
  }
  /// What erase does when max_history is reached.
  HistoryOptions& overflow(Overflow overflow) noexcept {
    raw_.overflow = static_cast<std::uint32_t>(overflow);
    return *this;
  }
  /// How long an erased key is seen.
  HistoryOptions& visibility(Visibility visibility) noexcept {
    raw_.visibility = static_cast<std::uint32_t>(visibility);
    return *this;
  }
  /// Who collects what has expired.
  HistoryOptions& gc_policy(GcPolicy policy) noexcept {
    raw_.gc_policy = static_cast<std::uint32_t>(policy);
    return *this;
  }
  /// Most entries that one insert collects; 0 for the policy's own default.
  HistoryOptions& gc_step(std::uint32_t entries) noexcept {
    raw_.gc_step = entries;
    return *this;
  }
  /// Seed of the built-in keyed hash; 0 for a random one.
  HistoryOptions& seed(std::uint64_t seed) noexcept {
    raw_.seed = seed;
    return *this;
  }

  /// Joins a group, and holds it; its seed and its memory count then, and none may be set here (QC_ERR_INVALID_ARGUMENT).
  HistoryOptions& group(const HistoryGroup& group) noexcept {
    group_ = group.shared_;
    raw_.group = group.native_handle();
    return *this;
  }

  /// Takes all memory from `resource`, which has to outlive the history. An exception of its allocate
  /// reaches the caller of the call that needed memory; see History for what that call has done by then.
  HistoryOptions& memory_resource(std::pmr::memory_resource* resource) noexcept {
    resource_ = resource;
    allocate_ = nullptr;
    deallocate_ = nullptr;
    return *this;
  }
  /// Takes all memory from a pair of functors instead; the history keeps copies of them. Both or neither:
  /// with one of them empty, creation answers QC_ERR_INVALID_ARGUMENT.
  HistoryOptions& allocator(AllocateFunction allocate, DeallocateFunction deallocate) {
    resource_ = nullptr;
    allocate_ = std::move(allocate);
    deallocate_ = std::move(deallocate);
    return *this;
  }
  /// Hashes keys by `functor` (const Key& to uint64_t) instead of the built-in keyed hash. Then it is the
  /// caller's care that clients, who choose keys, cannot choose collisions. Mark the functor noexcept if it
  /// is: one that may throw is called once more a call, so that its exception finds nothing changed.
  template <class F>
  HistoryOptions& hash(F functor) {
    hash_may_throw_ = !std::is_nothrow_invocable_r_v<std::uint64_t, F&, const Key&>;
    hash_ = std::move(functor);
    return *this;
  }

  /// The C struct as it stands, without callbacks.
  [[nodiscard]] const ::qc_history_options& raw() const noexcept { return raw_; }

 private:
  template <class V>
  friend class History;

  /// What the library cannot see for itself.
  [[nodiscard]] Failure check() const noexcept {
    if (!allocate_ == !deallocate_) { return Failure(QC_OK); }
    return Failure(QC_ERR_INVALID_ARGUMENT, "an allocator is a pair of functors, and one of them is empty");
  }

  /// The callbacks of one history, or null when none were given.
  [[nodiscard]] std::unique_ptr<detail::Callbacks> make_callbacks() const {
    std::unique_ptr<std::pmr::memory_resource> owned;
    if (allocate_ && deallocate_) { owned = std::make_unique<detail::FunctionResource>(allocate_, deallocate_); }
    if (!owned && resource_ == nullptr && !hash_) { return nullptr; }
    return std::make_unique<detail::Callbacks>(resource_, std::move(owned), hash_, hash_ && hash_may_throw_);
  }

  ::qc_history_options raw_{};
  std::shared_ptr<::qc_history_group> group_;
  std::pmr::memory_resource* resource_ = nullptr;
  AllocateFunction allocate_;
  DeallocateFunction deallocate_;
  HashFunction hash_;
  bool hash_may_throw_ = false;
};

}  // namespace queuecore

#endif
