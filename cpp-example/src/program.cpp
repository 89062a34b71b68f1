#include "program.hpp"

#include "interrupt.hpp"
#include "machine.hpp"
#include "presets.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>

namespace replay {
namespace {

// Shares of the progress bar: a contender's run counts 1.
constexpr double calibrationShare = 0.2;
constexpr double capacityShare = 3.0;

/// Where each part of the work lies on the progress bar.
class Shares {
  public:
    Shares(Progress& progress, double total) : progress_(progress), total_(total) {}

    RunProgress begin(const std::string& what, double share) {
        progress_.step(what, done_ / total_, (done_ + share) / total_);
        done_ += share;
        return [this](double part) { progress_.update(part); };
    }

  private:
    Progress& progress_;
    double total_;
    double done_ = 0.0;
};

/// A policy's costs in a steady state: of itself where every insert collects, else with collection told apart from
/// inserts.
Contender steadyContenderOf(const Contender& contender) {
    if (contender.policy.insertCollects == InsertCollects::Always) {
        return contender;
    }
    return {calibrationContender().policy, contender.engine};
}

SteadyCosts fromPriceList(const FixedCosts& costs) {
    return {static_cast<double>(costs.putNs), static_cast<double>(costs.ackNs), costs.collectNs, costs.collectNs};
}

class Execution {
  public:
    Execution(const Command& command, const Trace* trace, Progress& progress)
        : command_(command), progress_(progress), shares_(progress, totalShares(command)) {
        report_.preset = command.preset;
        report_.command = command.typed;
        report_.tracePath = command.tracePath;
        report_.scenario = command.scenario;
        report_.asSpecified = command.asSpecified;
        report_.settings.clock = command.clock;
        report_.settings.costs = command.costs;
        report_.settings.producers = command.producers;
        report_.settings.trace = trace;
    }

    Report run() {
        fitPassesToMemory();
        calibrate();
        if (command_.replay) {
            replayAll();
        }
        if (command_.findCapacity) {
            findCapacities();
        }
        addCapacities(report_.capacities, report_.rows);
        report_.goals = goalsOf(report_.rows, report_.capacities);
        report_.interrupted = interrupted();
        return std::move(report_);
    }

  private:
    static double totalShares(const Command& command) {
        const double runs =
            command.replay ? static_cast<double>(command.contenders.size() * command.starts.size()) : 0.0;
        const double capacities =
            command.findCapacity ? static_cast<double>(capacityContenders().size()) * capacityShare + calibrationShare
                                 : 0.0;
        return calibrationShare + runs + capacities;
    }

    /// All that will be replayed, calibrated with, or searched for its capacity.
    std::vector<Contender> everyContender() const {
        std::vector<Contender> all = command_.replay ? command_.contenders : std::vector<Contender>{};
        if (!command_.otherWorkNs) {
            all.push_back(*contenderNamed("inline-1000/stl"));  // the steady state holds no more than this
        }
        if (command_.findCapacity) {
            const std::vector<Contender> searched = capacityContenders();
            all.insert(all.end(), searched.begin(), searched.end());
        }
        return all;
    }

    void fitPassesToMemory() {
        CostSettings& costs = report_.settings.costs;
        const auto available = availableMemoryBytes();
        if (!available || costs.kind == CostKind::Fixed || command_.clock == ClockKind::Real) {
            return;
        }
        std::uint64_t most = 0;
        for (const Contender& contender : everyContender()) {
            most = std::max(most, expectedBytes(command_.scenario, contender));
        }
        const std::uint64_t fit = *available / 10 * 9 / std::max<std::uint64_t>(most, 1);
        if (fit < costs.passes) {
            const unsigned passes = static_cast<unsigned>(std::max<std::uint64_t>(fit, 1));
            progress_.clear();
            std::cerr << "note: " << costs.passes << " passes may need " << (most * costs.passes >> 20U) << " MiB and "
                      << (*available >> 20U) << " MiB are free; measuring with " << passes
                      << (passes == 1 ? ", which leaves the machine's own hiccups in the figures\n" : "\n");
            costs.passes = passes;
        }
    }

    void calibrate() {
        if (command_.otherWorkNs) {
            report_.settings.otherWorkNs = *command_.otherWorkNs;
            return;
        }
        report_.standInCosts = steadyCostsOf(calibrationContender());
        report_.settings.otherWorkNs = otherWorkNs(*report_.standInCosts, command_.scenario.capacityPerS);
    }

    SteadyCosts steadyCostsOf(const Contender& contender) {
        const std::string name = contender.name();
        const auto known = steadyCosts_.find(name);
        if (known != steadyCosts_.end()) {
            return known->second;
        }
        const CostSettings& costs = report_.settings.costs;
        const SteadyCosts found =
            costs.kind == CostKind::Fixed
                ? fromPriceList(costs.fixedFor(contender.engine))
                : measureSteadyCosts(command_.scenario, contender, costs,
                                     shares_.begin("measuring " + name + " in a steady state", calibrationShare));
        steadyCosts_.emplace(name, found);
        return found;
    }

    void replayAll() {
        std::unique_ptr<TraceWriter> writer;
        if (!command_.recordPath.empty()) {
            writer = std::make_unique<TraceWriter>(command_.recordPath);
            report_.settings.traceWriter = writer.get();
        }
        for (const Start start : command_.starts) {
            for (const Contender& contender : command_.contenders) {
                if (!interrupted()) {
                    replayOne(start, contender);
                }
            }
        }
        if (writer) {
            writer->finish();
            report_.settings.traceWriter = nullptr;
        }
    }

    void replayOne(Start start, const Contender& contender) {
        Scenario scenario = command_.scenario;
        scenario.start = start;
        const std::string what = contender.name() + (start == Start::Cold ? ", cold" : "");
        report_.runs.push_back(replayOnce(scenario, contender, report_.settings, shares_.begin(what, 1.0)));
        report_.rows.push_back(summarise(report_.runs.back(), scenario, report_.settings.trace));
    }

    void findCapacities() {
        for (const Contender& contender : capacityContenders()) {
            if (interrupted()) {
                return;
            }
            const SteadyCosts costs = steadyCostsOf(steadyContenderOf(contender));
            shares_.begin("capacity of " + contender.name(), capacityShare);
            const auto say = [this](const std::string& what, double part) { progress_.describe(what, part); };
            CapacityPlan plan;
            plan.isConfirmed = !command_.predictCapacity;
            const CapacityFinder finder(command_.scenario, report_.settings, plan, say);
            report_.capacities.push_back(finder.find(contender, costs));
        }
    }

    const Command& command_;
    Progress& progress_;
    Shares shares_;
    Report report_;
    std::map<std::string, SteadyCosts> steadyCosts_;
};

}  // namespace

Report execute(const Command& command, const Trace* trace, Progress& progress) {
    return Execution(command, trace, progress).run();
}

void adoptTrace(Command& command, const Trace& trace) {
    Scenario& scenario = command.scenario;
    scenario.start = Start::Cold;
    scenario.ratePerS = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(trace.putsPerS())));
    if (!command.durationGiven) {
        scenario.durationNs = trace.lengthNs() + nsPerSecond;  // time to handle what came last
    }
    if (!command.stallsGiven) {
        scenario.stalls.clear();
    }
    scenario.sampleNs = std::min(scenario.sampleNs, scenario.durationNs);
}

}  // namespace replay
