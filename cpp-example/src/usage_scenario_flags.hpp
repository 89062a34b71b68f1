// The flags of the scenario `usage`: what they set, and their words in --help.
#pragma once

#include "usage_scenario.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace replay {

/// What the flags said.
struct UsageFlags {
    std::optional<unsigned> consumers;
    std::optional<std::uint64_t> limitBytes;
    std::vector<std::uint64_t> messageBytes;
    std::optional<Ns> workNs;
    std::optional<int> resumeBelowPercent;
    std::vector<std::string> meters;
};

extern const char* const usageFlagsGroup;

void addUsageFlags(CLI::App& app, UsageFlags& flags);

/// The scenario that was asked for. `usual` has what the flags of several scenarios set. Throws CLI::ValidationError for
/// what does not go together.
UsageScenario usageScenarioOf(const UsageFlags& flags, const UsageScenario& usual);

}  // namespace replay
