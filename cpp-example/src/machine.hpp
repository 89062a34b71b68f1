// The machine the replay runs on: what the report says about it, and how much memory there is for the passes.
#pragma once

#include "run.hpp"
#include "scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace replay {

/// Name and text: processor, cores, memory, system, compiler, library.
std::vector<std::pair<std::string, std::string>> machineFacts();

/// None where the system does not say.
std::optional<std::uint64_t> availableMemoryBytes();

/// The most that one instance of the contender's history will hold, roughly.
std::uint64_t expectedBytes(const Scenario& scenario, const Contender& contender);

}  // namespace replay
