// Tracker: an exact memory meter with a limit, alone or below another one.

#ifndef QUEUECORE_USAGE_HPP
#define QUEUECORE_USAGE_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "usage_callbacks.hpp"
#include "usage_fast.hpp"
#include "usage_options.hpp"
#include "usage_types.hpp"

namespace queuecore {

/// Owns one tracker of the library. What a tracker counts, every tracker above it counts too.
///
/// Errors: `x()` throws Error, `try_x()` is noexcept and returns the same as a Result or an Admission. A call that failed
/// has changed nothing. Every call may answer QC_ERR_NULL_HANDLE (moved-from), QC_ERR_POISONED and QC_ERR_PANIC; further
/// ones stand at the call. An exception of an allocator reaches the caller of the call that needed memory. One of a
/// listener or a notice goes to the handler that was given with it; without one it reaches the caller whose call delivered
/// it, and *that call itself is done* (in a Result: QC_ERR_CALLBACK, the exception in exception()); and where no call of
/// this wrapper is running it is counted in lost_exceptions().
///
/// Threads: any number at once, for every call. Only moving a tracker and ending it (destructor, destroy, assignment) are
/// for one thread alone, while no other uses the object; other trackers of its tree do not matter, and neither do threads
/// that wait in it: their waits end with QC_ERR_DESTROYED. The library itself would bear more, but increase, decrease,
/// is_full and percent work on the tracker's memory without a call.
///
/// Complexity: usually one exchange on a line of this processor's own for increase, decrease and reserve, and one load a
/// level for is_full and percent. queuecore.h says it for each call.
class Tracker {
 public:
  /// The root of a new tree. QC_ERR_OUT_OF_RANGE, QC_ERR_INVALID_ARGUMENT, QC_ERR_NO_MEMORY, QC_ERR_CAPACITY.
  explicit Tracker(const UsageOptions& options = UsageOptions()) : Tracker(create(options).value()) {}

