// Carries the caller's allocator and hash functor across the C boundary: the library gets plain
// functions, exceptions stop here and are handed to the C++ caller after the library has returned.
// Used by History only; lives on the heap, because the library keeps its address.

#ifndef QUEUECORE_CALLBACKS_HPP
#define QUEUECORE_CALLBACKS_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <memory_resource>
#include <utility>

#include "types.hpp"

namespace queuecore {

/// Allocates `size` bytes aligned to `align`; nullptr, or an exception, when it cannot.
using AllocateFunction = std::function<void*(std::size_t size, std::size_t align)>;
/// Takes back what the AllocateFunction gave. May not throw: a throw ends the program.
using DeallocateFunction = std::function<void(void* block, std::size_t size, std::size_t align)>;
/// A 64-bit hash of a key; the same for the same key as long as the history lives.
using HashFunction = std::function<std::uint64_t(const Key&)>;

namespace detail {

/// Two functors as a memory resource, so that everything behind this has one form of allocator.
class FunctionResource final : public std::pmr::memory_resource {
 public:
  FunctionResource(AllocateFunction allocate, DeallocateFunction deallocate)
      : allocate_(std::move(allocate)), deallocate_(std::move(deallocate)) {}

 private:
  void* do_allocate(std::size_t size, std::size_t align) override {
    void* const block = allocate_(size, align);
    if (block == nullptr) { throw std::bad_alloc(); }
    return block;
  }
  void do_deallocate(void* block, std::size_t size, std::size_t align) override { deallocate_(block, size, align); }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  AllocateFunction allocate_;
  DeallocateFunction deallocate_;
};

/// What one history was given to call back, and what those callbacks threw.
///
/// A hash functor that throws needs care, because the library cannot be told: it would go on with a
/// wrong hash. So a functor that is not noexcept is asked for the call's own key before the library is
/// entered, where nothing has changed yet. Only a throw for some other key, inside the library (while it
/// collects or grows), makes the history unsound; then every later call is refused.
class Callbacks {
 public:
  Callbacks(std::pmr::memory_resource* resource, std::unique_ptr<std::pmr::memory_resource> owned, HashFunction hash,
            bool hash_may_throw)
      : owned_(std::move(owned)),
        resource_(owned_ ? owned_.get() : resource),
        hash_(std::move(hash)),
        hash_may_throw_(hash_may_throw) {}

  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  /// Points the options at the functions below.
  void install(::qc_history_options& options) noexcept {
    if (resource_ != nullptr) {
      options.alloc = &Callbacks::allocate;
      options.free = &Callbacks::deallocate;
      options.alloc_ctx = this;
    }
    if (hash_) {
      options.hash = &Callbacks::hash;
      options.hash_ctx = this;
    }
  }

  /// Where the wrapper's own objects live.
  [[nodiscard]] std::pmr::memory_resource* resource() const noexcept {
    return resource_ != nullptr ? resource_ : std::pmr::new_delete_resource();
  }

  [[nodiscard]] bool asks_before() const noexcept { return hash_may_throw_; }

  /// Before a call about `key`: refuses when unsound, and takes the hash where a throw does no harm.
  [[nodiscard]] Failure enter(const Key* key) noexcept {
    if (unsound_) { return Failure(QC_ERR_POISONED, "the hash functor threw inside an earlier call"); }
    thrown_ = nullptr;
    asked_ = false;
    if (key == nullptr || !hash_may_throw_) { return Failure(QC_OK); }
    try {
      asked_hash_ = hash_(*key);
    } catch (...) {
      return Failure::from(std::current_exception());
    }
    asked_key_ = *key;
    asked_ = true;
    return Failure(QC_OK);
  }

  /// After a call: what it failed with, the callbacks' exceptions considered.
  [[nodiscard]] Failure leave(Status status) noexcept {
    asked_ = false;
    // An allocator's exception the library could do without is nobody's failure.
    const bool blame_callbacks = unsound_ || status == QC_ERR_NO_MEMORY;
    if (thrown_ != nullptr && blame_callbacks) { return Failure::from(std::exchange(thrown_, nullptr)); }
    return Failure(status);
  }

 private:
  static void* allocate(void* self, std::size_t size, std::size_t align) noexcept {
    auto& callbacks = *static_cast<Callbacks*>(self);
    try {
      return callbacks.resource_->allocate(size, align);
    } catch (...) {
      callbacks.thrown_ = std::current_exception();
      return nullptr;
    }
  }

  static void deallocate(void* self, void* block, std::size_t size, std::size_t align) noexcept {
    static_cast<Callbacks*>(self)->resource_->deallocate(block, size, align);
  }

  static std::uint64_t hash(void* self, const Key* key) noexcept {
    auto& callbacks = *static_cast<Callbacks*>(self);
    if (callbacks.asked_ && same_key(callbacks.asked_key_, *key)) { return callbacks.asked_hash_; }
    try {
      return callbacks.hash_(*key);
    } catch (...) {
      callbacks.thrown_ = std::current_exception();
      callbacks.unsound_ = true;
      return 0;
    }
  }

  std::unique_ptr<std::pmr::memory_resource> owned_;
  std::pmr::memory_resource* resource_;
  HashFunction hash_;
  bool hash_may_throw_;
  bool asked_ = false;
  bool unsound_ = false;
  std::uint64_t asked_hash_ = 0;
  Key asked_key_{};
  std::exception_ptr thrown_;
};

}  // namespace detail
}  // namespace queuecore

#endif
