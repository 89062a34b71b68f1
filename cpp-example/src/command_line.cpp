#include "command_line.hpp"

#include "cursor/cursor_flags.hpp"
#include "help_text.hpp"
#include "number_text.hpp"
#include "presets.hpp"
#include "scenario_flags.hpp"
#include "usage_scenario_flags.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

namespace replay {
namespace {

constexpr std::uint64_t mostPerS = 10'000'000;
constexpr std::uint64_t mostQueued = 100'000'000;
constexpr std::uint64_t mostEntries = 2'147'483'647;  // the library's limit for one history
constexpr unsigned mostPasses = 9;
constexpr unsigned mostProducers = 64;
constexpr std::size_t helpColumn = 30;
constexpr Ns dayNs = 24 * 3600 * nsPerSecond;

/// What the flags said, before the preset and the checks are applied to it.
struct Flags {
    std::string preset = "incident";
    std::optional<std::uint64_t> rate, capacity, queueLimit;
    std::optional<Ns> window, duration, ackDelay, ttl, gcInterval, sample, otherWork;
    std::vector<Span> stalls;
    bool noStall = false;
    std::optional<Span> ackOutage;
    bool idleGc = false;
    bool cold = false;
    std::string start;
    std::vector<std::string> runs, policies, engines;
    std::string clock = "virtual";
    std::string cost = "measured";
    bool capacityOnly = false;
};

std::string text(Ns durationNs) { return durationText(toMicros(static_cast<double>(durationNs))); }

Ns durationOf(const std::string& flag, const std::string& typed, Ns least, Ns most) {
    const auto parsed = parseDuration(typed);
    if (!parsed) {
        throw CLI::ValidationError(
            flag, "'" + typed + "' is no duration; write 100ms, 2.5s, 5m, or seconds as a bare number");
    }
    if (*parsed < least || *parsed > most) {
        throw CLI::ValidationError(flag, "'" + typed + "' is not between " + text(least) + " and " + text(most));
    }
    return *parsed;
}

Span spanOf(const std::string& flag, const std::string& text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos) {
        throw CLI::ValidationError(flag, "'" + text + "' is not START,DURATION, as in 10s,100ms");
    }
    return {durationOf(flag, text.substr(0, comma), 0, dayNs), durationOf(flag, text.substr(comma + 1), 1, dayNs)};
}

/// Adds flags whose value is a duration.
class DurationFlags {
  public:
    explicit DurationFlags(CLI::App& app) : app_(app) {}

    CLI::Option* add(const std::string& flag, std::optional<Ns>& target, Ns least, const std::string& help) {
        const auto set = [flag, &target, least](const std::string& text) {
            target = durationOf(flag, text, least, dayNs);
        };
        return app_.add_option_function<std::string>(flag, set, help)->type_name("TIME");
    }

  private:
    CLI::App& app_;
};

const CLI::Range perSecond(std::uint64_t{1}, mostPerS);

void addLoadFlags(CLI::App& app, Flags& flags) {
    const std::string group = "The load";
    app.add_option("--preset", flags.preset, help::preset)
        ->check(CLI::IsMember({"incident", "seed"}))
        ->capture_default_str()
        ->group(group);
    app.add_option("--rate", flags.rate, help::rate)->check(perSecond)->type_name("PER_S")->group(group);
    app.add_option("--capacity", flags.capacity, help::capacity)->check(perSecond)->type_name("PER_S")->group(group);
    DurationFlags durations(app);
    durations.add("--window", flags.window, nsPerMs, help::window)->group(group);
    durations.add("--duration", flags.duration, nsPerMs, help::duration)->group(group);
    durations.add("--ack-delay", flags.ackDelay, 0, help::ackDelay)->group(group);
    durations.add("--ttl", flags.ttl, 0, help::ttl)->group(group);
    const auto addStalls = [&flags](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            flags.stalls.push_back(spanOf("--stall", text));
        }
    };
    app.add_option_function<std::vector<std::string>>("--stall", addStalls, help::stall)
        ->type_name("START,TIME")
        ->group(group);
    app.add_flag("--no-stall", flags.noStall, help::noStall)->excludes("--stall")->group(group);
    const auto setOutage = [&flags](const std::string& text) { flags.ackOutage = spanOf("--ack-outage", text); };
    app.add_option_function<std::string>("--ack-outage", setOutage, help::ackOutage)
        ->type_name("START,TIME")
        ->group(group);
    app.add_option("--queue-limit", flags.queueLimit, help::queueLimit)
        ->check(CLI::Range(std::uint64_t{1}, mostQueued))
        ->type_name("EVENTS")
        ->group(group);
}