  /// The same, as a Result.
  [[nodiscard]] static Result<Tracker> create(const UsageOptions& options) noexcept {
    if (Failure wrong = options.check(true); wrong.failed()) { return wrong; }
    try {
      std::unique_ptr<detail::UsageMemory> memory = options.make_memory();
      ::qc_usage_options raw = options.raw();
      if (memory) { memory->install(raw); }
      ::qc_usage* made = nullptr;
      Failure failure = run([&] { return ::qc_usage_create(&raw, &made); });
      if (failure.failed()) { return failure; }
      (void)memory.release();  // the library releases it from here on
      return Tracker(made);
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }

  /// A tracker below this one. The first child of a tracker that counts itself is made before its own operations, or while
  /// none of them runs. QC_ERR_OUT_OF_RANGE, QC_ERR_INVALID_ARGUMENT, QC_ERR_NO_MEMORY, QC_ERR_CAPACITY.
  [[nodiscard]] Result<Tracker> try_child(const UsageOptions& options = UsageOptions()) noexcept {
    if (Failure wrong = options.check(false); wrong.failed()) { return wrong; }
    ::qc_usage* made = nullptr;
    Failure failure = run([&] { return ::qc_usage_create_child(handle(), &options.raw(), &made); });
    if (made == nullptr) { return failure; }
    Tracker child(made);  // ends again if a listener threw: then the caller gets the exception instead
    if (failure.failed()) { return failure; }
    return child;
  }
  [[nodiscard]] Tracker child(const UsageOptions& options = UsageOptions()) { return try_child(options).value(); }

  /// Moving hands the tracker over. What was moved from can be assigned to, destroyed and asked for valid(); calls answer
  /// QC_ERR_NULL_HANDLE.
  Tracker(Tracker&& other) noexcept
      : handle_(other.take_handle()), node_(std::exchange(other.node_, detail::UsageNode())) {}
  Tracker& operator=(Tracker&& other) noexcept {
    Tracker incoming(std::move(other));
    swap(*this, incoming);
    return *this;
  }
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  /// Ends the tracker: what it still counted itself is taken off every level above.
  ~Tracker() { (void)::qc_usage_destroy(handle(), nullptr); }  // NULL is a no-op

  friend void swap(Tracker& a, Tracker& b) noexcept {
    ::qc_usage* const was_a = a.handle();
    a.handle_.store(b.handle(), std::memory_order_relaxed);
    b.handle_.store(was_a, std::memory_order_relaxed);
    std::swap(a.node_, b.node_);
  }

  /// Ends the tracker, as the destructor does, and tells what was taken off.
  [[nodiscard]] Result<std::int64_t> try_destroy() noexcept {
    if (!valid()) { return no_handle(); }
    node_ = detail::UsageNode();
    std::int64_t residual = 0;
    ::qc_usage* const ended = take_handle();
    Failure failure = run([&] { return ::qc_usage_destroy(ended, &residual); });
    return answer(std::move(failure), residual);
  }
  std::int64_t destroy() { return try_destroy().value(); }

  /// Whether this owns a tracker; false once moved from or destroyed.
  [[nodiscard]] bool valid() const noexcept { return handle() != nullptr; }

  /// The handle of the C library, still owned by this object.
  [[nodiscard]] ::qc_usage* native_handle() const noexcept { return handle(); }

  // ---- counting ----

  /// Counts `bytes` more, here and above. Never refuses for want of space. QC_ERR_OUT_OF_RANGE above 2^56; QC_ERR_LEVEL.
  [[nodiscard]] Result<void> try_increase(std::uint64_t bytes) noexcept {
    if (node_.take(bytes)) { return {}; }
    return increase_by_call(bytes);
  }
  void increase(std::uint64_t bytes) {
    if (!node_.take(bytes)) { increase_by_call(bytes).value(); }
  }

  /// Counts `bytes` less, here and above. Below zero is counted and shown. As increase.
  [[nodiscard]] Result<void> try_decrease(std::uint64_t bytes) noexcept {
    if (node_.put_back(bytes)) { return {}; }
    return decrease_by_call(bytes);
  }
  void decrease(std::uint64_t bytes) {
    if (!node_.put_back(bytes)) { decrease_by_call(bytes).value(); }
  }

  /// Counts `bytes` more if they fit under every limit, behind everybody who waits with a reservation. Answers whether
  /// they did. QC_ERR_OUT_OF_RANGE above 2^56.
  [[nodiscard]] Admission try_reserve(std::uint64_t bytes) noexcept {
    if (node_.take(bytes)) { return Admission(true); }
    return reserve_by_call(bytes);
  }
  [[nodiscard]] bool reserve(std::uint64_t bytes) { return node_.take(bytes) || reserve_by_call(bytes).value(); }

  /// Sets what the tracker itself counts; the levels above follow. QC_ERR_OUT_OF_RANGE outside +-2^56; QC_ERR_LEVEL.
  [[nodiscard]] Result<void> try_set_usage(std::int64_t bytes) noexcept {
    return run([&] { return ::qc_usage_set_usage(handle(), bytes); });
  }
  void set_usage(std::int64_t bytes) { try_set_usage(bytes).value(); }

  // ---- waiting ----

  /// As reserve, but waits for its turn: the space is held for the first in line. False when the time was up.
  /// QC_ERR_STOPPED, QC_ERR_DESTROYED, QC_ERR_NEVER_FITS, QC_ERR_OUT_OF_RANGE.
  [[nodiscard]] Admission try_reserve_wait(std::uint64_t bytes, Timeout timeout) noexcept {
    Failure failure = run([&] { return ::qc_usage_reserve_wait(handle(), bytes, timeout.count()); });
    if (failure.failed()) { return failure; }
    return Admission(true);
  }
  [[nodiscard]] bool reserve_wait(std::uint64_t bytes, Timeout timeout) {
    return try_reserve_wait(bytes, timeout).value();
  }

  /// As reserve_wait, without a thread that waits: what does not fit now stands in the same line, and `notice` is called
  /// once, by any thread, when it is counted (QC_OK), or with the reason why it will not be (QC_ERR_STOPPED,
  /// QC_ERR_DESTROYED), unless cancel takes it back. If it is counted now, `notice` is dropped. As reserve_wait;
  /// QC_ERR_INVALID_ARGUMENT if the notice is empty; QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<UsageReservation> try_reserve_notify(std::uint64_t bytes, UsageNotice notice,
                                                            ExceptionHandler on_exception = {}) noexcept {
    UsageReservation made{0, nullptr};
    Failure failure = ask(std::move(notice), std::move(on_exception), made.box, made.ticket, [&](void* box) {
      return ::qc_usage_reserve_notify(handle(), bytes, &detail::NoticeBox::call, box, &made.ticket);
    });
    return answer(std::move(failure), made);
  }
  UsageReservation reserve_notify(std::uint64_t bytes, UsageNotice notice, ExceptionHandler on_exception = {}) {
    return try_reserve_notify(bytes, std::move(notice), std::move(on_exception)).value();
  }

