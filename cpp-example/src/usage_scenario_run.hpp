// Runs the scenario `usage`: threads for one turn, turns for all meters.
#pragma once

#include "progress.hpp"
#include "usage_scenario.hpp"

namespace replay {

/// One turn of one meter. With `checks`, a counter beside the meter follows the level: it is raised after a message was
/// admitted and lowered before it is given back, so what it shows above the limit was above the limit. Throws
/// std::runtime_error if the meter has lost count.
UsageTurn runUsageTurn(MeterKind kind, const UsageScenario& scenario, Ns lengthNs, bool checks);

/// Turn by turn, then a check of each meter. Ends early on Ctrl-C, with what there is.
UsageReport runUsage(const UsageScenario& scenario, Progress& progress);

/// What an addition to an atomic costs one thread, two, and as many as there are processors.
std::vector<LineCost> measureLine();

}  // namespace replay