void addHistoryFlags(CLI::App& app, Flags& flags) {
    const std::string group = "The history";
    app.add_option("--run", flags.runs, help::run())->delimiter(',')->type_name("POLICY/ENGINE")->group(group);
    app.add_option("--policy", flags.policies, help::policy())
        ->delimiter(',')
        ->type_name("NAME")
        ->excludes("--run")
        ->group(group);
    app.add_option("--engine", flags.engines, help::engine)
        ->delimiter(',')
        ->type_name("NAME")
        ->excludes("--run")
        ->check(CLI::IsMember({"queuecore", "stl"}))
        ->group(group);
    DurationFlags durations(app);
    durations.add("--gc-interval", flags.gcInterval, nsPerMs, help::gcInterval)->group(group);
    app.add_flag("--idle-gc", flags.idleGc, help::idleGc)->group(group);
    app.add_flag("--cold", flags.cold, help::cold)->group(group);
    app.add_option("--start", flags.start, help::start)
        ->check(CLI::IsMember({"prefilled", "cold", "both"}))
        ->excludes("--cold")
        ->group(group);
}

void addMeasuringFlags(CLI::App& app, Flags& flags, Command& command) {
    const std::string group = "Clock and cost";
    app.add_option("--clock", flags.clock, help::clock)
        ->check(CLI::IsMember({"virtual", "real"}))
        ->capture_default_str()
        ->group(group);
    app.add_option("--cost", flags.cost, help::cost)
        ->check(CLI::IsMember({"measured", "fixed"}))
        ->capture_default_str()
        ->group(group);
    app.add_option("--passes", command.costs.passes, help::passes)
        ->check(CLI::Range(1U, mostPasses))
        ->capture_default_str()
        ->group(group);
    app.add_option("--seed", command.costs.seed, help::seed)
        ->check(CLI::Range(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()))
        ->capture_default_str()
        ->group(group);
    DurationFlags(app).add("--other-work", flags.otherWork, 0, help::otherWork)->group(group);
    app.add_option("--producers", command.producers, help::producers)
        ->check(CLI::Range(1U, mostProducers))
        ->capture_default_str()
        ->group(group);
}

void addJobFlags(CLI::App& app, Flags& flags, Command& command) {
    const std::string group = "What to do";
    app.add_flag("--find-capacity", command.findCapacity, help::findCapacity)->group(group);
    app.add_flag("--predict-capacity", command.predictCapacity, help::predictCapacity)->group(group);
    app.add_flag("--capacity-only", flags.capacityOnly, help::capacityOnly)->group(group);
    app.add_option("--trace", command.tracePath, help::trace)
        ->check(CLI::ExistingFile)
        ->type_name("FILE")
        ->group(group);
    app.add_option("--record", command.recordPath, help::record)->type_name("FILE")->group(group);
    app.add_option("--out", command.outDirectory, help::out)->capture_default_str()->type_name("DIR")->group(group);
    DurationFlags(app).add("--sample", flags.sample, nsPerMs, help::sample)->group(group);
    app.add_flag("--quiet", command.quiet, help::quiet)->group(group);
}

