// --find-capacity: the highest rate that a contender sustains with a stall of one second every half minute.
//
// A run of 240 s costs a good part of a minute of real time, so the search is told where to look: a model of the
// history
// (`ModelEngine`) at the costs measured in a steady state predicts the capacity, at well under a second per rate. Then
// real, measured runs decide: the predicted rate, and from there on in steps of 0.5 %, until one measured rate held and
// the next one did not. A wrong prediction costs time only. Every run of both kinds is reported.
#pragma once

#include "calibration.hpp"
#include "run.hpp"
#include "scenario.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace replay {

struct CapacityPlan {
    Ns durationNs = 240 * nsPerSecond;
    Ns stallEveryNs = 30 * nsPerSecond;
    Ns stallNs = nsPerSecond;
    double mostEndRatio = 1.15;        // history at the end / (rate x window)
    double growthLimitPerS = 5'000.0;  // over the last stall period
    double precision = 0.005;
    bool isConfirmed = true;  // measured runs have the last word; else the model does
};

enum class Verdict : std::uint8_t { Sustained, Nack, History, Growth, Interrupted };
std::string verdictName(Verdict verdict);

struct CapacityProbe {
    std::uint64_t ratePerS;
    bool measured;  // false: predicted
    Verdict verdict;
    std::uint64_t nacks;
    double endRatio;
    double growthPerS;
    Ns stoppedAtNs;
};

struct CapacityResult {
    Contender contender;
    std::vector<CapacityProbe> probes;
    std::optional<std::uint64_t> capacityPerS;  // none: interrupted, or not even a trickle is sustained
    std::optional<std::uint64_t> firstFailingPerS;

    std::uint64_t measuredRuns() const;
};

Scenario capacityScenario(const Scenario& base, const CapacityPlan& plan, std::uint64_t ratePerS);
CapacityProbe judge(const RunResult& run, const Scenario& scenario, const CapacityPlan& plan);

/// Says what is being tried, and how far that is.
using CapacityProgress = std::function<void(const std::string&, double)>;

class CapacityFinder {
  public:
    CapacityFinder(const Scenario& base, const RunSettings& settings, const CapacityPlan& plan,
                   CapacityProgress progress)
        : base_(base), settings_(settings), plan_(plan), progress_(std::move(progress)) {
        settings_.stopAtNack = true;
        settings_.traceWriter = nullptr;
    }

    /// `costs`: what the contender's engine takes in a steady state.
    CapacityResult find(const Contender& contender, const SteadyCosts& costs) const;

  private:
    CapacityProbe predict(const Contender& contender, const SteadyCosts& costs, std::uint64_t ratePerS) const;
    CapacityProbe measure(const Contender& contender, std::uint64_t ratePerS) const;
    CapacityResult predictCapacity(const Contender& contender, const SteadyCosts& costs) const;

    Scenario base_;
    RunSettings settings_;
    CapacityPlan plan_;
    CapacityProgress progress_;
};

}  // namespace replay
