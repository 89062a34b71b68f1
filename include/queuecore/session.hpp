// One handle of the C library together with its callbacks: opens it, destroys it, and runs every call
// in its turn, between the callbacks' bookkeeping. Used by History, which adds the objects.

#ifndef QUEUECORE_SESSION_HPP
#define QUEUECORE_SESSION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>

#include "options.hpp"
#include "turn.hpp"

namespace queuecore::detail {

class Session {
 public:
  /// Not open yet, so that what may throw is over before the library is asked. `has_objects`: whether the
  /// user keeps something beside the library that needs guarding too. `group` is held as long as the history is there.
  Session(std::unique_ptr<Callbacks> callbacks, std::shared_ptr<::qc_history_group> group, bool has_objects) noexcept
      : group_(std::move(group)), callbacks_(std::move(callbacks)), has_objects_(has_objects) {}

  Session(Session&& other) noexcept
      : group_(std::move(other.group_)),
        callbacks_(std::move(other.callbacks_)),
        has_objects_(other.has_objects_),
        history_(std::exchange(other.history_, nullptr)) {}
  Session& operator=(Session&& other) noexcept {
    std::swap(group_, other.group_);
    std::swap(callbacks_, other.callbacks_);
    std::swap(has_objects_, other.has_objects_);
    std::swap(history_, other.history_);
    return *this;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { (void)::qc_history_destroy(history_); }  // NULL is a no-op

  [[nodiscard]] Failure open(::qc_history_options options) noexcept {
    if (callbacks_) { callbacks_->install(options); }
    return run(nullptr, [&] { return ::qc_history_create(&options, &history_); });
  }

  [[nodiscard]] ::qc_history* handle() const noexcept { return history_; }

  /// Where objects beside the library live.
  [[nodiscard]] std::pmr::memory_resource* resource() const noexcept {
    return callbacks_ ? callbacks_->resource() : std::pmr::new_delete_resource();
  }

  /// Whether the hash functor has to be asked for a call's key beforehand.
  [[nodiscard]] bool asks_before() const noexcept { return callbacks_ && callbacks_->asks_before(); }

  /// What a call is to hold a Turn of. Null where the library's own check is all that is needed, and so the
  /// price of a second one is not paid.
  [[nodiscard]] Owner* owner() const noexcept { return has_objects_ || callbacks_ ? &owner_ : nullptr; }

  /// Runs one call of the library; `key` is the one that the call is about, if it is about one.
  template <class Call>
  [[nodiscard]] Failure run(const Key* key, Call&& call) const noexcept {
    const Turn turn(owner());
    if (turn.refused()) { return turn.failure(); }
    return run_in_turn(key, std::forward<Call>(call));
  }

  /// The same for who holds the Turn already.
  template <class Call>
  [[nodiscard]] Failure run_in_turn(const Key* key, Call&& call) const noexcept {
    if (!callbacks_) { return Failure(call()); }
    if (Failure refused = callbacks_->enter(key); refused.failed()) { return refused; }
    return callbacks_->leave(call());
  }

  /// The same for a call with one output.
  template <class T, class Call>
  [[nodiscard]] Result<T> ask(const Key* key, Call&& call) const noexcept {
    T out{};
    Failure failure = run(key, [&] { return call(&out); });
    if (failure.failed()) { return failure; }
    return out;
  }

  /// Cuts a batch into chunks of at most `chunk`; of one element when the hash functor has to be asked
  /// before each. `do_chunk(from, count, done)` sets `done` and says why it stopped; the turn is held.
  template <class DoChunk>
  [[nodiscard]] BatchResult in_chunks(std::size_t count, std::size_t chunk, DoChunk&& do_chunk) const noexcept {
    const Turn turn(owner());
    if (turn.refused()) { return {0, turn.failure()}; }
    BatchResult all;
    if (asks_before()) { chunk = 1; }
    while (all.done < count && all) {
      std::size_t done = 0;
      all.failure = do_chunk(all.done, std::min(chunk, count - all.done), done);
      all.done += done;
    }
    return all;
  }

 private:
  std::shared_ptr<::qc_history_group> group_;
  std::unique_ptr<Callbacks> callbacks_;
  bool has_objects_;
  ::qc_history* history_ = nullptr;
  mutable Owner owner_;  // stays behind in a move: nobody may be inside then
};

}  // namespace queuecore::detail

#endif
