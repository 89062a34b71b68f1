// Carries the caller's listeners, notices and allocators of the usage meter across the C boundary: the library gets plain
// functions, exceptions stop here. Used by Tracker, CursorGroup and their options only. What is made here lives on the heap, and the
// library says when it is not needed any more.

#ifndef QUEUECORE_USAGE_CALLBACKS_HPP
#define QUEUECORE_USAGE_CALLBACKS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <memory_resource>
#include <utility>

#include "callbacks.hpp"
#include "usage_types.hpp"

namespace queuecore {

/// Told of percent steps: see Tracker::set_listener.
using UsageListener = std::function<void(const UsageEvent&)>;
/// Told once that nothing is full any more (QC_OK), or why it will not be told that: see Tracker::notify_when_not_full.
using UsageNotice = std::function<void(Status reason)>;
/// Gets what a listener or a notice threw. May not throw: a throw ends the program.
using ExceptionHandler = std::function<void(std::exception_ptr)>;

namespace detail {

/// What the caller's own code threw inside a call of this thread. Calls nest: a listener may make more.
class CallScope {
 public:
  CallScope() noexcept : outer_(std::exchange(current(), this)) {}
  ~CallScope() { current() = outer_; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// The innermost one of this thread; null outside the wrapper's calls.
  [[nodiscard]] static CallScope*& current() noexcept {
    static thread_local CallScope* scope = nullptr;
    return scope;
  }

  /// Keeps an allocator's exception: the last one is why there is no memory.
  static void keep_from_allocator(std::exception_ptr thrown) noexcept {
    if (current() != nullptr) { current()->from_allocator_ = std::move(thrown); }
  }

  /// Keeps the first exception of a listener or notice. Answers whether there is a caller to take it.
  [[nodiscard]] static bool keep_from_listener(const std::exception_ptr& thrown) noexcept {
    if (current() == nullptr) { return false; }
    if (current()->from_listener_ == nullptr) { current()->from_listener_ = thrown; }
    return true;
  }

  /// What the call failed with, exceptions considered.
  [[nodiscard]] Failure finish(Status status) noexcept {
    if (status == QC_ERR_NO_MEMORY && from_allocator_ != nullptr) { return Failure::from(std::move(from_allocator_)); }
    if (status == QC_OK && from_listener_ != nullptr) { return Failure::from(std::move(from_listener_)); }
    return Failure(status);
  }

 private:
  CallScope* outer_;
  std::exception_ptr from_allocator_;
  std::exception_ptr from_listener_;
};

/// How many exceptions of listeners and notices went to nobody.
[[nodiscard]] inline std::atomic<std::uint64_t>& lost_exceptions() noexcept {
  static std::atomic<std::uint64_t> count{0};
  return count;
}

/// Hands an exception of a listener or notice to whoever wants it.
inline void report(const ExceptionHandler& handler, std::exception_ptr thrown) noexcept {
  if (handler) {
    handler(std::move(thrown));
  } else if (!CallScope::keep_from_listener(thrown)) {
    lost_exceptions().fetch_add(1, std::memory_order_relaxed);
  }
}

/// A listener, until the library releases it.
struct ListenerBox {
  UsageListener listener;
  ExceptionHandler on_exception;

  static void call(void* self, const UsageEvent* event) noexcept {
    auto& box = *static_cast<ListenerBox*>(self);
    try {
      box.listener(*event);
    } catch (...) {
      report(box.on_exception, std::current_exception());
    }
  }
  static void release(void* self) noexcept { delete static_cast<ListenerBox*>(self); }
};

/// A notice, until it was called.
struct NoticeBox {
  UsageNotice notice;
  ExceptionHandler on_exception;

  static void call(void* self, Status reason) noexcept {
    const std::unique_ptr<NoticeBox> box(static_cast<NoticeBox*>(self));
    try {
      box->notice(reason);
    } catch (...) {
      report(box->on_exception, std::current_exception());
    }
  }
};

/// The allocator of a tree or a group, until that gave its last block back.
class UsageMemory {
 public:
  UsageMemory(std::pmr::memory_resource* resource, std::unique_ptr<std::pmr::memory_resource> owned) noexcept
      : owned_(std::move(owned)), resource_(owned_ ? owned_.get() : resource) {}

  /// Into the options of a tree or a group.
  template <class Options>
  void install(Options& options) noexcept {
    options.alloc = &UsageMemory::allocate;
    options.free = &UsageMemory::deallocate;
    options.release = &UsageMemory::release;
    options.alloc_ctx = this;
  }

 private:
  static void* allocate(void* self, std::size_t size, std::size_t align) noexcept {
    try {
      return static_cast<UsageMemory*>(self)->resource_->allocate(size, align);
    } catch (...) {
      CallScope::keep_from_allocator(std::current_exception());
      return nullptr;
    }
  }
  static void deallocate(void* self, void* block, std::size_t size, std::size_t align) noexcept {
    static_cast<UsageMemory*>(self)->resource_->deallocate(block, size, align);
  }
  static void release(void* self) noexcept { delete static_cast<UsageMemory*>(self); }

  std::unique_ptr<std::pmr::memory_resource> owned_;
  std::pmr::memory_resource* resource_;
};

}  // namespace detail
}  // namespace queuecore

#endif