  /// Takes a reservation of reserve_notify, or a notice of space_notify, back. True: nothing is counted for it, and its notice is dropped. False: its
  /// notice was called, or will be in a moment.
  [[nodiscard]] Result<bool> try_cancel(const UsageReservation& reservation) noexcept {
    std::uint8_t cancelled = 0;
    Failure failure = run([&] {
      const Status status = ::qc_usage_reserve_cancel(handle(), reservation.ticket, &cancelled);
      if (cancelled != 0) { delete static_cast<detail::NoticeBox*>(reservation.box); }
      return status;
    });
    return answer(std::move(failure), cancelled != 0);
  }
  bool cancel(const UsageReservation& reservation) { return try_cancel(reservation).value(); }

  /// Waits until every limited level is below `percent`, 1 or more. False when the time was up. In the Result that is
  /// QC_ERR_TIMED_OUT. QC_ERR_STOPPED, QC_ERR_DESTROYED, QC_ERR_OUT_OF_RANGE.
  [[nodiscard]] Result<void> try_wait_for_space(Timeout timeout, std::int32_t percent = 100) noexcept {
    return run([&] { return ::qc_usage_wait_for_space(handle(), timeout.count(), percent); });
  }
  bool wait_for_space(Timeout timeout, std::int32_t percent = 100) {
    const Result<void> waited = try_wait_for_space(timeout, percent);
    if (waited.status() == QC_ERR_TIMED_OUT) { return false; }
    waited.value();
    return true;
  }

  /// Has `notice` called once, by any thread, when every limited level from here up is below `percent` (QC_OK), or with
  /// the reason why it will not be told that (QC_ERR_STOPPED, QC_ERR_DESTROYED). False, and not called, if all are below it
  /// now. It may call into any tracker. `on_exception` gets what it throws. QC_ERR_INVALID_ARGUMENT if it is empty;
  /// QC_ERR_OUT_OF_RANGE for a percent below 1; QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<bool> try_notify_when_below(std::int32_t percent, UsageNotice notice,
                                                   ExceptionHandler on_exception = {}) noexcept {
    std::uint8_t registered = 0;
    void* made = nullptr;
    Failure failure = ask(std::move(notice), std::move(on_exception), made, registered, [&](void* box) {
      return ::qc_usage_notify_when_below(handle(), percent, &detail::NoticeBox::call, box, &registered);
    });
    return answer(std::move(failure), registered != 0);
  }
  bool notify_when_below(std::int32_t percent, UsageNotice notice, ExceptionHandler on_exception = {}) {
    return try_notify_when_below(percent, std::move(notice), std::move(on_exception)).value();
  }

  /// As notify_when_below, to be taken back by cancel and asked after by is_in_line. If all are below it now,
  /// `is_counted` of the answer, and `notice` is dropped.
  [[nodiscard]] Result<UsageReservation> try_space_notify(std::int32_t percent, UsageNotice notice,
                                                          ExceptionHandler on_exception = {}) noexcept {
    UsageReservation made{0, nullptr};
    Failure failure = ask(std::move(notice), std::move(on_exception), made.box, made.ticket, [&](void* box) {
      return ::qc_usage_space_notify(handle(), percent, &detail::NoticeBox::call, box, &made.ticket);
    });
    return answer(std::move(failure), made);
  }
  UsageReservation space_notify(std::int32_t percent, UsageNotice notice, ExceptionHandler on_exception = {}) {
    return try_space_notify(percent, std::move(notice), std::move(on_exception)).value();
  }

