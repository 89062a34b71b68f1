// summary.json: the figures of a run for machines.
#pragma once

#include "report.hpp"

#include <ostream>

namespace replay {

void writeSummary(const Report& report, std::ostream& out);

}  // namespace replay
