// The flags of the scenario `cursor`: what they set, and their words in --help.
#pragma once

#include "cursor/cursor_scenario.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace replay {

/// What the flags said.
struct CursorFlags {
    std::optional<std::uint64_t> messages;
    std::optional<std::uint64_t> prefetch;
    std::optional<Ns> fetchDelayNs;
    std::vector<std::string> parts;
    std::vector<std::string> refills;
    std::vector<std::string> faults;
    std::optional<std::uint64_t> faultEvery;
    std::optional<unsigned> turns;
    std::string storeDirectory;  // empty: a folder of --out
};

extern const char* const cursorFlagsGroup;

void addCursorFlags(CLI::App& app, CursorFlags& flags);

/// The scenario that was asked for. `limitBytes` and `messageBytes` are from flags that it shares with the scenario `usage`.
/// Throws CLI::ValidationError for what does not go together.
CursorScenario cursorScenarioOf(const CursorFlags& flags, std::optional<std::uint64_t> limitBytes,
                                const std::vector<std::uint64_t>& messageBytes);

}  // namespace replay