  /// Whether what reserve_notify or space_notify was asked for still stands in line: it has not come up to now.
  [[nodiscard]] Result<bool> try_is_in_line(const UsageReservation& reservation) noexcept {
    return truth([&](std::uint8_t* out) { return ::qc_usage_is_in_line(handle(), reservation.ticket, out); });
  }
  bool is_in_line(const UsageReservation& reservation) { return try_is_in_line(reservation).value(); }

  /// As notify_when_below for 100 percent: when nothing is full.
  [[nodiscard]] Result<bool> try_notify_when_not_full(UsageNotice notice, ExceptionHandler on_exception = {}) noexcept {
    return try_notify_when_below(100, std::move(notice), std::move(on_exception));
  }
  bool notify_when_not_full(UsageNotice notice, ExceptionHandler on_exception = {}) {
    return notify_when_below(100, std::move(notice), std::move(on_exception));
  }

  /// Ends all waits here and below with QC_ERR_STOPPED, and answers new ones so; start lets them begin again.
  [[nodiscard]] Result<void> try_stop() noexcept {
    return run([&] { return ::qc_usage_stop(handle()); });
  }
  void stop() { try_stop().value(); }
  [[nodiscard]] Result<void> try_start() noexcept {
    return run([&] { return ::qc_usage_start(handle()); });
  }
  void start() { try_start().value(); }

  // ---- asking ----

  /// Whether this tracker, or one above it, is at 100 percent or more.
  [[nodiscard]] bool is_full() const { return node_.is_known() ? node_.is_full() : try_is_full().value(); }
  [[nodiscard]] Result<bool> try_is_full() const noexcept {
    return truth([&](std::uint8_t* out) { return ::qc_usage_is_full(handle(), out); });
  }

  /// The percent of its own limit that is used, truncated to a multiple of its step; 0 without a limit.
  [[nodiscard]] std::int32_t percent() const {
    std::int32_t percent = 0;
    return node_.percent(percent) ? percent : try_percent().value();
  }
  [[nodiscard]] Result<std::int32_t> try_percent() const noexcept {
    return number<std::int32_t>([&](std::int32_t* out) { return ::qc_usage_percent(handle(), out); });
  }

  /// Whether this tracker, or one above it, is at `percent` or more of its own limit.
  [[nodiscard]] bool is_full_at(std::int32_t percent) const { return try_is_full_at(percent).value(); }
  [[nodiscard]] Result<bool> try_is_full_at(std::int32_t percent) const noexcept {
    return truth([&](std::uint8_t* out) { return ::qc_usage_is_full_at(handle(), percent, out); });
  }

  /// Whether the percent reached the upper mark and has not been below the lower one since.
  [[nodiscard]] bool is_over_mark() const { return try_is_over_mark().value(); }
  [[nodiscard]] Result<bool> try_is_over_mark() const noexcept {
    return truth([&](std::uint8_t* out) { return ::qc_usage_is_over_mark(handle(), out); });
  }

  /// What is counted; exact while nobody writes. usage_exact: at one moment of the call, whoever writes; it costs more.
  [[nodiscard]] std::int64_t usage() const { return try_usage().value(); }
  [[nodiscard]] Result<std::int64_t> try_usage() const noexcept {
    return number<std::int64_t>([&](std::int64_t* out) { return ::qc_usage_usage(handle(), out); });
  }
  [[nodiscard]] std::int64_t usage_exact() const { return try_usage_exact().value(); }
  [[nodiscard]] Result<std::int64_t> try_usage_exact() const noexcept {
    return number<std::int64_t>([&](std::int64_t* out) { return ::qc_usage_usage_exact(handle(), out); });
  }

  /// The limit; 0 without one.
  [[nodiscard]] std::uint64_t limit() const { return try_limit().value(); }
  [[nodiscard]] Result<std::uint64_t> try_limit() const noexcept {
    return number<std::uint64_t>([&](std::uint64_t* out) { return ::qc_usage_limit(handle(), out); });
  }

  /// Every figure of the tracker and its tree.
  [[nodiscard]] UsageStats stats() const { return try_stats().value(); }
  [[nodiscard]] Result<UsageStats> try_stats() const noexcept {
    UsageStats stats{};
    stats.struct_size = static_cast<std::uint32_t>(sizeof stats);
    Failure failure = run([&] { return ::qc_usage_stats(handle(), &stats); });
    return answer(std::move(failure), stats);
  }

