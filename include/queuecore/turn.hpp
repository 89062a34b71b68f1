// One call at a time on what the wrapper itself holds: the pool of objects, the callbacks' bookkeeping. The
// library finds overlaps of its own calls, but it is entered only after the wrapper has touched these.
// Used by Session and History only.

#ifndef QUEUECORE_TURN_HPP
#define QUEUECORE_TURN_HPP

#include <atomic>
#include <thread>

#include "error.hpp"

namespace queuecore::detail {

/// Which thread is inside a call, if any is. Waits for nobody.
class Owner {
 public:
  [[nodiscard]] Status enter() noexcept {
    const std::thread::id self = std::this_thread::get_id();
    std::thread::id found;
    if (inside_.compare_exchange_strong(found, self, std::memory_order_acquire, std::memory_order_relaxed)) {
      return QC_OK;
    }
    return found == self ? QC_ERR_REENTRANT : QC_ERR_BUSY;
  }
  void leave() noexcept { inside_.store(std::thread::id(), std::memory_order_release); }

 private:
  std::atomic<std::thread::id> inside_{std::thread::id()};
};

/// Holds an Owner for as long as it lives, unless it was refused. A null owner stands for nothing to guard.
class Turn {
 public:
  explicit Turn(Owner* owner) noexcept : owner_(owner), status_(owner != nullptr ? owner->enter() : QC_OK) {}
  ~Turn() {
    if (owner_ != nullptr && !refused()) { owner_->leave(); }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] bool refused() const noexcept { return status_ != QC_OK; }
  [[nodiscard]] Failure failure() const noexcept {
    return Failure(status_, status_ == QC_ERR_BUSY ? "another thread is inside a call on this history"
                                                   : "the call comes from inside another call on this history");
  }

 private:
  Owner* owner_;
  Status status_;
};

}  // namespace queuecore::detail

#endif
