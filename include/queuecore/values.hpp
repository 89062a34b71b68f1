// Where the objects of a history live. A trivially copyable V is stored inside the library, byte for
// byte. Any other V lives in a pool of the wrapper, at an address that stays put, and the library
// stores where. Used by History and its iterators only.

#ifndef QUEUECORE_VALUES_HPP
#define QUEUECORE_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "types.hpp"

namespace queuecore::detail {

/// V stored in the library's own value slot.
template <class V>
struct InlineValues {
  static_assert(sizeof(V) <= 1024, "the library stores at most 1024 bytes a value; hold the object by std::unique_ptr");
  static_assert(alignof(V) <= 16, "the library aligns values to 16 bytes; hold the object by std::unique_ptr");

  static constexpr std::uint32_t value_size = static_cast<std::uint32_t>(sizeof(V));

  explicit InlineValues(std::pmr::memory_resource*) noexcept {}

  [[nodiscard]] static V& at(void* slot) noexcept { return *std::launder(static_cast<V*>(slot)); }
};

/// V stored in a pool here; the library's value slot holds the place, which is empty only while the
/// library is being asked.
template <class V>
class PooledValues {
  using Places = std::pmr::list<std::optional<V>>;

 public:
  using Handle = typename Places::iterator;
  static_assert(std::is_trivially_copyable_v<Handle>, "the library moves handles as bytes");
  static constexpr std::uint32_t value_size = static_cast<std::uint32_t>(sizeof(Handle));

  explicit PooledValues(std::pmr::memory_resource* upstream) : pool_(std::make_unique<Pool>(upstream)) {}

  [[nodiscard]] static V& at(void* slot) noexcept { return **read(slot); }

  /// The place that a live entry's value slot names.
  [[nodiscard]] static Handle read(const void* slot) noexcept {
    Handle handle;
    std::memcpy(static_cast<void*>(&handle), slot, sizeof handle);
    return handle;
  }

  /// A new place at the end. Makes the object at once if that may throw (leaving nothing behind when it
  /// does); otherwise the place stays empty until the library has said that the key is new.
  template <class U>
  [[nodiscard]] Handle prepare(U&& value) {
    const Handle place = pool_->places.emplace(pool_->places.end());
    if constexpr (!std::is_nothrow_constructible_v<V, U&&>) {
      try {
        place->emplace(std::forward<U>(value));
      } catch (...) {
        drop(place);
        throw;
      }
    }
    return place;
  }

  /// The other half of prepare, once the key was added.
  template <class U>
  static void commit([[maybe_unused]] Handle place, [[maybe_unused]] U&& value) noexcept {
    if constexpr (std::is_nothrow_constructible_v<V, U&&>) { place->emplace(std::forward<U>(value)); }
  }

  /// Instead of commit, before the drop: returns what prepare had to move from `value` by std::move_if_noexcept.
  static void give_back([[maybe_unused]] Handle place, [[maybe_unused]] V& value) noexcept {
    constexpr bool moved = !std::is_nothrow_move_constructible_v<V> && !std::is_copy_constructible_v<V>;
    if constexpr (moved && std::is_move_assignable_v<V>) {
      try {
        value = std::move(**place);
      } catch (...) {  // lost, as History says; the batch has its own answer to give
      }
    }
  }

  void drop(Handle place) noexcept { pool_->places.erase(place); }

  /// Drops every place that was prepared before this one.
  void drop_before(Handle place) noexcept { pool_->places.erase(pool_->places.begin(), place); }

  /// Destroys every object and gives the pool's memory back.
  void drop_all() noexcept {
    pool_->places.clear();
    pool_->memory.release();
  }

 private:
  struct Pool {
    explicit Pool(std::pmr::memory_resource* upstream) : memory(upstream), places(&memory) {}
    std::pmr::unsynchronized_pool_resource memory;
    Places places;
  };
  std::unique_ptr<Pool> pool_;  // on the heap, so that moving a history moves nothing that is pointed at
};

template <class V>
inline constexpr bool is_pooled = !std::is_trivially_copyable_v<V>;

template <class V>
using ValuesOf = std::conditional_t<is_pooled<V>, PooledValues<V>, InlineValues<V>>;

/// What a batch is given: values to move from, or bytes to copy.
template <class V>
using BatchValue = std::conditional_t<is_pooled<V>, V, const V>;

}  // namespace queuecore::detail

#endif
