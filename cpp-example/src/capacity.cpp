#include "capacity.hpp"

#include "model_engine.hpp"
#include "rate_search.hpp"
#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace replay {
namespace {

// More PUTs per second than this are no broker; the search ends there.
constexpr std::uint64_t mostPerS = 50'000'000;

// The model runs at a tenth of the size: rate, queue and batches a tenth, every cost ten times as long. Everything
// takes the same course in a tenth of the events.
constexpr std::uint64_t modelScale = 10;

Ns scaledNs(double ns) { return std::llround(ns * static_cast<double>(modelScale)); }

std::uint64_t scaledDown(std::uint64_t count) { return std::max<std::uint64_t>(count / modelScale, 1); }

Contender scaledDown(Contender contender) {
    contender.policy.gcBatch = scaledDown(contender.policy.gcBatch);
    if (contender.policy.insertCollects == InsertCollects::OnDemand) {
        contender.policy.insertBatch = scaledDown(contender.policy.insertBatch);
    }
    return contender;
}

}  // namespace

std::string verdictName(Verdict verdict) {
    switch (verdict) {
        case Verdict::Sustained: return "ok";
        case Verdict::Nack: return "nack";
        case Verdict::History: return "history";
        case Verdict::Growth: return "growth";
        case Verdict::Interrupted: return "interrupted";
    }
    return "unknown";
}

std::uint64_t CapacityResult::measuredRuns() const {
    return static_cast<std::uint64_t>(
        std::count_if(probes.begin(), probes.end(), [](const CapacityProbe& probe) { return probe.measured; }));
}

Scenario capacityScenario(const Scenario& base, const CapacityPlan& plan, std::uint64_t ratePerS) {
    Scenario scenario = base;
    scenario.ratePerS = ratePerS;
    scenario.durationNs = plan.durationNs;
    scenario.start = Start::Prefilled;
    scenario.ackOutage.reset();
    scenario.ttlNs = 0;
    scenario.stalls.clear();
    for (Ns atNs = plan.stallEveryNs; atNs < plan.durationNs; atNs += plan.stallEveryNs) {
        scenario.stalls.push_back({atNs, plan.stallNs});
    }
    return scenario;
}

CapacityProbe judge(const RunResult& run, const Scenario& scenario, const CapacityPlan& plan) {
    const Recording& recording = run.recording;
    CapacityProbe probe{scenario.ratePerS, true, Verdict::Sustained, recording.totals.nacks, 0.0, 0.0, 0};
    if (!recording.samples.empty()) {
        const Sample& last = recording.samples.back();
        probe.stoppedAtNs = last.atNs;
        probe.endRatio = static_cast<double>(last.history) / static_cast<double>(scenario.idealHistory());
        probe.growthPerS = growthPerS(recording.samples, plan.stallEveryNs);
    }
    if (run.interrupted()) {
        probe.verdict = Verdict::Interrupted;
    } else if (probe.nacks > 0) {
        probe.verdict = Verdict::Nack;
    } else if (probe.endRatio > plan.mostEndRatio) {
        probe.verdict = Verdict::History;
    } else if (probe.growthPerS >= plan.growthLimitPerS) {
        probe.verdict = Verdict::Growth;
    }
    return probe;
}

CapacityProbe CapacityFinder::predict(const Contender& contender, const SteadyCosts& costs,
                                      std::uint64_t ratePerS) const {
    const Contender model = scaledDown(contender);
    CapacityPlan plan = plan_;
    plan.growthLimitPerS /= static_cast<double>(modelScale);
    Scenario scenario = capacityScenario(base_, plan_, scaledDown(ratePerS));
    scenario.queueLimit = scaledDown(scenario.queueLimit);
    RunSettings settings = settings_;
    settings.otherWorkNs = scaledNs(static_cast<double>(settings_.otherWorkNs));
    FixedCostHistory history(
        std::make_unique<ModelEngine>(model.policy, scenario.windowNs),
        {scaledNs(costs.putNs), scaledNs(costs.ackNs), costs.collectNs * static_cast<double>(modelScale)});

    const std::string what = "predicting " + contender.name() + " at " + std::to_string(ratePerS) + "/s";
    const auto progress = [&](double part) { progress_(what, part); };
    CapacityProbe probe = judge(replayWith(history, scenario, model, settings, progress), scenario, plan);
    probe.ratePerS = ratePerS;
    probe.measured = false;
    return probe;
}

CapacityProbe CapacityFinder::measure(const Contender& contender, std::uint64_t ratePerS) const {
    const Scenario scenario = capacityScenario(base_, plan_, ratePerS);
    const std::string what = "capacity of " + contender.name() + ": " + std::to_string(ratePerS) + "/s";
    const auto progress = [&](double part) { progress_(what, part); };
    return judge(replayOnce(scenario, contender, settings_, progress), scenario, plan_);
}

CapacityResult CapacityFinder::predictCapacity(const Contender& contender, const SteadyCosts& costs) const {
    CapacityResult result{contender, {}, std::nullopt, std::nullopt};
    const double perMessageNs = static_cast<double>(settings_.otherWorkNs) + costs.perMessageNs();
    const double awakePart = 1.0 - toSeconds(plan_.stallNs) / toSeconds(plan_.stallEveryNs);
    const auto guess =
        static_cast<std::uint64_t>(std::llround(awakePart * static_cast<double>(nsPerSecond) / perMessageNs));
    RateSearch search(std::clamp<std::uint64_t>(guess, 1, mostPerS), plan_.precision);
    while (const auto rate = search.next()) {
        result.probes.push_back(predict(contender, costs, *rate));
        if (result.probes.back().verdict == Verdict::Interrupted) {
            return result;
        }
        search.tried(*rate, result.probes.back().verdict == Verdict::Sustained);
    }
    result.capacityPerS = search.highestThatHolds();
    result.firstFailingPerS = search.lowestThatFails();
    return result;
}

CapacityResult CapacityFinder::find(const Contender& contender, const SteadyCosts& costs) const {
    CapacityResult result = predictCapacity(contender, costs);
    if (!plan_.isConfirmed || !result.capacityPerS) {
        return result;
    }
    RateSearch search(*result.capacityPerS, plan_.precision);
    result.capacityPerS.reset();
    result.firstFailingPerS.reset();
    while (const auto rate = search.next()) {
        result.probes.push_back(measure(contender, *rate));
        if (result.probes.back().verdict == Verdict::Interrupted) {
            return result;
        }
        search.tried(*rate, result.probes.back().verdict == Verdict::Sustained);
    }
    result.capacityPerS = search.highestThatHolds();
    result.firstFailingPerS = search.lowestThatFails();
    return result;
}

}  // namespace replay
