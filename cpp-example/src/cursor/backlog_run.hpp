// Runs one backlog: producers first, without flow control; then consumers, whose acks free memory one by one.
#pragma once

#include "cursor/cases.hpp"

#include <filesystem>
#include <functional>

namespace replay {

/// Told how far a run is, 0..1.
using CursorProgress = std::function<void(double)>;

/// The store's file is made in `directory` and deleted. None if Ctrl-C cut the run short. Throws DeliveryError if anything
/// was lost, came twice, out of order or with another body, or is left at the end.
std::optional<BacklogResult> runBacklog(const BacklogCase& what, const std::filesystem::path& directory,
                                        const CursorProgress& progress = {});

}  // namespace replay