  /// The children at one moment, in no particular order.
  [[nodiscard]] std::vector<UsageChild> children() const {
    std::vector<UsageChild> children;
    for (;;) {
      std::size_t count = 0;
      Result<void>(run([&] {
        return ::qc_usage_children(handle(), children.data(), children.size(), &count);
      })).value();
      const bool was_room = count <= children.size();
      children.resize(count);
      if (was_room) { return children; }
    }
  }

  // ---- settings ----

  /// Sets a limit, 0 for none; a share of the parent's is given up. QC_ERR_OUT_OF_RANGE above 2^62.
  [[nodiscard]] Result<void> try_set_limit(std::uint64_t bytes) noexcept {
    return run([&] { return ::qc_usage_set_limit(handle(), bytes); });
  }
  void set_limit(std::uint64_t bytes) { try_set_limit(bytes).value(); }

  /// Takes a share of the parent's limit instead. QC_ERR_OUT_OF_RANGE; QC_ERR_INVALID_ARGUMENT on a root.
  [[nodiscard]] Result<void> try_set_share_ppm(std::uint32_t parts_per_million) noexcept {
    return run([&] { return ::qc_usage_set_share(handle(), parts_per_million); });
  }
  void set_share_ppm(std::uint32_t parts_per_million) { try_set_share_ppm(parts_per_million).value(); }

  /// Sets the step in which percents count. QC_ERR_OUT_OF_RANGE for 0.
  [[nodiscard]] Result<void> try_set_min_delta_percent(std::uint32_t percent) noexcept {
    return run([&] { return ::qc_usage_set_min_delta(handle(), percent); });
  }
  void set_min_delta_percent(std::uint32_t percent) { try_set_min_delta_percent(percent).value(); }

