// Cursor: the window of a store-backed queue that is held in memory.

#ifndef QUEUECORE_CURSOR_HPP
#define QUEUECORE_CURSOR_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "cursor_group.hpp"

namespace queuecore {

/// Owns one cursor of the library: it caches messages up to a high watermark, pages them in from a store by whole pages,
/// and accounts for them in a Tracker.
///
/// Errors: `x()` throws Error, `try_x()` is noexcept and returns a Result with the same status. A call that failed has
/// changed nothing, except that a batch has done its first elements. Every call may answer QC_ERR_NULL_HANDLE (moved-from),
/// QC_ERR_BUSY, QC_ERR_REENTRANT, QC_ERR_POISONED and QC_ERR_PANIC; further ones stand at the call. Exceptions of the store
/// and of the allocator pass through `x()` as they are; in a Result they are QC_ERR_CALLBACK, or QC_ERR_NO_MEMORY for an
/// allocator's std::bad_alloc, and kept in exception(). An exception of a tracker's listener that runs inside a call goes to
/// its handler, or to a call of a Tracker around this one, or is counted in Tracker::lost_exceptions().
///
/// Threads: one at a time, for const calls too; handing over with synchronisation is fine. Calls that overlap are detected
/// (QC_ERR_BUSY), and so are calls from inside a call: from the store, the allocator, or an on_ready that a call on this
/// same cursor makes (QC_ERR_REENTRANT); an on_ready that comes from elsewhere must not call it either. Not detected are a move or destruction under a running call, and the use of an object while another thread ends it.
/// Complexity: O(1) a message unless it says otherwise.
class Cursor {
 public:
  /// A cursor over an empty queue. `usage` is this queue's own tracker; `store` has to outlive the cursor, while tracker and
  /// group need not; without a group the tracker's parent is not looked at. QC_ERR_OUT_OF_RANGE, QC_ERR_INVALID_ARGUMENT,
  /// QC_ERR_NO_MEMORY, QC_ERR_CAPACITY.
  Cursor(const CursorOptions& options, Tracker& usage, CursorStore& store, CursorGroup* group = nullptr)
      : Cursor(create(options, usage, store, group).value()) {}

  /// The same with a store of the cursor's own, for example a FunctionStore. QC_ERR_INVALID_ARGUMENT if there is none.
  Cursor(const CursorOptions& options, Tracker& usage, std::unique_ptr<CursorStore> store,
         CursorGroup* group = nullptr)
      : Cursor(create(options, usage, std::move(store), group).value()) {}

  /// The same, as a Result.
  [[nodiscard]] static Result<Cursor> create(const CursorOptions& options, Tracker& usage, CursorStore& store,
                                             CursorGroup* group = nullptr) noexcept {
    return make(options, usage, &store, nullptr, group);
  }
  [[nodiscard]] static Result<Cursor> create(const CursorOptions& options, Tracker& usage,
                                             std::unique_ptr<CursorStore> store,
                                             CursorGroup* group = nullptr) noexcept {
    if (!store) { return Failure(QC_ERR_INVALID_ARGUMENT, "a cursor without a store"); }
    return make(options, usage, nullptr, std::move(store), group);
  }

