// What the scenario `cursor` found out, for the terminal, for the report page (cursor.json, cursor_timeseries.csv) and for
// a plot (cursor.csv).
#pragma once

#include "cursor/cursor_scenario.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <ostream>

namespace replay {

void printCursor(const CursorReport& report, std::ostream& out);

/// Figures as rows of a bench.
nlohmann::ordered_json cursorRows(const CursorReport& report);

/// Throws FileError naming the file that could not be written.
void writeCursorFiles(const CursorReport& report, const std::filesystem::path& directory);

}  // namespace replay
