// Runs the scenario `cursor`: all of its parts, policies in turns.
#pragma once

#include "cursor/cursor_scenario.hpp"
#include "progress.hpp"

#include <filesystem>

namespace replay {

/// The stores' files are made in `directory` and deleted. Ends early on Ctrl-C, with what there is. Throws StoreFailure if
/// the disk has not enough room, or another failure of SQLite; DeliveryError as runBacklog.
CursorReport runCursor(const CursorScenario& scenario, const std::filesystem::path& directory, Progress& progress);

}  // namespace replay
