// What a person reads on the terminal: the comparison with its goals, the allocations, the capacity search.
#pragma once

#include "report.hpp"

#include <ostream>

namespace replay {

void printReport(const Report& report, std::ostream& out);

}  // namespace replay
