// The store behind a cursor: a class to derive from, or a set of callables; and how both cross the C boundary, with an
// allocator and the callback that says when to pull.

#ifndef QUEUECORE_CURSOR_STORE_HPP
#define QUEUECORE_CURSOR_STORE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <memory_resource>
#include <utility>

#include "cursor_types.hpp"
#include "usage_callbacks.hpp"

namespace queuecore {

/// A store of messages, as far as a cursor needs it. The cursor reads; the broker writes and deletes. Its functions are
/// called by the thread that is inside the call on the cursor, and must not call that cursor.
class CursorStore {
 public:
  virtual ~CursorStore() = default;

  /// Writes the messages that `fetch` describes to the front of `out`, which has room for `max_messages`, in ascending
  /// order of sequence, without leaving out one that is committed and pending. Returns how many; 0 means that there is none
  /// in the range. What it throws reaches the caller of the pull or browse, which has changed nothing and can be repeated.
  ///
  /// A message that was removed (Cursor::remove) while it was not in memory must not come again; one that was acknowledged
  /// may, as acks may reach the store late.
  virtual std::size_t fetch(const Fetch& fetch, Span<Stored> out) = 0;

  /// Takes note that the body of a message can go: it was fetched and is of no use, or its memory is given back. The
  /// sequence is 0 if the cursor does not know it yet. A throw would end the program.
  virtual void discard(const Stored& message) noexcept { (void)message; }

 protected:
  CursorStore() = default;
  CursorStore(const CursorStore&) = default;
  CursorStore& operator=(const CursorStore&) = default;
};

/// A store made of callables.
class FunctionStore final : public CursorStore {
 public:
  using FetchFunction = std::function<std::size_t(const Fetch&, Span<Stored>)>;
  /// May not throw: a throw ends the program.
  using DiscardFunction = std::function<void(const Stored&)>;

  /// An empty `fetch` throws std::bad_function_call when it is called.
  explicit FunctionStore(FetchFunction fetch, DiscardFunction discard = {})
      : fetch_(std::move(fetch)), discard_(std::move(discard)) {}

  std::size_t fetch(const Fetch& fetch, Span<Stored> out) override { return fetch_(fetch, out); }
  void discard(const Stored& message) noexcept override {
    if (discard_) { discard_(message); }
  }

 private:
  FetchFunction fetch_;
  DiscardFunction discard_;
};

/// Told that a pull that was blocked can make progress: see Cursor::on_ready.
using ReadyFunction = std::function<void()>;

namespace detail {

/// What the store and the allocator of a cursor threw inside a call of this thread. Calls nest: a store may use another
/// cursor.
class CursorScope {
 public:
  CursorScope() noexcept : outer_(std::exchange(current(), this)) {}
  ~CursorScope() { current() = outer_; }
  CursorScope(const CursorScope&) = delete;
  CursorScope& operator=(const CursorScope&) = delete;

  static void keep_from_store(std::exception_ptr thrown) noexcept {
    if (current() != nullptr) { current()->from_store_ = std::move(thrown); }
  }
  static void keep_from_allocator(std::exception_ptr thrown) noexcept {
    if (current() != nullptr) { current()->from_allocator_ = std::move(thrown); }
  }

  /// What the call failed with. An exception that the library could do without is nobody's failure.
  [[nodiscard]] Failure finish(Status status) noexcept {
    if (status == QC_ERR_STORE && from_store_ != nullptr) { return Failure::thrown(std::move(from_store_)); }
    if (status == QC_ERR_NO_MEMORY && from_allocator_ != nullptr) { return Failure::from(std::move(from_allocator_)); }
    return Failure(status);
  }

 private:
  [[nodiscard]] static CursorScope*& current() noexcept {
    static thread_local CursorScope* scope = nullptr;
    return scope;
  }

  CursorScope* outer_;
  std::exception_ptr from_store_;
  std::exception_ptr from_allocator_;
};

/// What a cursor was given to call back. Lives on the heap, because the library keeps its address.
class CursorHost {
 public:
  CursorHost(CursorStore* store, std::unique_ptr<CursorStore> owned_store, std::pmr::memory_resource* resource,
             std::unique_ptr<std::pmr::memory_resource> owned_resource) noexcept
      : owned_store_(std::move(owned_store)),
        store_(owned_store_ ? owned_store_.get() : store),
        owned_resource_(std::move(owned_resource)),
        resource_(owned_resource_ ? owned_resource_.get() : resource) {}

  void install(::qc_cursor_options& options, ::qc_store& store) noexcept {
    (void)::qc_store_init(&store, sizeof store);
    store.ctx = this;
    store.fetch = &CursorHost::fetch;
    store.discard = &CursorHost::discard;
    if (resource_ != nullptr) {
      options.alloc = &CursorHost::allocate;
      options.free = &CursorHost::deallocate;
      options.alloc_ctx = this;
    }
  }

  /// Whether a call that only needs memory may end with an exception.
  [[nodiscard]] bool has_memory() const noexcept { return resource_ != nullptr; }

 private:
  static std::int32_t fetch(void* self, std::uint64_t after, std::uint64_t up_to, std::uint32_t max_messages,
                            std::uint64_t max_bytes, Stored* out, std::size_t* count) noexcept {
    try {
      const Fetch fetch{after, up_to, max_messages, max_bytes};
      *count = static_cast<CursorHost*>(self)->store_->fetch(fetch, Span<Stored>(out, max_messages));
      return 0;
    } catch (...) {
      CursorScope::keep_from_store(std::current_exception());
      return -1;
    }
  }
  static void discard(void* self, const Stored* message) noexcept {
    static_cast<CursorHost*>(self)->store_->discard(*message);
  }
  static void* allocate(void* self, std::size_t size, std::size_t align) noexcept {
    try {
      return static_cast<CursorHost*>(self)->resource_->allocate(size, align);
    } catch (...) {
      CursorScope::keep_from_allocator(std::current_exception());
      return nullptr;
    }
  }
  static void deallocate(void* self, void* block, std::size_t size, std::size_t align) noexcept {
    static_cast<CursorHost*>(self)->resource_->deallocate(block, size, align);
  }

  std::unique_ptr<CursorStore> owned_store_;
  CursorStore* store_;
  std::unique_ptr<std::pmr::memory_resource> owned_resource_;
  std::pmr::memory_resource* resource_;
};

/// A callback that says when to pull, until the library releases it.
struct ReadyBox {
  ReadyFunction ready;
  ExceptionHandler on_exception;

  static void call(void* self) noexcept {
    auto& box = *static_cast<ReadyBox*>(self);
    try {
      box.ready();
    } catch (...) {
      report(box.on_exception, std::current_exception());
    }
  }
  static void release(void* self) noexcept { delete static_cast<ReadyBox*>(self); }
};

}  // namespace detail
}  // namespace queuecore

#endif
