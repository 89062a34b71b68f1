#include "cursor/starvation_run.hpp"

#include "cursor/queue.hpp"
#include "interrupt.hpp"
#include "stopwatch.hpp"

#include <memory>

namespace replay {
namespace {

constexpr std::uint64_t lookEvery = 1 << 12;

/// The marks are for the memory that all queues share. In the classic wiring each cursor looks at that memory itself; else
/// each has a tracker of its own below it, and the mark for pages is the parent's: below 70 %, which is at most 69.
queuecore::CursorPolicy policyOf(Neighbour neighbour) {
    queuecore::CursorPolicy policy;
    policy.page_messages(pageMessages);
    if (neighbour == Neighbour::IdleClassic) {
        return policy.marks(highPercent, highPercent);
    }
    return policy.marks(lowPercent, highPercent).parent_cache_percent(highPercent).parent_page_percent(highPercent - 1);
}

class StarvationRun {
  public:
    StarvationRun(const StarvationCase& what, const std::filesystem::path& directory, const CursorProgress& progress)
        : what_(what),
          progress_(progress),
          isClassic_(what.neighbour == Neighbour::IdleClassic),
          memory_(queuecore::UsageOptions().limit_bytes(what.limitBytes)),
          group_(memory_),
          idleUsage_(memory_.child(queuecore::UsageOptions().limit_bytes(what.limitBytes))),
          busyUsage_(memory_.child(queuecore::UsageOptions().limit_bytes(what.limitBytes))) {
        idle_ = makeQueue(directory / "idle.db", idleUsage_);
        busy_ = makeQueue(directory / "busy.db", busyUsage_);
    }

    std::optional<StarvationResult> run() {
        if (what_.neighbour != Neighbour::None) {
            fillIdle();
        }
        result_.idlePercent = 100.0 * static_cast<double>(memory_.usage()) / static_cast<double>(what_.limitBytes);
        for (std::uint64_t message = 0; message < what_.messages; ++message) {
            busy_->produce();
        }
        busy_->commit();
        const Ns beginNs = stopwatchNs();
        const bool isWhole = serveBusy(beginNs);
        result_.seconds = toSeconds(stopwatchNs() - beginNs);
        result_.messages = busy_->acknowledged();
        result_.lentPages = group_.stats().lent_pages;
        result_.lentPeakBytes = group_.stats().lent_peak_bytes;
        if (!isWhole) {
            return std::nullopt;
        }
        finish();
        return result_;
    }

  private:
    std::unique_ptr<Queue> makeQueue(const std::filesystem::path& file, queuecore::Tracker& own) {
        QueueSettings settings;
        settings.file = file;
        settings.messageBytes = what_.messageBytes;
        settings.batch = what_.batch;
        settings.policy = policyOf(what_.neighbour);
        settings.accounting = isClassic_ ? queuecore::Accounting::host : queuecore::Accounting::own;
        return std::make_unique<Queue>(settings, isClassic_ ? memory_ : own, isClassic_ ? nullptr : &group_);
    }

    /// Messages without a consumer, as many as are cached, and a few more.
    void fillIdle() {
        const std::uint64_t mark = what_.limitBytes * highPercent / 100;
        for (std::uint64_t bytes = 0; bytes <= mark; bytes += what_.messageBytes) {
            idle_->produce();
        }
        idle_->commit();
    }

    /// Until all is done, or nothing was to be had for a while. False on Ctrl-C.
    bool serveBusy(Ns beginNs) {
        Ns gotNs = beginNs;
        while (busy_->acknowledged() < what_.messages) {
            busy_->receive();
            if (busy_->acknowledge()) {
                gotNs = 0;
            } else if (gotNs == 0) {
                gotNs = stopwatchNs();
            } else if (stopwatchNs() - gotNs > what_.patienceNs) {
                return true;
            }
            if (busy_->acknowledged() % lookEvery == 0) {
                if (interrupted()) {
                    return false;
                }
                if (progress_) {
                    progress_(static_cast<double>(busy_->acknowledged()) / static_cast<double>(what_.messages));
                }
            }
        }
        return true;
    }

    /// The idle queue's consumers are back.
    void finish() {
        while (idle_->receive() || idle_->acknowledge()) {
        }
        while (busy_->receive() || busy_->acknowledge()) {
        }
        idle_->checkDone();
        busy_->checkDone();
        if (memory_.usage() != 0) {
            throw DeliveryError("the shared tracker counts " + std::to_string(memory_.usage()) + " bytes at the end");
        }
    }

    const StarvationCase& what_;
    const CursorProgress& progress_;
    const bool isClassic_;
    queuecore::Tracker memory_;
    queuecore::CursorGroup group_;
    queuecore::Tracker idleUsage_;
    queuecore::Tracker busyUsage_;
    std::unique_ptr<Queue> idle_;
    std::unique_ptr<Queue> busy_;
    StarvationResult result_;
};

}  // namespace

std::optional<StarvationResult> runStarvation(const StarvationCase& what, const std::filesystem::path& directory,
                                              const CursorProgress& progress) {
    return StarvationRun(what, directory, progress).run();
}

}  // namespace replay
