// The run's clock. Virtual: time is a number that advances by what each step is said to cost. Real: time passes by
// itself, and the broker's other work is spun away.
#pragma once

#include "units.hpp"

#include <algorithm>
#include <chrono>

namespace replay {

class RunClock {
  public:
    RunClock() = default;
    RunClock(const RunClock&) = delete;
    RunClock& operator=(const RunClock&) = delete;
    virtual ~RunClock() = default;

    virtual Ns nowNs() = 0;
    /// The history took this long.
    virtual void historyTook(Ns costNs) = 0;
    /// The dispatcher does something else for this long.
    virtual void work(Ns durationNs) = 0;
    /// Nothing waits, and the next thing that is known of comes at `dueNs`.
    virtual void idleUntil(Ns dueNs) = 0;
};

class VirtualClock final : public RunClock {
  public:
    Ns nowNs() override { return nowNs_; }
    void historyTook(Ns costNs) override { nowNs_ += costNs; }
    void work(Ns durationNs) override { nowNs_ += durationNs; }
    void idleUntil(Ns dueNs) override { nowNs_ = std::max(nowNs_, dueNs); }

  private:
    Ns nowNs_ = 0;
};

/// Starts when it is made. Handing events from thread to thread costs a broker time as well; that is part of its other
/// work here, so work is spun from the end of the last piece of work or idling, not from when this one's event was
/// fetched.
class RealClock final : public RunClock {
  public:
    using Machine = std::chrono::steady_clock;

    Ns nowNs() override {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(Machine::now() - start_).count();
    }
    Machine::time_point start() const { return start_; }

    void historyTook(Ns costNs) override { historyNs_ += costNs; }

    void work(Ns durationNs) override {
        const Ns untilNs = busySinceNs_ + historyNs_ + durationNs;
        while (nowNs() < untilNs) {
        }
        beginAnew();
    }

    /// Returns at once: what comes next may come from a producer thread at any time.
    void idleUntil(Ns /*dueNs*/) override { beginAnew(); }

  private:
    void beginAnew() {
        busySinceNs_ = nowNs();
        historyNs_ = 0;
    }

    Machine::time_point start_ = Machine::now();
    Ns busySinceNs_ = 0;
    Ns historyNs_ = 0;  // since busySinceNs_
};

}  // namespace replay
