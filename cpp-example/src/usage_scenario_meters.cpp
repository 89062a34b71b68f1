#include "usage_scenario_meters.hpp"

#include <queuecore.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

namespace replay {
namespace {

int percentOf(std::int64_t usage, std::int64_t limit) { return static_cast<int>(usage * 100 / limit); }

/// The broker's own: a read-write lock around everything. Counting takes it for writing, asking for reading, and who
/// waits sleeps on a condition of it, which whoever brings the percent below the mark signals to all.
class LockMeter final : public SpaceMeter {
  public:
    explicit LockMeter(const UsageScenario& scenario)
        : limit_(static_cast<std::int64_t>(scenario.limitBytes)), resumeBelow_(scenario.resumeBelowPercent) {}

    bool takeAtOnce(std::uint64_t bytes) override {
        if (isFull()) {
            return false;
        }
        add(static_cast<std::int64_t>(bytes));
        return true;
    }

    bool takeWaiting(std::uint64_t bytes) override {
        if (!waitForSpace()) {
            return false;
        }
        add(static_cast<std::int64_t>(bytes));
        return true;
    }

    void giveBack(std::uint64_t bytes) override { add(-static_cast<std::int64_t>(bytes)); }

    void stop() override {
        const std::unique_lock<std::shared_mutex> held(lock_);
        stopped_ = true;
        space_.notify_all();
    }

    std::int64_t usageBytes() const override {
        const std::shared_lock<std::shared_mutex> held(lock_);
        return usage_;
    }

    std::optional<std::uint64_t> wakeUps() const override {
        const std::shared_lock<std::shared_mutex> held(lock_);
        return wakeUps_;
    }

  private:
    bool isFull() const {
        const std::shared_lock<std::shared_mutex> held(lock_);
        return percent_ >= 100;
    }

    bool waitForSpace() {
        std::unique_lock<std::shared_mutex> held(lock_);
        while (percent_ >= resumeBelow_ && !stopped_) {
            space_.wait(held);
            ++wakeUps_;
        }
        return !stopped_;
    }

    void add(std::int64_t bytes) {
        const std::unique_lock<std::shared_mutex> held(lock_);
        usage_ += bytes;
        const int old = percent_;
        percent_ = percentOf(usage_, limit_);
        if (old >= resumeBelow_ && percent_ < resumeBelow_) {
            space_.notify_all();
        }
    }

    mutable std::shared_mutex lock_;
    std::condition_variable_any space_;
    const std::int64_t limit_;
    const int resumeBelow_;
    std::int64_t usage_ = 0;
    int percent_ = 0;
    bool stopped_ = false;
    std::uint64_t wakeUps_ = 0;
};

/// What was proposed to that broker: one atomic and a published percent. The lock is for a percent that moves, and for
/// those who wait.
class AtomicMeter final : public SpaceMeter {
  public:
    explicit AtomicMeter(const UsageScenario& scenario)
        : limit_(static_cast<std::int64_t>(scenario.limitBytes)), resumeBelow_(scenario.resumeBelowPercent) {}

    bool takeAtOnce(std::uint64_t bytes) override {
        if (percent_.load() >= 100) {
            return false;
        }
        add(static_cast<std::int64_t>(bytes));
        return true;
    }

    bool takeWaiting(std::uint64_t bytes) override {
        if (!waitForSpace()) {
            return false;
        }
        add(static_cast<std::int64_t>(bytes));
        return true;
    }

    void giveBack(std::uint64_t bytes) override { add(-static_cast<std::int64_t>(bytes)); }

    void stop() override {
        const std::lock_guard<std::mutex> held(lock_);
        stopped_ = true;
        space_.notify_all();
    }

    std::int64_t usageBytes() const override { return usage_.load(); }

    std::optional<std::uint64_t> wakeUps() const override {
        const std::lock_guard<std::mutex> held(lock_);
        return wakeUps_;
    }

  private:
    bool waitForSpace() {
        std::unique_lock<std::mutex> held(lock_);
        while (percent_.load() >= resumeBelow_ && !stopped_) {
            space_.wait(held);
            ++wakeUps_;
        }
        return !stopped_;
    }

    void add(std::int64_t bytes) {
        const std::int64_t usage = usage_.fetch_add(bytes) + bytes;
        if (percentOf(usage, limit_) != percent_.load()) {
            publish();
        }
    }

    /// Publishes until what is published is what is counted, so that the last one to count leaves it true.
    void publish() {
        const std::lock_guard<std::mutex> held(lock_);
        do {
            const int percent = percentOf(usage_.load(), limit_);
            const int old = percent_.exchange(percent);
            if (old >= resumeBelow_ && percent < resumeBelow_) {
                space_.notify_all();
            }
        } while (percentOf(usage_.load(), limit_) != percent_.load());
    }

    alignas(64) std::atomic<std::int64_t> usage_{0};
    alignas(64) std::atomic<int> percent_{0};
    const std::int64_t limit_;
    const int resumeBelow_;
    alignas(64) mutable std::mutex lock_;
    std::condition_variable space_;
    bool stopped_ = false;
    std::uint64_t wakeUps_ = 0;
};

/// The library's tracker, as the two above are used: ask, wait for space, count.
class TrackerMeter : public SpaceMeter {
  public:
    explicit TrackerMeter(const UsageScenario& scenario)
        : resumeBelow_(scenario.resumeBelowPercent),
          tracker_(queuecore::UsageOptions().limit_bytes(scenario.limitBytes)) {}

    bool takeAtOnce(std::uint64_t bytes) override {
        if (tracker_.is_full()) {
            return false;
        }
        tracker_.increase(bytes);
        return true;
    }

    bool takeWaiting(std::uint64_t bytes) override {
        const auto waited = tracker_.try_wait_for_space(queuecore::Timeout::forever(), resumeBelow_);
        if (waited.status() == QC_ERR_STOPPED) {
            return false;
        }
        waited.value();
        tracker_.increase(bytes);
        return true;
    }

    void giveBack(std::uint64_t bytes) final { tracker_.decrease(bytes); }
    void stop() final { tracker_.stop(); }
    std::int64_t usageBytes() const final { return tracker_.usage(); }

  protected:
    queuecore::Tracker& tracker() { return tracker_; }

  private:
    const int resumeBelow_;
    queuecore::Tracker tracker_;
};

/// The same tracker, with reservations: counted only if it fits, first come, first served.
class ReservingMeter final : public TrackerMeter {
  public:
    using TrackerMeter::TrackerMeter;

    bool takeAtOnce(std::uint64_t bytes) override { return tracker().reserve(bytes); }

    bool takeWaiting(std::uint64_t bytes) override {
        const queuecore::Admission admission = tracker().try_reserve_wait(bytes, queuecore::Timeout::forever());
        return admission.status() != QC_ERR_STOPPED && admission.value();
    }
};

}  // namespace

std::unique_ptr<SpaceMeter> makeMeter(MeterKind kind, const UsageScenario& scenario) {
    switch (kind) {
        case MeterKind::Lock: return std::make_unique<LockMeter>(scenario);
        case MeterKind::Atomic: return std::make_unique<AtomicMeter>(scenario);
        case MeterKind::Queuecore: return std::make_unique<TrackerMeter>(scenario);
        case MeterKind::QueuecoreReserve: return std::make_unique<ReservingMeter>(scenario);
    }
    throw std::logic_error("unknown meter");
}

}  // namespace replay