Scenario scenarioOf(const Flags& flags, const Scenario& preset) {
    Scenario scenario = preset;
    scenario.ratePerS = flags.rate.value_or(preset.ratePerS);
    scenario.capacityPerS = flags.capacity.value_or(preset.capacityPerS);
    scenario.windowNs = flags.window.value_or(preset.windowNs);
    scenario.durationNs = flags.duration.value_or(preset.durationNs);
    scenario.ackDelayNs = flags.ackDelay.value_or(preset.ackDelayNs);
    scenario.ttlNs = flags.ttl.value_or(preset.ttlNs);
    scenario.gcIntervalNs = flags.gcInterval.value_or(preset.gcIntervalNs);
    scenario.queueLimit = flags.queueLimit.value_or(preset.queueLimit);
    scenario.sampleNs = flags.sample.value_or(std::min(preset.sampleNs, scenario.durationNs));
    scenario.idleGc = flags.idleGc;
    scenario.ackOutage = flags.ackOutage;
    if (flags.noStall || !flags.stalls.empty()) {
        scenario.stalls = flags.stalls;
    }
    return scenario;
}

std::vector<Contender> contendersOf(const Flags& flags) {
    std::vector<Contender> contenders;
    for (const std::string& name : flags.runs) {
        const auto contender = contenderNamed(name);
        if (!contender) {
            throw CLI::ValidationError("--run",
                                       "'" + name + "' is not POLICY/ENGINE with a policy and an engine of --help");
        }
        contenders.push_back(*contender);
    }
    if (!flags.runs.empty()) {
        return contenders;
    }
    if (flags.policies.empty() && flags.engines.empty()) {
        return usualContenders();
    }
    for (const std::string& name : flags.policies) {
        if (!policyNamed(name)) {
            throw CLI::ValidationError("--policy", "'" + name + "' is none of the policies of --help");
        }
    }
    for (const Policy& policy : allPolicies()) {
        for (const EngineKind engine : {EngineKind::Stl, EngineKind::Queuecore}) {
            const Contender contender{policy, engine};
            const auto chosen = [](const std::vector<std::string>& names, const std::string& name) {
                return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
            };
            if (chosen(flags.policies, policy.name) && chosen(flags.engines, contender.engineName())) {
                contenders.push_back(contender);
            }
        }
    }
    return contenders;
}

std::vector<Start> startsOf(const Flags& flags, Start usual) {
    if (flags.start == "both") {
        return {Start::Prefilled, Start::Cold};
    }
    if (flags.cold || flags.start == "cold") {
        return {Start::Cold};
    }
    return {flags.start == "prefilled" ? Start::Prefilled : usual};
}

void checkScenario(const Scenario& scenario) {
    const double mostHeld = static_cast<double>(scenario.ratePerS) * toSeconds(scenario.windowNs + scenario.durationNs);
    if (mostHeld > static_cast<double>(mostEntries)) {
        throw CLI::ValidationError("--rate x (--window + --duration) may reach " + decimal(mostHeld / 1e6, 0) +
                                   " million entries; a history holds at most " + grouped(mostEntries));
    }
    for (const Span& stall : scenario.stalls) {
        if (stall.startNs >= scenario.durationNs) {
            throw CLI::ValidationError(
                "--stall", "begins at " + text(stall.startNs) + ", which is not before the end of the run at " +
                               text(scenario.durationNs) + "; use --no-stall for a run without one");
        }
    }
    if (scenario.sampleNs > scenario.durationNs) {
        throw CLI::ValidationError("--sample", "is longer than the run");
    }
}

void checkTogether(const Flags& flags, const Command& command) {
    const auto refuse = [](const std::string& why) { throw CLI::ValidationError(why); };
    const bool real = command.clock == ClockKind::Real;
    if (real && command.costs.kind == CostKind::Fixed) {
        refuse("--cost fixed needs --clock virtual: real time takes what it takes");
    }
    if (real && (command.findCapacity || command.predictCapacity)) {
        refuse("--find-capacity and --predict-capacity need --clock virtual");
    }
    if (real && !command.recordPath.empty()) {
        refuse("--record needs --clock virtual");
    }
    if (!command.recordPath.empty() && command.contenders.size() * command.starts.size() != 1) {
        refuse("--record writes one run: choose it with --run POLICY/ENGINE");
    }
    if (command.tracePath.empty()) {
        return;
    }
    if (flags.rate || flags.ttl || flags.ackOutage || flags.ackDelay) {
        refuse(
            "--trace brings its own messages and ACKs: it does not go with --rate, --ack-delay, --ack-outage or --ttl");
    }
    if (real || command.findCapacity || command.predictCapacity || flags.start == "prefilled" || flags.start == "both") {
        refuse("--trace starts empty, on the virtual clock, and has no capacity to find");
    }
}

