// What a tracker is created with. A value: build it, pass it to Tracker, throw it away.

#ifndef QUEUECORE_USAGE_OPTIONS_HPP
#define QUEUECORE_USAGE_OPTIONS_HPP

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>

#include "usage_callbacks.hpp"

namespace queuecore {

/// Options of a tracker, with the C library's defaults. Each setter returns the options, so that calls chain; the values
/// are checked when the tracker is created, where a wrong one is QC_ERR_OUT_OF_RANGE or QC_ERR_INVALID_ARGUMENT. May be
/// used by one thread at a time.
class UsageOptions {
 public:
  UsageOptions() noexcept { (void)::qc_usage_options_init(&raw_, sizeof raw_); }

  /// The limit, up to 2^62; 0 for none.
  UsageOptions& limit_bytes(std::uint64_t bytes) noexcept {
    raw_.limit_bytes = bytes;
    return *this;
  }
  /// A share of the parent's limit instead, in parts per million: 1 to 1,000,000. For children.
  UsageOptions& share_ppm(std::uint32_t parts_per_million) noexcept {
    raw_.share_ppm = parts_per_million;
    return *this;
  }
  /// The caller's name for the tracker: events and enumerations carry it.
  UsageOptions& tag(std::uint64_t tag) noexcept {
    raw_.tag = tag;
    return *this;
  }
  /// Percents count in whole multiples of this; 1 or more.
  UsageOptions& min_delta_percent(std::uint32_t percent) noexcept {
    raw_.min_delta_percent = percent;
    return *this;
  }
  /// Room for percent steps that wait to be delivered, 1 to 65536; then they merge.
  UsageOptions& event_capacity(std::uint32_t events) noexcept {
    raw_.event_capacity = events;
    return *this;
  }
  /// The most stripes of a busy tracker; 0 for one a processor. For roots.
  UsageOptions& max_stripes(std::uint32_t stripes) noexcept {
    raw_.max_stripes = stripes;
    return *this;
  }

  /// Takes the tree's memory from `resource`, which has to outlive the tree and every call on it, and to bear calls of any
  /// thread (of one at a time for one tree). It may not call into the tree. An exception of its allocate reaches the
  /// caller of the call that needed memory, which has changed nothing. For roots.
  UsageOptions& memory_resource(std::pmr::memory_resource* resource) noexcept {
    resource_ = resource;
    allocate_ = nullptr;
    deallocate_ = nullptr;
    return *this;
  }
  /// Takes it from a pair of functors instead; the tree keeps copies of them until its last block is back. Both or
  /// neither: with one of them empty, creation answers QC_ERR_INVALID_ARGUMENT.
  UsageOptions& allocator(AllocateFunction allocate, DeallocateFunction deallocate) {
    resource_ = nullptr;
    allocate_ = std::move(allocate);
    deallocate_ = std::move(deallocate);
    return *this;
  }

  /// The C struct as it stands, without callbacks.
  [[nodiscard]] const ::qc_usage_options& raw() const noexcept { return raw_; }

 private:
  friend class Tracker;

  [[nodiscard]] bool has_memory() const noexcept { return resource_ != nullptr || allocate_ || deallocate_; }

  /// What the library cannot see for itself.
  [[nodiscard]] Failure check(bool is_root) const noexcept {
    if (!allocate_ != !deallocate_) {
      return Failure(QC_ERR_INVALID_ARGUMENT, "an allocator is a pair of functors, and one of them is empty");
    }
    if (!is_root && has_memory()) {
      return Failure(QC_ERR_INVALID_ARGUMENT, "a child takes its memory from the allocator of its root");
    }
    return Failure(QC_OK);
  }

  /// The allocator of one tree, or null when none was given.
  [[nodiscard]] std::unique_ptr<detail::UsageMemory> make_memory() const {
    std::unique_ptr<std::pmr::memory_resource> owned;
    if (allocate_) { owned = std::make_unique<detail::FunctionResource>(allocate_, deallocate_); }
    if (!owned && resource_ == nullptr) { return nullptr; }
    return std::make_unique<detail::UsageMemory>(resource_, std::move(owned));
  }

  ::qc_usage_options raw_{};
  std::pmr::memory_resource* resource_ = nullptr;
  AllocateFunction allocate_;
  DeallocateFunction deallocate_;
};

}  // namespace queuecore

#endif
