// Scenarios with a name.
#pragma once

#include "scenario.hpp"

#include <optional>
#include <string>
#include <vector>

namespace replay {

struct Preset {
    std::string name;
    std::string summary;  // one line for --help
    Scenario scenario;
};

const std::vector<Preset>& allPresets();
std::optional<Preset> presetNamed(const std::string& name);

/// What is compared when nothing else is asked for: the incident, its two alternatives, and the library.
std::vector<Contender> usualContenders();
/// Whose capacity is looked for.
std::vector<Contender> capacityContenders();
/// "policy/engine".
std::optional<Contender> contenderNamed(const std::string& name);

bool operator==(const Scenario& a, const Scenario& b);

}  // namespace replay
