// The flags of the scenario `usage`: what they set, what they exclude, and their words in --help.
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
    std::string scenario = "dispatcher";
    std::optional<unsigned> consumers;
    std::optional<std::uint64_t> limitBytes;
    std::vector<std::uint64_t> messageBytes;
    std::optional<Ns> workNs;
    std::optional<int> resumeBelowPercent;
    std::vector<std::string> meters;
};

void addUsageFlags(CLI::App& app, UsageFlags& flags);

/// The scenario that was asked for; none if it is the dispatcher's. `usual` has what the flags of both scenarios set.
/// Throws CLI::ValidationError if a flag of the other scenario was given.
std::optional<UsageScenario> usageScenarioOf(const CLI::App& app, const UsageFlags& flags, const UsageScenario& usual);

}  // namespace replay
