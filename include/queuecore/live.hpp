// Iterators over the live order of a history, oldest insert first.

#ifndef QUEUECORE_LIVE_HPP
#define QUEUECORE_LIVE_HPP

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "types.hpp"
#include "values.hpp"

namespace queuecore {

template <class V>
class History;

/// A bidirectional walk over live entries; `QualifiedV` is V or const V. Dereferencing gives an Item by
/// value, whose `value` refers to the object itself. An iterator stays good while its entry is live,
/// whatever else is inserted or erased, and when the History object is moved; using one whose entry is
/// gone throws Error with QC_ERR_STALE_HANDLE. Every step is one call of the library, O(1).
///
/// A std::reverse_iterator stands on its base, the entry after the one that it shows: it is the base's end
/// that ends it. To erase while walking backwards, take -- from end() on, and go on from what erase returns.
template <class QualifiedV>
class LiveIterator {
  using V = std::remove_const_t<QualifiedV>;

  struct Arrow {
    Item<QualifiedV> item;
    Item<QualifiedV>* operator->() noexcept { return &item; }
  };

 public:
  using iterator_category = std::bidirectional_iterator_tag;  // reference is a proxy, as for vector<bool>
  using iterator_concept = std::bidirectional_iterator_tag;
  using value_type = Item<QualifiedV>;
  using difference_type = std::ptrdiff_t;
  using reference = Item<QualifiedV>;
  using pointer = Arrow;

  LiveIterator() noexcept = default;

  template <class Other, class = std::enable_if_t<std::is_same_v<Other, V> && !std::is_same_v<Other, QualifiedV>>>
  LiveIterator(const LiveIterator<Other>& other) noexcept : history_(other.history_), entry_(other.entry_) {}

  [[nodiscard]] reference operator*() const {
    ::qc_entry_info info;
    check(::qc_history_entry_info(history_, entry_, &info));
    return {entry_, info.key, info.inserted_at_ns, detail::ValuesOf<V>::at(info.value)};
  }
  [[nodiscard]] pointer operator->() const { return {**this}; }

  LiveIterator& operator++() {
    check(::qc_history_next(history_, entry_, &entry_));
    return *this;
  }
  LiveIterator operator++(int) {
    LiveIterator before = *this;
    ++*this;
    return before;
  }
  /// From end() to the newest entry; before the oldest there is nothing, as ever.
  LiveIterator& operator--() {
    check(entry_ == 0 ? ::qc_history_last(history_, &entry_) : ::qc_history_prev(history_, entry_, &entry_));
    return *this;
  }
  LiveIterator operator--(int) {
    LiveIterator before = *this;
    --*this;
    return before;
  }

  /// The entry that the iterator is at; 0 at end().
  [[nodiscard]] Entry entry() const noexcept { return entry_; }

  [[nodiscard]] friend bool operator==(const LiveIterator& a, const LiveIterator& b) noexcept {
    return a.entry_ == b.entry_ && a.history_ == b.history_;
  }
  [[nodiscard]] friend bool operator!=(const LiveIterator& a, const LiveIterator& b) noexcept { return !(a == b); }

 private:
  template <class Other>
  friend class LiveIterator;
  friend class History<V>;

  LiveIterator(::qc_history* history, Entry entry) noexcept : history_(history), entry_(entry) {}

  static void check(Status status) {
    if (status != QC_OK) { Failure(status).raise(); }
  }

  ::qc_history* history_ = nullptr;
  Entry entry_ = 0;
};

}  // namespace queuecore

#endif
