#include "scenario_flags.hpp"

#include "cursor/cursor_flags.hpp"
#include "help_text.hpp"
#include "usage_scenario_flags.hpp"

#include <algorithm>
#include <vector>

namespace replay {
namespace {

const char* const dispatcher = "dispatcher";
const char* const usage = "usage";
const char* const cursor = "cursor";

/// Flags of another scenario's group that mean something to this one.
std::vector<std::string> sharedWith(const std::string& scenario) {
    if (scenario == usage) {
        return {"--help", "--scenario", "--duration", "--producers", "--seed", "--out", "--quiet"};
    }
    if (scenario == cursor) {
        return {"--help", "--scenario", "--limit", "--message-size", "--out", "--quiet"};
    }
    return {"--scenario"};
}

const char* ownerOf(const CLI::Option& option) {
    const std::string group = option.get_group();
    return group == usageFlagsGroup ? usage : group == cursorFlagsGroup ? cursor : dispatcher;
}

}  // namespace

void addScenarioFlag(CLI::App& app, std::string& scenario) {
    app.add_option("--scenario", scenario, help::scenario)
        ->check(CLI::IsMember({dispatcher, usage, cursor}))
        ->capture_default_str()
        ->group("What to do");
}

void refuseForeignFlags(const CLI::App& app, const std::string& scenario) {
    const std::vector<std::string> shared = sharedWith(scenario);
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        const char* const owner = ownerOf(*option);
        const bool isShared = std::find(shared.begin(), shared.end(), name) != shared.end();
        if (option->count() > 0 && owner != scenario && !isShared) {
            throw CLI::ValidationError(name, std::string("belongs to --scenario ") + owner);
        }
    }
}

}  // namespace replay
