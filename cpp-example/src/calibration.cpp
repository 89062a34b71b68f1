#include "calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace replay {
namespace {

constexpr Ns longestTickNs = 5 * nsPerSecond;
constexpr std::uint64_t enoughMessages = 300'000;
constexpr std::uint64_t fewestTicks = 2;

/// A quiet stretch of the scenario: no stall, no outage. One GC interval to warm up, then enough of them to measure.
Scenario steadyStretch(const Scenario& scenario) {
    Scenario steady = scenario;
    steady.stalls.clear();
    steady.ackOutage.reset();
    steady.ttlNs = 0;
    steady.idleGc = false;
    steady.start = Start::Prefilled;
    steady.gcIntervalNs = std::min(scenario.gcIntervalNs, longestTickNs);
    steady.sampleNs = steady.gcIntervalNs;
    const double perTick = static_cast<double>(scenario.ratePerS) * toSeconds(steady.gcIntervalNs);
    const auto ticks = std::max<std::uint64_t>(
        fewestTicks, static_cast<std::uint64_t>(std::ceil(static_cast<double>(enoughMessages) / perTick)));
    steady.durationNs = static_cast<Ns>(ticks + 1) * steady.gcIntervalNs;
    return steady;
}

double per(Ns costNs, std::uint64_t count) {
    return count == 0 ? 0.0 : static_cast<double>(costNs) / static_cast<double>(count);
}

}  // namespace

Contender calibrationContender() { return {*policyNamed("scheduled-1000"), EngineKind::Stl}; }

SteadyCosts measureSteadyCosts(const Scenario& scenario, const Contender& contender, const CostSettings& costs,
                               const RunProgress& progress) {
    RunSettings settings;
    settings.costs = costs;
    const RunResult run = replayOnce(steadyStretch(scenario), contender, settings, progress);
    const std::vector<Sample>& samples = run.recording.samples;
    if (run.interrupted() || samples.size() < 2) {
        throw CalibrationError("interrupted while measuring what " + contender.name() + " costs in a steady state");
    }
    const Totals& from = samples.front().totals;
    const Totals& to = samples.back().totals;
    const std::uint64_t puts = to.puts - from.puts;
    return {per(to.putNs - from.putNs, puts), per(to.ackNs - from.ackNs, puts),
            per(to.gcNs - from.gcNs, to.collected - from.collected), per(to.gcNs - from.gcNs, puts)};
}

Ns otherWorkNs(const SteadyCosts& standIn, std::uint64_t capacityPerS) {
    const double budgetNs = static_cast<double>(nsPerSecond) / static_cast<double>(capacityPerS);
    const double remainsNs = budgetNs - standIn.perMessageNs();
    if (remainsNs < 0.0) {
        throw CalibrationError("the stand-in alone takes " + std::to_string(std::llround(standIn.perMessageNs())) +
                               " ns per message here, and a --capacity of " + std::to_string(capacityPerS) +
                               " messages/s leaves only " + std::to_string(std::llround(budgetNs)) +
                               " ns: choose a smaller one");
    }
    return static_cast<Ns>(std::llround(remainsNs));
}

}  // namespace replay