  /// Sets or removes the pair of percents of is_over_mark. QC_ERR_OUT_OF_RANGE; QC_ERR_INVALID_ARGUMENT if `low` is above
  /// `high`; QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<void> try_set_marks(std::int32_t low, std::int32_t high) noexcept {
    return run([&] { return ::qc_usage_set_marks(handle(), low, high); });
  }
  void set_marks(std::int32_t low, std::int32_t high) { try_set_marks(low, high).value(); }
  [[nodiscard]] Result<void> try_clear_marks() noexcept {
    return run([&] { return ::qc_usage_clear_marks(handle()); });
  }
  void clear_marks() { try_clear_marks().value(); }

  // ---- events ----

  /// Has `listener` called with every percent step from now on, by any thread whose call comes to deliver it, one at a time
  /// in a tree, outside all locks. It may call into any tracker. It is destroyed when it is not called any more, by
  /// whichever thread sees to that. `on_exception` gets what it throws. QC_ERR_INVALID_ARGUMENT if it is empty;
  /// QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<void> try_set_listener(UsageListener listener, ExceptionHandler on_exception = {}) noexcept {
    if (!listener) { return Failure(QC_ERR_INVALID_ARGUMENT, "the listener is empty"); }
    try {
      std::unique_ptr<detail::ListenerBox> box(new detail::ListenerBox{std::move(listener), std::move(on_exception)});
      return run([&] {
        const Status status = ::qc_usage_set_listener(handle(), &detail::ListenerBox::call, box.get(),
                                                      &detail::ListenerBox::release);
        if (status == QC_OK) { (void)box.release(); }  // the library releases it from here on
        return status;
      });
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }
  void set_listener(UsageListener listener, ExceptionHandler on_exception = {}) {
    try_set_listener(std::move(listener), std::move(on_exception)).value();
  }

  /// Keeps percent steps for poll_events instead, from now on. QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<void> try_keep_events() noexcept {
    return run([&] { return ::qc_usage_keep_events(handle()); });
  }
  void keep_events() { try_keep_events().value(); }

  /// Ends the events of this tracker; those that wait are gone. A listener may be running still, in another thread.
  [[nodiscard]] Result<void> try_clear_events() noexcept {
    return run([&] { return ::qc_usage_clear_events(handle()); });
  }
  void clear_events() { try_clear_events().value(); }

  /// Takes the events of all trackers of the tree that keep them, as many as fit. Returns how many.
  [[nodiscard]] Result<std::size_t> try_poll_events(Span<UsageEvent> events) noexcept {
    return number<std::size_t>([&](std::size_t* out) {
      return ::qc_usage_poll_events(handle(), events.data(), events.size(), out);
    });
  }
  std::size_t poll_events(Span<UsageEvent> events) { return try_poll_events(events).value(); }

  /// A descriptor that is readable while there are events to poll; the tree's: neither read nor close it.
  /// QC_ERR_NO_DESCRIPTOR.
  [[nodiscard]] Result<int> try_event_descriptor() noexcept {
    return number<int>([&](int* out) { return ::qc_usage_event_descriptor(handle(), out); });
  }
  [[nodiscard]] int event_descriptor() { return try_event_descriptor().value(); }

  /// How many exceptions of listeners and notices of this program reached nobody.
  [[nodiscard]] static std::uint64_t lost_exceptions() noexcept {
    return detail::lost_exceptions().load(std::memory_order_relaxed);
  }

 private:
  explicit Tracker(::qc_usage* made) noexcept : handle_(made), node_(made) {}

  [[nodiscard]] static Failure no_handle() noexcept {
    return Failure(QC_ERR_NULL_HANDLE, "this tracker was moved from or destroyed");
  }

  /// Runs one call of the library, and brings back what the caller's own code threw inside it.
  template <class Call>
  [[nodiscard]] static Failure run(Call&& call) noexcept {
    detail::CallScope scope;
    return scope.finish(call());
  }

  /// Runs a call that asks for a notice and sets `asked` if the library will call it. Then the notice's `box` ends with that
  /// call, which may have been, or with cancel; else here.
  template <class Asked, class Call>
  [[nodiscard]] static Failure ask(UsageNotice notice, ExceptionHandler on_exception, void*& box, const Asked& asked,
                                   Call&& call) noexcept {
    if (!notice) { return Failure(QC_ERR_INVALID_ARGUMENT, "the notice is empty"); }
    try {
      std::unique_ptr<detail::NoticeBox> made(new detail::NoticeBox{std::move(notice), std::move(on_exception)});
      box = made.get();
      return run([&] {
        const Status status = call(box);
        if (asked != 0) { (void)made.release(); }
        return status;
      });
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }

  template <class T>
  [[nodiscard]] static Result<T> answer(Failure failure, T value) noexcept {
    if (failure.failed()) { return failure; }
    return value;
  }

  template <class T, class Call>
  [[nodiscard]] static Result<T> number(Call&& call) noexcept {
    T out{};
    Failure failure = run([&] { return call(&out); });
    return answer(std::move(failure), out);
  }

  template <class Call>
  [[nodiscard]] static Result<bool> truth(Call&& call) noexcept {
    std::uint8_t out = 0;
    Failure failure = run([&] { return call(&out); });
    return answer(std::move(failure), out != 0);
  }

  // Out of line, so that the fast path stays small where it is inlined.
#if defined(__GNUC__)
  __attribute__((noinline, cold))
#endif
  Result<void> increase_by_call(std::uint64_t bytes) noexcept {
    return run([&] { return ::qc_usage_increase(handle(), bytes); });
  }
#if defined(__GNUC__)
  __attribute__((noinline, cold))
#endif
  Result<void> decrease_by_call(std::uint64_t bytes) noexcept {
    return run([&] { return ::qc_usage_decrease(handle(), bytes); });
  }
#if defined(__GNUC__)
  __attribute__((noinline, cold))
#endif
  Admission reserve_by_call(std::uint64_t bytes) noexcept {
    std::uint8_t admitted = 0;
    Failure failure = run([&] { return ::qc_usage_try_reserve(handle(), bytes, &admitted); });
    if (failure.failed()) { return failure; }
    return Admission(admitted != 0);
  }

  [[nodiscard]] ::qc_usage* handle() const noexcept { return handle_.load(std::memory_order_relaxed); }
  [[nodiscard]] ::qc_usage* take_handle() noexcept {
    ::qc_usage* const taken = handle();
    handle_.store(nullptr, std::memory_order_relaxed);
    return taken;
  }

  // Atomic for those alone that begin to wait while another thread ends the tracker.
  std::atomic<::qc_usage*> handle_{nullptr};
  detail::UsageNode node_;
};

}  // namespace queuecore

#endif
