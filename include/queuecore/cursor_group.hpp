// CursorGroup: what cursors below one parent tracker share.

#ifndef QUEUECORE_CURSOR_GROUP_HPP
#define QUEUECORE_CURSOR_GROUP_HPP

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "cursor_options.hpp"
#include "usage.hpp"

namespace queuecore {

/// Owns one group of the library: the cursors below one parent tracker, which are told when the parent's level falls, borrow
/// from each other's memory by the guaranteed share, and divide the parent's limit if the options say so.
///
/// The group and its cursors may end in any order: a cursor keeps what it needs of both group and parent.
///
/// Errors: `x()` throws Error, `try_x()` is noexcept and returns a Result. Threads: any number at once; moving a group and
/// ending it are for one thread alone, while no other uses the object.
class CursorGroup {
 public:
  /// A group without cursors, below `parent`. QC_ERR_OUT_OF_RANGE, QC_ERR_INVALID_ARGUMENT, QC_ERR_NO_MEMORY,
  /// QC_ERR_CAPACITY; QC_ERR_NULL_HANDLE if the parent was moved from.
  explicit CursorGroup(Tracker& parent, const CursorGroupOptions& options = CursorGroupOptions())
      : CursorGroup(create(parent, options).value()) {}

  /// The same, as a Result.
  [[nodiscard]] static Result<CursorGroup> create(Tracker& parent, const CursorGroupOptions& options) noexcept {
    if (Failure wrong = options.check(); wrong.failed()) { return wrong; }
    try {
      std::unique_ptr<detail::UsageMemory> memory = options.make_memory();
      ::qc_cursor_group_options raw = options.raw();
      if (memory) { memory->install(raw); }
      ::qc_cursor_group* made = nullptr;
      const Status status = ::qc_cursor_group_create(&raw, parent.native_handle(), &made);
      if (status != QC_OK) { return Failure(status); }
      (void)memory.release();  // the library releases it from here on
      return CursorGroup(made);
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }

  CursorGroup(CursorGroup&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CursorGroup& operator=(CursorGroup&& other) noexcept {
    CursorGroup incoming(std::move(other));
    std::swap(handle_, incoming.handle_);
    return *this;
  }
  CursorGroup(const CursorGroup&) = delete;
  CursorGroup& operator=(const CursorGroup&) = delete;

  /// Ends the handle; the cursors of the group go on.
  ~CursorGroup() { (void)::qc_cursor_group_destroy(handle_); }  // NULL is a no-op

  /// Whether this owns a group; false once moved from.
  [[nodiscard]] bool valid() const noexcept { return handle_ != nullptr; }

  /// The handle of the C library, still owned by this object.
  [[nodiscard]] ::qc_cursor_group* native_handle() const noexcept { return handle_; }

  /// Every figure of the group.
  [[nodiscard]] Result<CursorGroupStats> try_stats() const noexcept {
    CursorGroupStats stats{};
    stats.struct_size = static_cast<std::uint32_t>(sizeof stats);
    const Status status = ::qc_cursor_group_stats(handle_, &stats);
    if (status != QC_OK) { return Failure(status); }
    return stats;
  }
  [[nodiscard]] CursorGroupStats stats() const { return try_stats().value(); }

 private:
  explicit CursorGroup(::qc_cursor_group* made) noexcept : handle_(made) {}

  ::qc_cursor_group* handle_ = nullptr;
};

}  // namespace queuecore

#endif
