// What cursors and groups are created with. Values: build them, pass them on, throw them away.

#ifndef QUEUECORE_CURSOR_OPTIONS_HPP
#define QUEUECORE_CURSOR_OPTIONS_HPP

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>

#include "cursor_store.hpp"

namespace queuecore {

/// Who charges a cursor's tracker.
enum class Accounting : std::uint32_t {
  own = QC_ACCOUNTING_OWN,    ///< the cursor, and nobody else
  host = QC_ACCOUNTING_HOST,  ///< the host, as its reference counts say; the cursor reads the tracker's percent
};

/// When messages stay in memory and when they are paged in, with the C library's defaults. Each setter returns the policy,
/// so that calls chain; the values are checked where the policy is used. queuecore.h says the ranges.
class CursorPolicy {
 public:
  CursorPolicy() noexcept { (void)::qc_cursor_policy_init(&raw_, sizeof raw_); }

  /// Filling begins below `low` percent of the limit, and filling and caching stop at `high`.
  CursorPolicy& marks(std::uint32_t low_percent, std::uint32_t high_percent) noexcept {
    raw_.low_percent = low_percent;
    raw_.high_percent = high_percent;
    return *this;
  }
  /// Caching stops when the parent reaches this percent.
  CursorPolicy& parent_cache_percent(std::uint32_t percent) noexcept {
    raw_.parent_cache_percent = percent;
    return *this;
  }
  /// Pages are taken while the parent is at or below this percent.
  CursorPolicy& parent_page_percent(std::uint32_t percent) noexcept {
    raw_.parent_page_percent = percent;
    return *this;
  }
  /// The messages of a whole page.
  CursorPolicy& page_messages(std::uint32_t messages) noexcept {
    raw_.page_messages = messages;
    return *this;
  }
  /// The bytes of a whole page.
  CursorPolicy& page_bytes(std::uint64_t bytes) noexcept {
    raw_.page_bytes = bytes;
    return *this;
  }
  /// A page that would be shorter waits while the window has something to give; 0 for a quarter of a whole one.
  CursorPolicy& min_page_messages(std::uint32_t messages) noexcept {
    raw_.min_page_messages = messages;
    return *this;
  }
  /// Pages are not longer than the demand.
  CursorPolicy& lazy_dispatch(bool lazy) noexcept {
    raw_.lazy_dispatch = lazy ? 1 : 0;
    return *this;
  }
  /// New messages stay in memory while there is room.
  CursorPolicy& use_cache(bool use) noexcept {
    raw_.use_cache = use ? 1 : 0;
    return *this;
  }
  /// Messages are delivered before the store has answered their writes. Turned off, it holds for later pushes.
  CursorPolicy& deliver_uncommitted(bool deliver) noexcept {
    raw_.deliver_uncommitted = deliver ? 1 : 0;
    return *this;
  }

  /// The C struct as it stands.
  [[nodiscard]] const ::qc_cursor_policy& raw() const noexcept { return raw_; }
  [[nodiscard]] ::qc_cursor_policy& raw() noexcept { return raw_; }

 private:
  ::qc_cursor_policy raw_{};
};

/// Options of a cursor, with the C library's defaults. Each setter returns the options, so that calls chain; the values are
/// checked when the cursor is created, where a wrong one is QC_ERR_OUT_OF_RANGE or QC_ERR_INVALID_ARGUMENT. May be used by
/// one thread at a time.
class CursorOptions {
 public:
  CursorOptions() noexcept { (void)::qc_cursor_options_init(&raw_, sizeof raw_); }

  /// When messages stay in memory and when they are paged in.
  CursorOptions& policy(const CursorPolicy& policy) noexcept {
    policy_ = policy;
    return *this;
  }
  /// Who charges the tracker.
  CursorOptions& accounting(Accounting accounting) noexcept {
    raw_.accounting = static_cast<std::uint32_t>(accounting);
    return *this;
  }
  /// The most messages in the window, in flight ones included; 0 for the library's own limit.
  CursorOptions& max_entries(std::uint32_t entries) noexcept {
    raw_.max_entries = entries;
    return *this;
  }
  /// The most writes open at a time; 0 for 65536.
  CursorOptions& max_open_writes(std::uint32_t writes) noexcept {
    raw_.max_open_writes = writes;
    return *this;
  }

