// The command line: every flag, its checks, and the help. Nothing is run from here.
#pragma once

#include "cursor/cursor_scenario.hpp"
#include "run.hpp"
#include "scenario.hpp"
#include "usage_scenario.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace replay {

struct Command {
    std::string preset;  // "custom" once a flag changed its scenario
    std::string typed;   // the command line without --out, for whoever wants to repeat it
    Scenario scenario;
    bool asSpecified = false;
    std::vector<Contender> contenders;
    std::vector<Start> starts;
    ClockKind clock = ClockKind::Virtual;
    CostSettings costs;
    std::optional<Ns> otherWorkNs;  // none: calibrate
    unsigned producers = 2;
    std::string tracePath;
    std::string recordPath;
    bool findCapacity = false;
    bool predictCapacity = false;  // the model's word is taken for it
    bool replay = true;
    bool quiet = false;
    std::string outDirectory;
    std::optional<UsageScenario> usage;    // this instead of the dispatcher,
    std::optional<CursorScenario> cursor;  // or this
    std::string storeDirectory;            // of the scenario `cursor`

    // What a trace decides unless a flag already has.
    bool durationGiven = false;
    bool stallsGiven = false;
};

/// The exit code of a command line that asked for help or was wrong; the text has been printed.
struct Exit {
    int code;
};

std::variant<Command, Exit> parseCommandLine(int argc, const char* const* argv);

}  // namespace replay
