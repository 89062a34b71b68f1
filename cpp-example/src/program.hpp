// One invocation from its command to its report: calibrates, replays each contender, searches the capacities.
#pragma once

#include "command_line.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "trace.hpp"

#include <string>

namespace replay {

/// `trace` is the command's, already read, or null. Notes for the user go to standard error.
Report execute(const Command& command, const Trace* trace, Progress& progress);

/// Lets a trace decide what the flags left open: the rate, the duration, and that nothing stalls.
void adoptTrace(Command& command, const Trace& trace);

}  // namespace replay
