// Runs two queues on one limit: the first has no consumers and sits on 70 % of the memory, the second has some.
#pragma once

#include "cursor/backlog_run.hpp"
#include "cursor/cases.hpp"

#include <filesystem>
#include <optional>

namespace replay {

/// As runBacklog. In the end the idle queue's consumers come back, and both have to be served to the last message.
std::optional<StarvationResult> runStarvation(const StarvationCase& what, const std::filesystem::path& directory,
                                              const CursorProgress& progress = {});

}  // namespace replay
