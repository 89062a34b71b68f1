// HistoryGroup: histories of one thread that share a hash seed, a limit on bytes, a cache of blocks and their collection.

#ifndef QUEUECORE_HISTORY_GROUP_HPP
#define QUEUECORE_HISTORY_GROUP_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>

#include "types.hpp"

namespace queuecore {

/// Every counter of a group; queuecore.h says what each one counts.
using HistoryGroupStats = struct ::qc_history_group_stats;

/// Options of a group, with the C library's defaults. Each setter returns the options, so that calls chain; the values
/// are checked when the group is created.
class HistoryGroupOptions {
 public:
  HistoryGroupOptions() noexcept { (void)::qc_history_group_options_init(&raw_, sizeof raw_); }

  /// The most bytes that the group and its histories hold together; beyond it, QC_ERR_CAPACITY. 0: no limit.
  HistoryGroupOptions& limit_bytes(std::uint64_t bytes) noexcept {
    raw_.limit_bytes = bytes;
    return *this;
  }
  /// The most bytes of unused blocks that are kept for the histories to use again.
  HistoryGroupOptions& cache_bytes(std::uint64_t bytes) noexcept {
    raw_.cache_bytes = bytes;
    return *this;
  }
  /// How far one gc_many's time may be ahead of all before it; beyond it, QC_ERR_CLOCK. 0 switches this off.
  HistoryGroupOptions& max_clock_step_ns(Nanos step) noexcept {
    raw_.max_clock_step_ns = step.count();
    return *this;
  }
  /// Seed of the keyed hash of all histories; 0 for a random one.
  HistoryGroupOptions& seed(std::uint64_t seed) noexcept {
    raw_.seed = seed;
    return *this;
  }
  /// Takes the memory of the group and its histories from `resource`, which has to outlive them all. An exception of
  /// its allocate is QC_ERR_NO_MEMORY for the call that needed memory.
  HistoryGroupOptions& memory_resource(std::pmr::memory_resource* resource) noexcept {
    raw_.alloc = resource != nullptr ? &allocate : nullptr;
    raw_.free = resource != nullptr ? &deallocate : nullptr;
    raw_.alloc_ctx = resource;
    return *this;
  }

  /// The C struct as it stands.
  [[nodiscard]] const ::qc_history_group_options& raw() const noexcept { return raw_; }

 private:
  static void* allocate(void* ctx, std::size_t size, std::size_t align) noexcept {
    try {
      return static_cast<std::pmr::memory_resource*>(ctx)->allocate(size, align);
    } catch (...) {
      return nullptr;
    }
  }
  static void deallocate(void* ctx, void* block, std::size_t size, std::size_t align) noexcept {
    static_cast<std::pmr::memory_resource*>(ctx)->deallocate(block, size, align);
  }

  ::qc_history_group_options raw_{};
};

/// Owns a group of histories. A history joins it by HistoryOptions::group, and holds it: a copy of a HistoryGroup means
/// the same group, which ends when the last copy and the last history of it have gone.
///
/// Threads: one at a time, together with its histories. A call that overlaps another one on the group or on any of its
/// histories is QC_ERR_BUSY from another thread, QC_ERR_REENTRANT from a callback.
class HistoryGroup {
 public:
  /// Creates an empty group. QC_ERR_OUT_OF_RANGE, QC_ERR_NO_MEMORY, QC_ERR_CAPACITY.
  explicit HistoryGroup(const HistoryGroupOptions& options = HistoryGroupOptions()) {
    ::qc_history_group* group = nullptr;
    if (Failure failure(::qc_history_group_create(&options.raw(), &group)); failure.failed()) { failure.raise(); }
    shared_ = std::shared_ptr<::qc_history_group>(group, &end);
  }

  /// Collects what has expired in all its histories, at most `max` records, in turns; costs nothing for those that have
  /// nothing to collect. O(max * log(histories that hold something)). QC_ERR_CLOCK.
  [[nodiscard]] Result<GcResult> try_gc_many(Nanos now, std::uint64_t max) noexcept {
    ::qc_gc_result result{};
    const Status status = ::qc_history_group_gc_many(native_handle(), now.count(), max, &result);
    if (status != QC_OK) { return Failure(status); }
    return GcResult{result.collected, result.more != 0};
  }
  GcResult gc_many(Nanos now, std::uint64_t max) { return try_gc_many(now, max).value(); }

  /// Accepts `now` as the group's time, however far from what it was told before. QC_ERR_CLOCK outside +-2^62.
  [[nodiscard]] Result<void> try_clock_reset(Nanos now) noexcept {
    return Failure(::qc_history_group_clock_reset(native_handle(), now.count()));
  }
  void clock_reset(Nanos now) { try_clock_reset(now).value(); }

  [[nodiscard]] HistoryGroupStats stats() const {
    HistoryGroupStats stats{};
    stats.struct_size = static_cast<std::uint32_t>(sizeof stats);
    Result<void>(Failure(::qc_history_group_stats(native_handle(), &stats))).value();
    return stats;
  }

  /// The handle of the C library, still owned by this object and its copies.
  [[nodiscard]] ::qc_history_group* native_handle() const noexcept { return shared_.get(); }

 private:
  friend class HistoryOptions;

  static void end(::qc_history_group* group) noexcept { (void)::qc_history_group_destroy(group); }

  std::shared_ptr<::qc_history_group> shared_;
};

}  // namespace queuecore

#endif
