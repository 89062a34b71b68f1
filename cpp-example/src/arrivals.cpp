#include "arrivals.hpp"

#include <algorithm>

namespace replay {

Ns AckSchedule::dueNs(Ns handledAtNs) const {
    Ns dueNs = handledAtNs + delayNs_;
    if (outage_ && dueNs >= outage_->startNs) {
        dueNs = std::max(dueNs, outage_->startNs + outage_->durationNs);
    }
    return ttlNs_ > 0 ? std::min(dueNs, handledAtNs + ttlNs_) : dueNs;
}

Event AckSchedule::pop() {
    const Waiting first = waiting_.front();
    waiting_.pop_front();
    return {EventKind::Ack, first.dueNs, first.message};
}

Timeline::Timeline(const Scenario& scenario, ArrivalSource& arrivals)
    : arrivals_(arrivals),
      acks_(scenario),
      stalls_(scenario.stalls),
      gcIntervalNs_(scenario.gcIntervalNs),
      nextTickNs_(scenario.gcIntervalNs) {
    std::sort(stalls_.begin(), stalls_.end(), [](const Span& a, const Span& b) { return a.startNs < b.startNs; });
}

Ns Timeline::nextDueNs() const {
    return std::min(std::min(arrivals_.nextDueNs(), acks_.nextDueNs()), std::min(nextTickNs_, nextStallNs()));
}

Event Timeline::pop() {
    const Ns dueNs = nextDueNs();
    if (nextStallNs() == dueNs) {
        const Span& stall = stalls_[nextStall_++];
        return {EventKind::Stall, stall.startNs, static_cast<std::uint64_t>(stall.durationNs)};
    }
    if (nextTickNs_ == dueNs) {
        nextTickNs_ += gcIntervalNs_;
        return {EventKind::Gc, dueNs, 0};
    }
    return acks_.nextDueNs() == dueNs ? acks_.pop() : arrivals_.pop();
}

}  // namespace replay
