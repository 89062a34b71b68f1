// The figures of one run, worked out from its recording: what the tables, the summary file and the goals read.
#pragma once

#include "run.hpp"
#include "scenario.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace replay {

struct Row {
    Contender contender;
    Start start;
    bool interrupted;
    std::uint64_t idealHistory;
    std::uint64_t peakHistory;
    std::uint64_t endHistory;
    double peakRatio;
    double growthPerS;
    bool growingAtEnd;
    Totals totals;
    bool anyStall;
    std::optional<double> backlogDrainS;  // none: never
    std::uint64_t peakBacklog;
    std::uint64_t endBacklog;
    std::optional<double> putUs50, putUs99, putUs999, putUs9999, putUsMax;  // the history's part of one PUT
    std::optional<double> latencyUs50, latencyUs99, latencyUs999, latencyUsMax;
    std::optional<double> gcUsMax;
    double historyNsPerMessage;
    MemoryCounts memoryAtStart;
    MemoryCounts memoryAtEnd;
    double bytesPerIdealEntry;
    std::optional<std::uint64_t> capacityPerS;
    std::optional<double> capacityRelative;
};

/// `trace`: the ideal is then what arrived within the last window, at its largest.
Row summarise(const RunResult& run, const Scenario& scenario, const Trace* trace);

/// rate x window; of a trace, the PUTs of the window that ends at `atNs`.
class IdealHistory {
  public:
    IdealHistory(const Scenario& scenario, const Trace* trace);

    std::uint64_t at(Ns atNs) const;
    std::uint64_t largest() const { return largest_; }

  private:
    Ns windowNs_;
    std::vector<Ns> putsAtNs_;  // of a trace
    std::uint64_t largest_;
};

/// How fast the history grew over the last `spanNs`, in entries per second; over the whole run if that is shorter.
double growthPerS(const std::vector<Sample>& samples, Ns spanNs);

}  // namespace replay
