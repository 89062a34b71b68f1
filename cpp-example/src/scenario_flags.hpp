// Which scenario a command line is about, and that it has no flag of another one.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace replay {

/// Adds --scenario.
void addScenarioFlag(CLI::App& app, std::string& scenario);

/// Throws CLI::ValidationError if a flag was given that means nothing to `scenario`.
void refuseForeignFlags(const CLI::App& app, const std::string& scenario);

}  // namespace replay
