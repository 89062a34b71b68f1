// Everything one invocation found out, as the printers and the file writers get it.
#pragma once

#include "calibration.hpp"
#include "capacity.hpp"
#include "goals.hpp"
#include "run.hpp"
#include "summary.hpp"

#include <optional>
#include <string>
#include <vector>

namespace replay {

struct Report {
    std::string preset;     // its name, or "custom"
    std::string command;    // as typed, without where the output goes
    std::string tracePath;  // empty: generated messages
    Scenario scenario;
    RunSettings settings;
    bool asSpecified = false;  // the very run that the goals' limits are meant for
    bool interrupted = false;
    std::optional<SteadyCosts> standInCosts;  // none: the other work was given
    std::vector<RunResult> runs;
    std::vector<Row> rows;  // one per run
    std::vector<CapacityResult> capacities;
    std::vector<Goal> goals;
};

}  // namespace replay
