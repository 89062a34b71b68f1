// The small types that calls take and give: keys, entry handles, times, spans, answers.

#ifndef QUEUECORE_TYPES_HPP
#define QUEUECORE_TYPES_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <ratio>
#include <type_traits>
#include <utility>

#include "error.hpp"

namespace queuecore {

/// A message identifier: 16 bytes, compared as bytes.
using Key = ::qc_key;

/// A live entry: an opaque number with a generation, 0 for none. One that is no longer live is answered
/// with QC_ERR_STALE_HANDLE and never means another entry.
using Entry = ::qc_entry;

/// The key whose 16 bytes start at `bytes`.
[[nodiscard]] inline Key key_from(const void* bytes) noexcept {
  Key key;
  std::memcpy(key.bytes, bytes, sizeof key.bytes);
  return key;
}

[[nodiscard]] inline bool same_key(const Key& a, const Key& b) noexcept {
  return std::memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

/// A time or a span of time in ns, made from an int64 in ns or from any std::chrono duration or time
/// point. Fractions of a ns are cut off. What does not fit into int64 ns becomes the nearest end, and what is
/// not a number the lowest; every call then refuses it.
class Nanos {
 public:
  constexpr Nanos(std::int64_t ns) noexcept : ns_(ns) {}  // implicit: plain int64 ns is the C library's form

  template <class Rep, class Period>
  constexpr Nanos(std::chrono::duration<Rep, Period> span) noexcept : ns_(saturate(span)) {}

  template <class Clock, class Duration>
  constexpr Nanos(std::chrono::time_point<Clock, Duration> at) noexcept : Nanos(at.time_since_epoch()) {}

  [[nodiscard]] constexpr std::int64_t count() const noexcept { return ns_; }

 private:
  using Limits = std::numeric_limits<std::int64_t>;

  template <class Rep, class Period>
  static constexpr std::int64_t saturate(std::chrono::duration<Rep, Period> span) noexcept {
    using Factor = std::ratio_divide<Period, std::nano>;
    if constexpr (std::is_floating_point_v<Rep>) {
      const long double ns = static_cast<long double>(span.count()) * Factor::num / Factor::den;
      if (ns >= 9223372036854775808.0L) { return Limits::max(); }
      return ns > -9223372036854775808.0L ? static_cast<std::int64_t>(ns) : Limits::min();  // NaN is not greater
    } else if constexpr (std::is_unsigned_v<Rep>) {
      static_assert(sizeof(Rep) <= sizeof(std::uint64_t), "a count of more than 64 bits");
      return scaled<Factor>(span.count(), false);
    } else {
      static_assert(!std::is_integral_v<Rep> || sizeof(Rep) <= sizeof(std::int64_t), "a count of more than 64 bits");
      const auto count = static_cast<std::int64_t>(span.count());
      const auto bits = static_cast<std::uint64_t>(count);
      return scaled<Factor>(count < 0 ? 0 - bits : bits, count < 0);
    }
  }

  /// `count` times Factor, without a step that can overflow: whole parts and the rest each for themselves.
  template <class Factor>
  static constexpr std::int64_t scaled(std::uint64_t count, bool negative) noexcept {
    static_assert(Factor::num <= Limits::max() / Factor::den, "a period of more than 63 bits in ns");
    constexpr auto num = static_cast<std::uint64_t>(Factor::num);
    constexpr auto den = static_cast<std::uint64_t>(Factor::den);
    constexpr auto most = static_cast<std::uint64_t>(Limits::max());
    const std::uint64_t rest = count % den * num / den;
    const std::uint64_t whole = count / den;
    if (whole > most / num || whole * num > most - rest) { return negative ? Limits::min() : Limits::max(); }
    const auto ns = static_cast<std::int64_t>(whole * num + rest);
    return negative ? -ns : ns;
  }

  std::int64_t ns_;
};

/// A run of elements that someone else owns: a pointer and a count, or anything contiguous
/// (std::vector, std::array, a C array, std::span).
template <class T>
class Span {
 public:
  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  template <class C, class = std::enable_if_t<!std::is_same_v<std::decay_t<C>, Span>>,
            class Data = decltype(std::data(std::declval<C&>())), class = decltype(std::size(std::declval<C&>())),
            class = std::enable_if_t<std::is_convertible_v<std::remove_pointer_t<Data> (*)[], T (*)[]>>>
  constexpr Span(C&& elements) noexcept : data_(std::data(elements)), size_(std::size(elements)) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// What an insert or a readmit found.
enum class Outcome : std::uint32_t {
  added = QC_ADDED,                          ///< the key was new and is live now
  duplicate_live = QC_DUPLICATE_LIVE,        ///< the key is live already; nothing changed
  duplicate_history = QC_DUPLICATE_HISTORY,  ///< the key was erased inside its window; nothing changed
};

/// What a lookup found.
enum class Presence : std::uint32_t {
  absent = QC_ABSENT,
  live = QC_LIVE,
  historical = QC_HISTORICAL,
};

/// Where an erased entry went.
enum class Erased : std::uint32_t {
  historical = QC_ERASED_HISTORICAL,  ///< its key stays known until its window has passed
  gone = QC_ERASED_GONE,              ///< its window had passed already
};

/// Who collects what has expired.
enum class GcPolicy : std::uint32_t {
  steady = QC_GC_STEADY,        ///< every insert collects a few, always
  on_demand = QC_GC_ON_DEMAND,  ///< after a gc() that left work, every insert collects until none is left
  scheduled = QC_GC_SCHEDULED,  ///< only gc() collects
};

/// How long an erased key is seen.
enum class Visibility : std::uint32_t {
  until_expiry = QC_VISIBLE_UNTIL_EXPIRY,        ///< to the tick, however far collection has got
  until_collected = QC_VISIBLE_UNTIL_COLLECTED,  ///< until it is physically collected
};

/// What happens when `max_history` is reached.
enum class Overflow : std::uint32_t {
  reject = QC_OVERFLOW_REJECT,              ///< erase answers QC_ERR_CAPACITY
  evict_oldest = QC_OVERFLOW_EVICT_OLDEST,  ///< the oldest erased key is forgotten early, and counted
};

/// The answer of an insert or a readmit.
struct Inserted {
  Entry entry = 0;  ///< the new entry, or the live one already there; 0 for duplicate_history
  Outcome outcome = Outcome::added;

  [[nodiscard]] bool added() const noexcept { return outcome == Outcome::added; }
};

/// The answer of a gc().
struct GcResult {
  std::uint64_t collected = 0;  ///< erased keys that were removed
  bool more = false;            ///< the oldest entry is due right now: there is work left
};

/// Every counter of the library; queuecore.h says what each one counts.
using HistoryStats = struct ::qc_history_stats;

/// How far a batch got: the first `done` elements are done, and `failure` says why not the next.
struct [[nodiscard]] BatchResult {
  std::size_t done = 0;
  Failure failure{QC_OK};

  explicit operator bool() const noexcept { return !failure.failed(); }
  [[nodiscard]] Status status() const noexcept { return failure.status(); }
  [[nodiscard]] const char* detail() const noexcept { return failure.detail(); }

  /// Throws when the batch stopped early; the Error has done() too.
  void value() const {
    if (failure.failed()) { failure.raise(done); }
  }
};

/// One live entry, as the iterators and History::info give it. `value` stays where it is until the
/// entry is erased or forgotten, or the history cleared or destroyed.
template <class V>
struct Item {
  Entry entry;
  Key key;
  std::int64_t inserted_at_ns;
  V& value;
};

}  // namespace queuecore

#endif
