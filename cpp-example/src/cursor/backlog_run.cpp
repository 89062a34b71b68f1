#include "cursor/backlog_run.hpp"

#include "cursor/queue.hpp"
#include "interrupt.hpp"
#include "stopwatch.hpp"

#include <algorithm>

namespace replay {
namespace {

constexpr std::uint64_t samplesOfARun = 400;
/// Messages between two looks at Ctrl-C and at the progress.
constexpr std::uint64_t lookEvery = 1 << 12;

/// `one_by_one` is what the rule of a whole page replaced: below the mark, as many as fit. Acks come one by one and a pull
/// follows each, so one fits.
queuecore::CursorPolicy policyOf(Refill refill) {
    queuecore::CursorPolicy policy;
    policy.page_messages(refill == Refill::OneByOne ? 1 : pageMessages);
    policy.marks(refill == Refill::Hysteresis ? lowPercent : highPercent, highPercent);
    return policy;
}

QueueSettings settingsOf(const BacklogCase& what, const std::filesystem::path& directory) {
    QueueSettings settings;
    settings.file = directory / "backlog.db";
    settings.messageBytes = what.messageBytes;
    settings.batch = what.batch;
    settings.deletion = what.deletion;
    settings.prefetch = what.prefetch;
    settings.faults = what.faults;
    settings.policy = policyOf(what.refill);
    return settings;
}

class BacklogRun {
  public:
    BacklogRun(const BacklogCase& what, const std::filesystem::path& directory, const CursorProgress& progress)
        : what_(what),
          progress_(progress),
          usage_(queuecore::UsageOptions().limit_bytes(what.limitBytes)),
          queue_(settingsOf(what, directory), usage_),
          total_(what.messages + what.liveMessages) {}

    std::optional<BacklogResult> run() {
        beginNs_ = stopwatchNs();
        if (!produce()) {
            return std::nullopt;
        }
        const Ns producedNs = stopwatchNs();
        result_.produceSeconds = toSeconds(producedNs - beginNs_);
        const Ns cpuNs = processorNs();
        if (!consume()) {
            return std::nullopt;
        }
        result_.cpuSeconds = toSeconds(processorNs() - cpuNs);
        result_.consumeSeconds = toSeconds(stopwatchNs() - producedNs);
        sample();
        for (CursorSample& sample : result_.samples) {
            sample.seconds -= result_.produceSeconds;
        }
        finish();
        return std::move(result_);
    }

  private:
    bool produce() {
        for (std::uint64_t message = 0; message < what_.messages; ++message) {
            queue_.produce();
            if (!goOn()) {
                return false;
            }
        }
        queue_.commit();
        return true;
    }

    bool consume() {
        while (queue_.acknowledged() < total_) {
            queue_.receive();
            if (!queue_.acknowledge() && !helpOut()) {
                throw DeliveryError("nothing is to be had after " + std::to_string(queue_.acknowledged()) + " of " +
                                    std::to_string(total_) + " messages");
            }
            produceLive();
            if (!goOn()) {
                return false;
            }
        }
        return true;
    }

    /// While consumers are at it, messages go on to come.
    void produceLive() {
        if (queue_.produced() < total_ && queue_.acknowledged() % what_.liveEvery == 0) {
            queue_.produce();
        }
    }

    /// Consumers have nothing in hand: what is produced is not committed, or comes only now.
    bool helpOut() {
        const std::uint64_t before = queue_.produced();
        if (before < total_) {
            queue_.produce();
        }
        queue_.commit();
        return queue_.receive() || queue_.produced() > before;
    }

    bool goOn() {
        if (steps_ % std::max<std::uint64_t>(1, (what_.messages + total_) / samplesOfARun) == 0) {
            sample();
        }
        if (++steps_ % lookEvery != 0) {
            return true;
        }
        if (progress_) {
            progress_(static_cast<double>(steps_) / static_cast<double>(what_.messages + total_));
        }
        return !interrupted();
    }

    void sample() {
        const queuecore::CursorStats stats = queue_.stats();
        result_.samples.push_back({toSeconds(stopwatchNs() - beginNs_), static_cast<std::uint64_t>(usage_.usage()),
                                   queue_.acknowledged(), stats.pages, stats.paged_messages});
    }

    void finish() {
        queue_.checkDone();
        if (usage_.usage() != 0) {
            throw DeliveryError("the tracker counts " + std::to_string(usage_.usage()) + " bytes at the end");
        }
        const queuecore::CursorStats stats = queue_.stats();
        result_.messages = queue_.acknowledged();
        result_.pages = stats.pages;
        result_.pagedMessages = stats.paged_messages;
        result_.cacheOnTurns = stats.cache_on_turns;
        result_.cacheOffTurns = stats.cache_off_turns;
        result_.limitBytes = what_.limitBytes;
        result_.peakBytes = stats.peak_bytes;
        result_.boundBytes = (what_.limitBytes * highPercent + 99) / 100 +
                             std::max<std::uint64_t>(pageBytes(), what_.messageBytes);
        result_.fetches = queue_.pages().fetches();
        result_.fetchNs = queue_.pages().fetchNs();
        result_.blockedNs = {stats.blocked_own_mark_ns, stats.blocked_parent_ns, stats.blocked_entries_ns,
                             stats.blocked_commit_ns};
        result_.faults = queue_.faults();
        result_.refusedFetches = stats.failed_fetches;
    }

    std::uint64_t pageBytes() const {
        const std::uint64_t above = what_.limitBytes * (100 - highPercent) / 100;
        return std::min<std::uint64_t>(policyOf(what_.refill).raw().page_bytes, above);
    }

    const BacklogCase& what_;
    const CursorProgress& progress_;
    queuecore::Tracker usage_;
    Queue queue_;
    const std::uint64_t total_;
    BacklogResult result_;
    Ns beginNs_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace

std::optional<BacklogResult> runBacklog(const BacklogCase& what, const std::filesystem::path& directory,
                                        const CursorProgress& progress) {
    return BacklogRun(what, directory, progress).run();
}

}  // namespace replay