  /// Takes all memory from `resource`, which has to outlive the cursor. An exception of its allocate reaches the caller of
  /// the call that needed memory, which has changed nothing. It may not call the cursor.
  CursorOptions& memory_resource(std::pmr::memory_resource* resource) noexcept {
    resource_ = resource;
    allocate_ = nullptr;
    deallocate_ = nullptr;
    return *this;
  }
  /// Takes it from a pair of functors instead; the cursor keeps copies of them. Both or neither: with one of them empty,
  /// creation answers QC_ERR_INVALID_ARGUMENT.
  CursorOptions& allocator(AllocateFunction allocate, DeallocateFunction deallocate) {
    resource_ = nullptr;
    allocate_ = std::move(allocate);
    deallocate_ = std::move(deallocate);
    return *this;
  }

  /// The C struct as it stands, without callbacks.
  [[nodiscard]] const ::qc_cursor_options& raw() const noexcept { return raw_; }

 private:
  friend class Cursor;

  /// What the library cannot see for itself.
  [[nodiscard]] Failure check() const noexcept {
    if (!allocate_ == !deallocate_) { return Failure(QC_OK); }
    return Failure(QC_ERR_INVALID_ARGUMENT, "an allocator is a pair of functors, and one of them is empty");
  }

  [[nodiscard]] std::unique_ptr<detail::CursorHost> make_host(CursorStore* store,
                                                              std::unique_ptr<CursorStore> owned) const {
    std::unique_ptr<std::pmr::memory_resource> memory;
    if (allocate_) { memory = std::make_unique<detail::FunctionResource>(allocate_, deallocate_); }
    return std::make_unique<detail::CursorHost>(store, std::move(owned), resource_, std::move(memory));
  }

  ::qc_cursor_options raw_{};
  CursorPolicy policy_;
  std::pmr::memory_resource* resource_ = nullptr;
  AllocateFunction allocate_;
  DeallocateFunction deallocate_;
};

/// Options of a group, with the C library's defaults, as above.
class CursorGroupOptions {
 public:
  CursorGroupOptions() noexcept { (void)::qc_cursor_group_options_init(&raw_, sizeof raw_); }

  /// The parent's limit is divided evenly among the trackers of the cursors, anew whenever one comes or goes.
  CursorGroupOptions& divides_limit(bool divides) noexcept {
    raw_.divides_limit = divides ? 1 : 0;
    return *this;
  }
  /// The most bytes on loan by the guaranteed share; 0 for 10 % of the parent's limit.
  CursorGroupOptions& max_lent_bytes(std::uint64_t bytes) noexcept {
    raw_.max_lent_bytes = bytes;
    return *this;
  }

  /// Takes the group's memory from `resource`, which has to outlive the group and its cursors, and to bear calls of any
  /// thread, one at a time. It may not call the group or a cursor of it.
  CursorGroupOptions& memory_resource(std::pmr::memory_resource* resource) noexcept {
    resource_ = resource;
    allocate_ = nullptr;
    deallocate_ = nullptr;
    return *this;
  }
  /// Takes it from a pair of functors instead; the group keeps copies of them. Both or neither.
  CursorGroupOptions& allocator(AllocateFunction allocate, DeallocateFunction deallocate) {
    resource_ = nullptr;
    allocate_ = std::move(allocate);
    deallocate_ = std::move(deallocate);
    return *this;
  }

  /// The C struct as it stands, without callbacks.
  [[nodiscard]] const ::qc_cursor_group_options& raw() const noexcept { return raw_; }

 private:
  friend class CursorGroup;

  [[nodiscard]] Failure check() const noexcept {
    if (!allocate_ == !deallocate_) { return Failure(QC_OK); }
    return Failure(QC_ERR_INVALID_ARGUMENT, "an allocator is a pair of functors, and one of them is empty");
  }

  [[nodiscard]] std::unique_ptr<detail::UsageMemory> make_memory() const {
    std::unique_ptr<std::pmr::memory_resource> owned;
    if (allocate_) { owned = std::make_unique<detail::FunctionResource>(allocate_, deallocate_); }
    if (!owned && resource_ == nullptr) { return nullptr; }
    return std::make_unique<detail::UsageMemory>(resource_, std::move(owned));
  }

  ::qc_cursor_group_options raw_{};
  std::pmr::memory_resource* resource_ = nullptr;
  AllocateFunction allocate_;
  DeallocateFunction deallocate_;
};

}  // namespace queuecore

#endif
