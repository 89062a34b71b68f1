// The incident at a hundredth of its size, on fixed costs: what the tests replay.
//
// Rate, window and batches shrink together, so that everything takes its course as in the large: a history of 60,000,
// one GC event per thousandth of the rate, a stall of as many messages' worth of time.
#pragma once

#include "calibration.hpp"
#include "presets.hpp"
#include "run.hpp"

namespace replay::small {

constexpr std::uint64_t scale = 100;

inline Scenario scenario() {
    Scenario small;
    small.ratePerS /= scale;
    small.capacityPerS /= scale;
    small.queueLimit /= scale;
    return small;
}

inline Contender contender(const std::string& name) {
    Contender small = *contenderNamed(name);
    small.policy.gcBatch /= scale;
    if (small.policy.insertCollects == InsertCollects::OnDemand) {
        small.policy.insertBatch /= scale;
    }
    return small;
}

/// Costs a hundred times the usual, as a message has a hundred times as long.
inline FixedCosts costs(EngineKind engine) {
    const FixedCosts usual = typicalCosts(engine);
    return {usual.putNs * static_cast<Ns>(scale), usual.ackNs * static_cast<Ns>(scale), usual.collectNs * scale};
}

inline RunSettings settings() {
    RunSettings settings;
    settings.costs.kind = CostKind::Fixed;
    settings.costs.queuecore = costs(EngineKind::Queuecore);
    settings.costs.stl = costs(EngineKind::Stl);
    const FixedCosts& stl = settings.costs.stl;
    settings.otherWorkNs =
        otherWorkNs({static_cast<double>(stl.putNs), static_cast<double>(stl.ackNs), stl.collectNs, stl.collectNs},
                    scenario().capacityPerS);
    return settings;
}

inline RunResult run(const Scenario& scenario, const std::string& name, const RunSettings& settings) {
    return replayOnce(scenario, contender(name), settings, [](double) {});
}

}  // namespace replay::small
