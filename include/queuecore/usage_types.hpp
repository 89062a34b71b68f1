// The small types of the usage meter: events, figures, timeouts, the answer of a reservation.

#ifndef QUEUECORE_USAGE_TYPES_HPP
#define QUEUECORE_USAGE_TYPES_HPP

#include <cstdint>
#include <utility>

#include "types.hpp"

namespace queuecore {

/// One step of a tracker's percent: tag, old_percent, new_percent.
using UsageEvent = ::qc_usage_event;

/// A child in an enumeration: tag, usage_bytes, limit_bytes, percent.
using UsageChild = ::qc_usage_child;

/// Every figure of a tracker and its tree; queuecore.h says what each one is.
using UsageStats = struct ::qc_usage_stats;

/// How long a wait may last: any std::chrono duration, or Timeout::forever(). What is negative counts as 0, so that a
/// deadline that has passed is no wait without end.
class Timeout {
 public:
  template <class Rep, class Period>
  constexpr Timeout(std::chrono::duration<Rep, Period> span) noexcept : Timeout(Nanos(span)) {}
  constexpr Timeout(Nanos span) noexcept : ns_(span.count() < 0 ? 0 : span.count()) {}

  [[nodiscard]] static constexpr Timeout forever() noexcept {
    Timeout timeout{Nanos(0)};
    timeout.ns_ = -1;
    return timeout;
  }

  /// As the C library takes it: negative is without end.
  [[nodiscard]] constexpr std::int64_t count() const noexcept { return ns_; }

 private:
  std::int64_t ns_;
};

/// The answer of Tracker::try_reserve and try_reserve_wait. True when the amount was counted; when not, nothing was, and
/// status() says whether that is an answer (QC_OK: no room; QC_ERR_TIMED_OUT) or a failure.
class [[nodiscard]] Admission {
 public:
  explicit Admission(bool admitted) noexcept : admitted_(admitted), failure_(QC_OK) {}
  Admission(Failure failure) noexcept : admitted_(false), failure_(std::move(failure)) {}  // implicit: `return failure;`

  explicit operator bool() const noexcept { return admitted_; }
  [[nodiscard]] bool admitted() const noexcept { return admitted_; }

  /// Whether it was admitted; throws what the call without `try_` would have thrown on a failure.
  [[nodiscard]] bool value() const {
    if (failure_.failed() && failure_.status() != QC_ERR_TIMED_OUT) { failure_.raise(); }
    return admitted_;
  }
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] Status status() const noexcept { return failure_.status(); }
  [[nodiscard]] const char* detail() const noexcept { return failure_.detail(); }

 private:
  bool admitted_;
  Failure failure_;
};

/// A reservation of Tracker::reserve_notify, or a notice of space_notify. It may be copied; one cancel finds it, once.
struct [[nodiscard]] UsageReservation {
  std::uint64_t ticket;  ///< 0 if there is nothing to wait for
  void* box;             ///< the library's own

  [[nodiscard]] bool is_counted() const noexcept { return ticket == 0; }
};

}  // namespace queuecore

#endif
