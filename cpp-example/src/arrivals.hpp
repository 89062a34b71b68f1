// Everything that comes to the FIFO by the clock: PUTs of the producers (or the lines of a trace), ACKs, GC ticks and
// stalls, merged in time order. `Timeline` is what the dispatcher's loop asks.
#pragma once

#include "event.hpp"
#include "scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace replay {

/// A stream of events in time order.
class ArrivalSource {
  public:
    ArrivalSource() = default;
    ArrivalSource(const ArrivalSource&) = delete;
    ArrivalSource& operator=(const ArrivalSource&) = delete;
    virtual ~ArrivalSource() = default;

    /// When the next one comes; `never` at the end.
    virtual Ns nextDueNs() const = 0;
    /// Only while nextDueNs() is not `never`.
    virtual Event pop() = 0;
};

/// Producers at an even rate, on their own clock: they do not wait for the dispatcher.
class GeneratedPuts final : public ArrivalSource {
  public:
    GeneratedPuts(std::uint64_t ratePerS, std::uint64_t firstMessage)
        : ratePerS_(ratePerS), firstMessage_(firstMessage) {}

    Ns nextDueNs() const override { return nextDueNs_; }
    Event pop() override {
        const Event event{EventKind::Put, nextDueNs_, firstMessage_ + sent_};
        nextDueNs_ = dueNs(++sent_, ratePerS_);
        return event;
    }

    /// The i-th PUT's time. Exact for 9 years of messages, so the rate does not drift.
    static Ns dueNs(std::uint64_t i, std::uint64_t ratePerS) {
        const std::uint64_t seconds = i / ratePerS;
        const std::uint64_t rest = i % ratePerS;
        return static_cast<Ns>(seconds) * nsPerSecond +
               static_cast<Ns>(rest * static_cast<std::uint64_t>(nsPerSecond) / ratePerS);
    }

  private:
    std::uint64_t ratePerS_;
    std::uint64_t firstMessage_;
    std::uint64_t sent_ = 0;
    Ns nextDueNs_ = 0;
};

/// No arrivals of its own: under the real clock producer threads offer their PUTs directly.
class NoArrivals final : public ArrivalSource {
  public:
    Ns nextDueNs() const override { return never; }
    Event pop() override { return {EventKind::Put, never, 0}; }
};

/// The ACK of each message, due a while after its PUT was handled.
///
/// An outage holds ACKs back to its end. A TTL removes a message that no ACK reached in time; to the history that is
/// the same as its ACK. All rules keep the order, so a plain queue will do.
class AckSchedule {
  public:
    explicit AckSchedule(const Scenario& scenario)
        : delayNs_(scenario.ackDelayNs), ttlNs_(scenario.ttlNs), outage_(scenario.ackOutage) {}

    Ns dueNs(Ns handledAtNs) const;
    void putHandled(Ns handledAtNs, std::uint64_t message) { waiting_.push_back({dueNs(handledAtNs), message}); }
    Ns nextDueNs() const { return waiting_.empty() ? never : waiting_.front().dueNs; }
    Event pop();

  private:
    struct Waiting {
        Ns dueNs;
        std::uint64_t message;
    };

    Ns delayNs_;
    Ns ttlNs_;
    std::optional<Span> outage_;
    std::deque<Waiting> waiting_;
};

class Timeline {
  public:
    Timeline(const Scenario& scenario, ArrivalSource& arrivals);

    AckSchedule& acks() { return acks_; }
    Ns nextDueNs() const;
    /// The earliest event. At equal times: stall, GC tick, ACK, then PUT.
    Event pop();

  private:
    Ns nextStallNs() const { return nextStall_ < stalls_.size() ? stalls_[nextStall_].startNs : never; }

    ArrivalSource& arrivals_;
    AckSchedule acks_;
    std::vector<Span> stalls_;
    std::size_t nextStall_ = 0;
    Ns gcIntervalNs_;
    Ns nextTickNs_;
};

}  // namespace replay
