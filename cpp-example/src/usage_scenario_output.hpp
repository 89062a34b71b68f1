// What the scenario `usage` found out, for the terminal, for the report page (usage.json) and for a plot (usage.csv).
#pragma once

#include "usage_scenario.hpp"

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace replay {

/// One figure of every meter: the median of its turns.
struct UsageFigure {
    std::string name;    // its column in usage.csv
    std::string words;   // for people
    std::string group;   // of the charts
    std::string unit;    // of the file; empty for a count
    std::vector<std::optional<double>> values;  // one for each row of the report; none if it does not have it
};

std::vector<UsageFigure> usageFigures(const UsageReport& report);

void printUsage(const UsageReport& report, std::ostream& out);

/// Throws FileError naming the file that could not be written.
void writeUsageFiles(const UsageReport& report, const std::filesystem::path& directory);

}  // namespace replay