  /// Moving hands everything over. What was moved from can be assigned to, destroyed and asked for valid(); calls answer
  /// QC_ERR_NULL_HANDLE.
  Cursor(Cursor&& other) noexcept
      : host_(std::move(other.host_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Cursor& operator=(Cursor&& other) noexcept {
    Cursor incoming(std::move(other));
    swap(*this, incoming);
    return *this;
  }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// Gives all memory back and takes off what was charged; the messages stay what they are in the store. The store is not
  /// told to discard. O(window). Not from one of this cursor's own callbacks, and not while another thread is in a call.
  /// on_ready may still be running in another thread when this has returned: what it refers to has to outlive that. What it
  /// holds itself is destroyed after it.
  ~Cursor() { (void)::qc_cursor_destroy(handle_); }  // NULL is a no-op

  friend void swap(Cursor& a, Cursor& b) noexcept {
    std::swap(a.host_, b.host_);
    std::swap(a.handle_, b.handle_);
  }

  /// Whether this owns a cursor; false once moved from.
  [[nodiscard]] bool valid() const noexcept { return handle_ != nullptr; }

  /// The handle of the C library, still owned by this object.
  [[nodiscard]] ::qc_cursor* native_handle() const noexcept { return handle_; }

  /// Tells a new cursor what the store already holds, before every other call. QC_ERR_INVALID_ARGUMENT after one,
  /// QC_ERR_OUT_OF_RANGE.
  [[nodiscard]] Result<void> try_open(std::uint64_t pending_count, std::uint64_t pending_bytes,
                                      std::uint64_t last_sequence) noexcept {
    return Failure(::qc_cursor_open(handle_, pending_count, pending_bytes, last_sequence));
  }
  void open(std::uint64_t pending_count, std::uint64_t pending_bytes, std::uint64_t last_sequence) {
    try_open(pending_count, pending_bytes, last_sequence).value();
  }

  // ---- what comes in ----

  /// Takes note of a message that was handed to the store. QC_ERR_ORDER; QC_ERR_CAPACITY at max_open_writes and
  /// QC_ERR_NO_MEMORY for an open write; QC_ERR_LEVEL. After each of them push it again before any other.
  [[nodiscard]] Result<Pushed> try_push(const Message& message) noexcept {
    std::uint32_t pushed = 0;
    Failure failure = run_with_memory([&] { return ::qc_cursor_push(handle_, &message, &pushed); });
    return answer(std::move(failure), static_cast<Pushed>(pushed));
  }
  Pushed push(const Message& message) { return try_push(message).value(); }

  /// push for each message; `results` is empty or as long. Stops at the first that fails. QC_ERR_INVALID_ARGUMENT when the
  /// lengths differ; else as push.
  [[nodiscard]] BatchResult try_push_batch(Span<const Message> messages, Span<Pushed> results = {}) noexcept {
    BatchResult all;
    if (!results.empty() && results.size() != messages.size()) {
      all.failure = Failure(QC_ERR_INVALID_ARGUMENT, "the spans of a batch differ in length");
      return all;
    }
    while (all.done < messages.size() && all) {
      std::array<std::uint32_t, chunk> pushed;
      const std::size_t from = all.done;
      const std::size_t count = std::min(chunk, messages.size() - from);
      std::size_t done = 0;
      all.failure = run_with_memory(
          [&] { return ::qc_cursor_push_batch(handle_, messages.data() + from, count, pushed.data(), &done); });
      for (std::size_t i = 0; i < done && !results.empty(); ++i) { results[from + i] = static_cast<Pushed>(pushed[i]); }
      all.done += done;
    }
    return all;
  }
  void push_batch(Span<const Message> messages, Span<Pushed> results = {}) { try_push_batch(messages, results).value(); }

  /// The store has a message whose write was open. QC_ERR_NOT_FOUND, QC_ERR_ORDER.
  [[nodiscard]] Result<void> try_committed(std::uint64_t token, std::uint64_t sequence) noexcept {
    return Failure(::qc_cursor_committed(handle_, token, sequence));
  }
  void committed(std::uint64_t token, std::uint64_t sequence) { try_committed(token, sequence).value(); }

  /// committed for each pair. Stops at the first that fails. QC_ERR_INVALID_ARGUMENT when the lengths differ.
  [[nodiscard]] BatchResult try_committed_batch(Span<const std::uint64_t> tokens,
                                                Span<const std::uint64_t> sequences) noexcept {
    BatchResult all;
    all.failure = tokens.size() != sequences.size()
                      ? Failure(QC_ERR_INVALID_ARGUMENT, "the spans of a batch differ in length")
                      : Failure(::qc_cursor_committed_batch(handle_, tokens.data(), sequences.data(), tokens.size(),
                                                            &all.done));
    return all;
  }
  void committed_batch(Span<const std::uint64_t> tokens, Span<const std::uint64_t> sequences) {
    try_committed_batch(tokens, sequences).value();
  }

  /// The store has given up a write: the message is gone, even if it was delivered uncommitted. QC_ERR_NOT_FOUND.
  [[nodiscard]] Result<Released> try_aborted(std::uint64_t token) noexcept {
    return ask<Released>([&](Released* out) { return ::qc_cursor_aborted(handle_, token, out); });
  }
  Released aborted(std::uint64_t token) { return try_aborted(token).value(); }

  // ---- what goes out ----

  /// Gives out up to `demand` messages, as many as `out` has room for, by priority and then sequence; takes at most one page
  /// from the store. Only when nothing was given out: what the store threw, QC_ERR_BAD_FETCH, QC_ERR_NO_MEMORY,
  /// QC_ERR_LEVEL; the pull can be repeated. A demand of 0 gives up a turn of the guaranteed share.
  [[nodiscard]] Result<Pulled> try_pull(std::uint32_t demand, Span<Delivered> out, Round round = Round::begin) noexcept {
    ::qc_pulled raw{};
    Failure failure = run([&] {
      return ::qc_cursor_pull(handle_, demand, static_cast<std::uint32_t>(round), out.data(), out.size(), &raw);
    });
    return answer(std::move(failure), Pulled{static_cast<std::size_t>(raw.count), static_cast<PullEnd>(raw.end),
                                             static_cast<Blocked>(raw.blocked)});
  }
  Pulled pull(std::uint32_t demand, Span<Delivered> out, Round round = Round::begin) {
    return try_pull(demand, out, round).value();
  }

  /// Writes what is pending behind `after`, in order of sequence, at most a page; takes and charges nothing. Go on with the
  /// answer's `after` while `more` is set. Errors as of pull.
  [[nodiscard]] Result<Browsed> try_browse(std::uint64_t after, Span<Stored> out) noexcept {
    ::qc_browsed raw{};
    Failure failure = run([&] { return ::qc_cursor_browse(handle_, after, out.data(), out.size(), &raw); });
    return answer(std::move(failure), Browsed{static_cast<std::size_t>(raw.count), raw.after, raw.more != 0});
  }
  Browsed browse(std::uint64_t after, Span<Stored> out) { return try_browse(after, out).value(); }

  /// Has `ready` called when a pull that was blocked can make progress, by any thread; it may come before that pull has
  /// returned. It must not call the cursor: it tells whoever pulls. It is destroyed when it is not called any more, by
  /// whichever thread sees to that. `on_exception` gets what it throws; see Tracker for what happens without. An empty
  /// `ready` ends it.
  [[nodiscard]] Result<void> try_on_ready(ReadyFunction ready, ExceptionHandler on_exception = {}) noexcept {
    if (!ready) { return Failure(::qc_cursor_on_ready(handle_, nullptr, nullptr, nullptr)); }
    try {
      std::unique_ptr<detail::ReadyBox> box(new detail::ReadyBox{std::move(ready), std::move(on_exception)});
      const Status status =
          ::qc_cursor_on_ready(handle_, &detail::ReadyBox::call, box.get(), &detail::ReadyBox::release);
      if (status == QC_OK) { (void)box.release(); }  // the library releases it from here on
      return Failure(status);
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }
  void on_ready(ReadyFunction ready, ExceptionHandler on_exception = {}) {
    try_on_ready(std::move(ready), std::move(on_exception)).value();
  }

  // ---- what becomes of it ----

  /// A message in flight is done with. QC_ERR_NOT_FOUND, QC_ERR_NOT_IN_FLIGHT.
  [[nodiscard]] Result<Released> try_ack(std::uint64_t sequence) noexcept {
    return ask<Released>([&](Released* out) { return ::qc_cursor_ack(handle_, sequence, out); });
  }
  Released ack(std::uint64_t sequence) { return try_ack(sequence).value(); }

  /// ack for each sequence; `results` is empty or as long. Stops at the first that fails.
  [[nodiscard]] BatchResult try_ack_batch(Span<const std::uint64_t> sequences, Span<Released> results = {}) noexcept {
    BatchResult all;
    all.failure = !results.empty() && results.size() != sequences.size()
                      ? Failure(QC_ERR_INVALID_ARGUMENT, "the spans of a batch differ in length")
                      : Failure(::qc_cursor_ack_batch(handle_, sequences.data(), sequences.size(), results.data(),
                                                      &all.done));
    return all;
  }
  void ack_batch(Span<const std::uint64_t> sequences, Span<Released> results = {}) {
    try_ack_batch(sequences, results).value();
  }

  /// A message in flight goes back to its place, delivered once more. QC_ERR_NOT_FOUND, QC_ERR_NOT_IN_FLIGHT.
  [[nodiscard]] Result<void> try_requeue(std::uint64_t sequence) noexcept {
    return Failure(::qc_cursor_requeue(handle_, sequence));
  }
  void requeue(std::uint64_t sequence) { try_requeue(sequence).value(); }

  /// A message in flight that no consumer took is put aside until the next round. QC_ERR_NOT_FOUND, QC_ERR_NOT_IN_FLIGHT.
  [[nodiscard]] Result<void> try_park(std::uint64_t sequence) noexcept {
    return Failure(::qc_cursor_park(handle_, sequence));
  }
  void park(std::uint64_t sequence) { try_park(sequence).value(); }

  /// A message is gone: expired, purged or moved; in memory or not. `stored_bytes` is its size, for the figure
  /// pending_bytes, if it is not in memory. QC_ERR_NOT_FOUND.
  [[nodiscard]] Result<Released> try_remove(std::uint64_t sequence, std::uint32_t stored_bytes) noexcept {
    return ask<Released>([&](Released* out) { return ::qc_cursor_remove(handle_, sequence, stored_bytes, out); });
  }
  Released remove(std::uint64_t sequence, std::uint32_t stored_bytes) {
    return try_remove(sequence, stored_bytes).value();
  }

  /// Removes what is pending up to the oldest open write and in nobody's hands, without fetching it: all that lies beyond
  /// the window at once, and up to `max_messages` of the window, each told to the store's discard. Go on with the answer's
  /// `up_to` while `more` is set. Then the host deletes from its store what is up to `up_to` and not in flight.
  /// QC_ERR_OUT_OF_RANGE for an `up_to` that no purge has answered; 0 begins one.
  [[nodiscard]] Result<Purged> try_purge(std::uint64_t up_to, std::uint32_t max_messages) noexcept {
    return ask<Purged>([&](Purged* out) { return ::qc_cursor_purge(handle_, up_to, max_messages, out); });
  }
  Purged purge(std::uint64_t up_to, std::uint32_t max_messages) { return try_purge(up_to, max_messages).value(); }

  /// Gives back the memory of what nobody has in hand; it stays pending. The store is told to discard each. O(window).
  [[nodiscard]] Result<Dropped> try_drop_cache() noexcept {
    return ask<Dropped>([&](Dropped* out) { return ::qc_cursor_drop_cache(handle_, out); });
  }
  Dropped drop_cache() { return try_drop_cache().value(); }

  // ---- settings and figures ----

  /// Takes on a new policy, at once. QC_ERR_OUT_OF_RANGE, QC_ERR_INVALID_ARGUMENT; the old one stays.
  [[nodiscard]] Result<void> try_set_policy(const CursorPolicy& policy) noexcept {
    return Failure(::qc_cursor_set_policy(handle_, &policy.raw()));
  }
  void set_policy(const CursorPolicy& policy) { try_set_policy(policy).value(); }

  /// The present policy.
  [[nodiscard]] Result<CursorPolicy> try_policy() const noexcept {
    CursorPolicy policy;
    Failure failure(::qc_cursor_get_policy(handle_, &policy.raw()));
    return answer(std::move(failure), policy);
  }
  [[nodiscard]] CursorPolicy policy() const { return try_policy().value(); }

  /// Sets the pair of marks, at once. QC_ERR_OUT_OF_RANGE, QC_ERR_INVALID_ARGUMENT; the old pair stays.
  [[nodiscard]] Result<void> try_set_marks(std::uint32_t low_percent, std::uint32_t high_percent) noexcept {
    return Failure(::qc_cursor_set_marks(handle_, low_percent, high_percent));
  }
  void set_marks(std::uint32_t low_percent, std::uint32_t high_percent) {
    try_set_marks(low_percent, high_percent).value();
  }

  /// Calls on_ready if the last pull was blocked and something changed that the cursor could not see, as its tracker's limit.
  [[nodiscard]] Result<void> try_refresh() noexcept { return Failure(::qc_cursor_refresh(handle_)); }
  void refresh() { try_refresh().value(); }

  /// Every figure of the cursor. Asking changes nothing.
  [[nodiscard]] Result<CursorStats> try_stats() const noexcept {
    CursorStats stats{};
    stats.struct_size = static_cast<std::uint32_t>(sizeof stats);
    Failure failure(::qc_cursor_stats(handle_, &stats));
    return answer(std::move(failure), stats);
  }
  [[nodiscard]] CursorStats stats() const { return try_stats().value(); }

 private:
  static constexpr std::size_t chunk = 64;  // of a batch: what its answers are converted in, on the stack

  Cursor(std::unique_ptr<detail::CursorHost> host, ::qc_cursor* made) noexcept
      : host_(std::move(host)), handle_(made) {}

  [[nodiscard]] static Result<Cursor> make(const CursorOptions& options, Tracker& usage, CursorStore* store,
                                           std::unique_ptr<CursorStore> owned, CursorGroup* group) noexcept {
    if (Failure wrong = options.check(); wrong.failed()) { return wrong; }
    if (group != nullptr && !group->valid()) { return Failure(QC_ERR_NULL_HANDLE, "this group was moved from"); }
    try {
      std::unique_ptr<detail::CursorHost> host = options.make_host(store, std::move(owned));
      ::qc_cursor_options raw = options.raw();
      ::qc_store table;
      host->install(raw, table);
      ::qc_cursor* made = nullptr;
      Failure failure = run([&] {
        return ::qc_cursor_create(&raw, &options.policy_.raw(), usage.native_handle(),
                                  group != nullptr ? group->native_handle() : nullptr, &table, &made);
      });
      if (failure.failed()) { return failure; }
      return Cursor(std::move(host), made);
    } catch (...) {
      return Failure::from(std::current_exception());
    }
  }

  template <class T>
  [[nodiscard]] static Result<T> answer(Failure failure, T value) noexcept {
    if (failure.failed()) { return failure; }
    return value;
  }

  /// Runs one call of the library, and brings back what store and allocator threw inside it.
  template <class Call>
  [[nodiscard]] static Failure run(Call&& call) noexcept {
    detail::CursorScope scope;
    return scope.finish(call());
  }

  /// The same for a call that does not come to the store: most cursors have no allocator that could throw either.
  template <class Call>
  [[nodiscard]] Failure run_with_memory(Call&& call) noexcept {
    return host_ && host_->has_memory() ? run(call) : Failure(call());
  }

  template <class T, class Call>
  [[nodiscard]] static Result<T> ask(Call&& call) noexcept {
    T out{};
    Failure failure(call(&out));
    return answer(std::move(failure), out);
  }

  std::unique_ptr<detail::CursorHost> host_;  // before the handle is destroyed nothing of it goes
  ::qc_cursor* handle_ = nullptr;
};

}  // namespace queuecore

#endif
