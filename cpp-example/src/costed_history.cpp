#include "costed_history.hpp"

#include "stopwatch.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace replay {
namespace {

// Far above what a cache miss makes of a call, far below an interrupt; the design allows up to 20 us.
constexpr Ns hiccupAllowanceNs = 2 * nsPerUs;

/// As many threads as there are cores besides this one's, and at least one; each takes its share of the passes.
std::vector<std::unique_ptr<ShadowPass>> shadowsOf(std::vector<std::unique_ptr<Engine>> engines) {
    const std::size_t cores = std::max(2U, std::thread::hardware_concurrency());
    const std::size_t threads = std::min(engines.size(), cores - 1);
    std::vector<std::vector<std::unique_ptr<Engine>>> shares(threads);
    for (std::size_t i = 0; i < engines.size(); ++i) {
        shares[i % threads].push_back(std::move(engines[i]));
    }
    std::vector<std::unique_ptr<ShadowPass>> shadows;
    for (auto& share : shares) {
        shadows.push_back(std::make_unique<ShadowPass>(std::move(share)));
    }
    return shadows;
}

}  // namespace

Ns chargedCostNs(Ns firstNs, Ns shortestNs) { return std::min(firstNs, shortestNs + hiccupAllowanceNs); }

MeasuredHistory::MeasuredHistory(std::vector<std::unique_ptr<Engine>> passes)
    : first_(std::move(passes.front())), stopwatchCostNs_(measureStopwatchNs()) {
    passes.erase(passes.begin());
    others_ = shadowsOf(std::move(passes));
}

Ns MeasuredHistory::charge(const Call& call, Ns tookNs) {
    Ns shortestNs = tookNs;
    for (const auto& other : others_) {
        const std::uint64_t number = other->repeat(call);
        if (tookNs > hiccupAllowanceNs) {
            shortestNs = std::min(shortestNs, other->shortestNs(number));
        }
    }
    return std::max<Ns>(0, chargedCostNs(tookNs, shortestNs) - stopwatchCostNs_);
}

Charged<PutAnswer> MeasuredHistory::put(const Key& key, Ns nowNs) {
    const Ns beginNs = stopwatchNs();
    const PutAnswer answer = first_->put(key, nowNs);
    const Ns tookNs = stopwatchNs() - beginNs;
    return {answer, charge({CallKind::Put, answer.added, answer.collected, key, nowNs, 0, 0}, tookNs)};
}

Charged<bool> MeasuredHistory::ack(const Key& key, Ns nowNs) {
    const Ns beginNs = stopwatchNs();
    const bool known = first_->ack(key, nowNs);
    const Ns tookNs = stopwatchNs() - beginNs;
    return {known, charge({CallKind::Ack, known, false, key, nowNs, 0, 0}, tookNs)};
}

Charged<GcAnswer> MeasuredHistory::gc(Ns nowNs, std::uint64_t max) {
    const Ns beginNs = stopwatchNs();
    const GcAnswer answer = first_->gc(nowNs, max);
    const Ns tookNs = stopwatchNs() - beginNs;
    return {answer, charge({CallKind::Gc, answer.more, false, {}, nowNs, max, answer.collected}, tookNs)};
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