std::string typedWithoutOut(int argc, const char* const* argv) {
    std::string typed = "queuecore-replay";
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--out") {
            ++i;
        } else if (argument.rfind("--out=", 0) != 0) {
            const bool plain = argument.find_first_of(" \t'\"$\\*?;&|<>()") == std::string::npos && !argument.empty();
            typed += plain ? " " + argument : " '" + argument + "'";
        }
    }
    return typed;
}

void complete(Command& command, const Flags& flags) {
    const Preset preset = *presetNamed(flags.preset);
    command.scenario = scenarioOf(flags, preset.scenario);
    command.contenders = contendersOf(flags);
    command.starts =
        command.tracePath.empty() ? startsOf(flags, preset.scenario.start) : std::vector<Start>{Start::Cold};
    command.clock = flags.clock == "real" ? ClockKind::Real : ClockKind::Virtual;
    command.costs.kind = flags.cost == "fixed" ? CostKind::Fixed : CostKind::Measured;
    command.otherWorkNs = flags.otherWork;
    command.findCapacity = command.findCapacity || command.predictCapacity || flags.capacityOnly;
    command.replay = !flags.capacityOnly;
    command.durationGiven = flags.duration.has_value();
    command.stallsGiven = !flags.stalls.empty();
    const bool unchanged = command.scenario == preset.scenario && command.tracePath.empty() && !flags.otherWork;
    command.preset = unchanged ? preset.name : "custom";
    command.asSpecified = unchanged && preset.name == "incident" && command.clock == ClockKind::Virtual &&
                          command.costs.kind == CostKind::Measured;
    checkTogether(flags, command);
    if (command.tracePath.empty()) {
        checkScenario(command.scenario);
    }
}

/// The scenario `usage` with what the flags of both scenarios said.
UsageScenario usualUsage(const CLI::App& app, const Flags& flags, const Command& command) {
    UsageScenario usual;
    usual.durationNs = flags.duration.value_or(usual.durationNs);
    usual.producers = app.count("--producers") > 0 ? command.producers : usual.producers;
    usual.seed = command.costs.seed;
    return usual;
}

}  // namespace

std::variant<Command, Exit> parseCommandLine(int argc, const char* const* argv) {
    CLI::App app{help::description, "queuecore-replay"};
    app.footer(help::footer);
    Flags flags;
    UsageFlags usageFlags;
    CursorFlags cursorFlags;
    std::string scenario = "dispatcher";
    Command command;
    command.outDirectory = "target/replay";
    command.typed = typedWithoutOut(argc, argv);
    addLoadFlags(app, flags);
    addHistoryFlags(app, flags);
    addMeasuringFlags(app, flags, command);
    addScenarioFlag(app, scenario);
    addJobFlags(app, flags, command);
    addUsageFlags(app, usageFlags);
    addCursorFlags(app, cursorFlags);
    app.get_formatter()->column_width(helpColumn);
    for (CLI::Option* option : app.get_options()) {
        option->description(help::folded(option->get_description()));
    }
    try {
        app.parse(argc, argv);
        refuseForeignFlags(app, scenario);
        if (scenario == "usage") {
            command.usage = usageScenarioOf(usageFlags, usualUsage(app, flags, command));
        } else if (scenario == "cursor") {
            command.cursor = cursorScenarioOf(cursorFlags, usageFlags.limitBytes, usageFlags.messageBytes);
            command.storeDirectory =
                cursorFlags.storeDirectory.empty() ? command.outDirectory + "/store" : cursorFlags.storeDirectory;
        } else {
            complete(command, flags);
        }
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return Exit{code == 0 ? 0 : 2};
    }
    return command;
}

}  // namespace replay
