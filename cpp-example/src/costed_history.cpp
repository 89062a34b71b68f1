#include "costed_history.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace replay {
namespace {

constexpr Ns hiccupAllowanceNs = 20 * nsPerUs;

Ns machineNowNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What two readings of the clock with nothing between them lie apart.
Ns measureTimerCostNs() {
    Ns shortestNs = never;
    for (int i = 0; i < 10'000; ++i) {
        const Ns beginNs = machineNowNs();
        shortestNs = std::min(shortestNs, machineNowNs() - beginNs);
    }
    return shortestNs;
}

}  // namespace

Ns chargedCostNs(Ns firstNs, Ns shortestNs, Ns timerCostNs) {
    return std::max<Ns>(0, std::min(firstNs, shortestNs + hiccupAllowanceNs) - timerCostNs);
}

MeasuredHistory::MeasuredHistory(std::vector<std::unique_ptr<Engine>> passes)
    : passes_(std::move(passes)), timerCostNs_(measureTimerCostNs()) {}

template <class Call>
auto MeasuredHistory::timed(Call call) {
    Ns beginNs = machineNowNs();
    const auto answer = call(*passes_.front());
    Ns endNs = machineNowNs();
    const Ns firstNs = endNs - beginNs;
    Ns shortestNs = firstNs;
    for (std::size_t i = 1; i < passes_.size(); ++i) {
        beginNs = endNs;
        const auto again = call(*passes_[i]);
        endNs = machineNowNs();
        shortestNs = std::min(shortestNs, endNs - beginNs);
        if (!(again == answer)) {
            throw EngineError("two passes of one engine gave different answers to the same call");
        }
    }
    return Charged<std::decay_t<decltype(answer)>>{answer, chargedCostNs(firstNs, shortestNs, timerCostNs_)};
}

Charged<PutAnswer> MeasuredHistory::put(const Key& key, Ns nowNs) {
    return timed([&](Engine& engine) { return engine.put(key, nowNs); });
}

Charged<bool> MeasuredHistory::ack(const Key& key, Ns nowNs) {
    return timed([&](Engine& engine) { return engine.ack(key, nowNs); });
}

Charged<GcAnswer> MeasuredHistory::gc(Ns nowNs, std::uint64_t max) {
    return timed([&](Engine& engine) { return engine.gc(nowNs, max); });
}

Ns FixedCostHistory::collectingSince(std::uint64_t collectedBefore) const {
    const auto collected = static_cast<double>(engine_->collectedTotal() - collectedBefore);
    return static_cast<Ns>(std::llround(collected * costs_.collectNs));
}

Charged<PutAnswer> FixedCostHistory::put(const Key& key, Ns nowNs) {
    const std::uint64_t before = engine_->collectedTotal();
    const PutAnswer answer = engine_->put(key, nowNs);
    return {answer, costs_.putNs + collectingSince(before)};
}

Charged<bool> FixedCostHistory::ack(const Key& key, Ns nowNs) {
    const std::uint64_t before = engine_->collectedTotal();
    const bool known = engine_->ack(key, nowNs);
    return {known, costs_.ackNs + collectingSince(before)};
}

Charged<GcAnswer> FixedCostHistory::gc(Ns nowNs, std::uint64_t max) {
    const std::uint64_t before = engine_->collectedTotal();
    const GcAnswer answer = engine_->gc(nowNs, max);
    return {answer, collectingSince(before)};
}

}  // namespace replay
