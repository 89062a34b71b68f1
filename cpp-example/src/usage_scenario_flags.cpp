#include "usage_scenario_flags.hpp"

#include "help_text.hpp"
#include "number_text.hpp"

namespace replay {
namespace {

constexpr unsigned mostConsumers = 64;
constexpr std::uint64_t mostLimitBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t mostMessageBytes = std::uint64_t{1} << 30;

}  // namespace

const char* const usageFlagsGroup = "The scenario usage";

void addUsageFlags(CLI::App& app, UsageFlags& flags) {
    const char* const group = usageFlagsGroup;
    app.add_option("--consumers", flags.consumers, help::consumers)
        ->check(CLI::Range(1U, mostConsumers))
        ->group(group);
    app.add_option("--limit", flags.limitBytes, help::limit)
        ->transform(CLI::AsSizeValue(true).description(""))
        ->check(CLI::Range(std::uint64_t{1}, mostLimitBytes).description(""))
        ->type_name("SIZE")
        ->group(group);
    app.add_option("--message-size", flags.messageBytes, help::messageSize)
        ->delimiter(',')
        ->expected(1, 2)
        ->transform(CLI::AsSizeValue(true).description(""))
        ->check(CLI::Range(std::uint64_t{1}, mostMessageBytes).description(""))
        ->type_name("LEAST,MOST")
        ->group(group);
    const auto setWork = [&flags](const std::string& text) {
        flags.workNs = parseDuration(text);
        if (!flags.workNs || *flags.workNs > nsPerSecond) {
            throw CLI::ValidationError("--work", "'" + text + "' is no duration of at most 1s");
        }
    };
    app.add_option_function<std::string>("--work", setWork, help::work)->type_name("TIME")->group(group);
    app.add_option("--resume-below", flags.resumeBelowPercent, help::resumeBelow)
        ->check(CLI::Range(1, 100))
        ->type_name("PERCENT")
        ->group(group);
    app.add_option("--meter", flags.meters, help::meter())->delimiter(',')->type_name("NAME")->group(group);
}

UsageScenario usageScenarioOf(const UsageFlags& flags, const UsageScenario& usual) {
    UsageScenario scenario = usual;
    scenario.consumers = flags.consumers.value_or(scenario.consumers);
    scenario.limitBytes = flags.limitBytes.value_or(scenario.limitBytes);
    scenario.workNs = flags.workNs.value_or(scenario.workNs);
    scenario.resumeBelowPercent = flags.resumeBelowPercent.value_or(scenario.resumeBelowPercent);
    if (!flags.messageBytes.empty()) {
        scenario.leastBytes = flags.messageBytes.front();
        scenario.mostBytes = flags.messageBytes.back();
    }
    if (scenario.leastBytes > scenario.mostBytes) {
        throw CLI::ValidationError("--message-size", "the least is more than the most");
    }
    if (scenario.mostBytes > scenario.limitBytes) {
        throw CLI::ValidationError("--message-size", "a message of " + grouped(scenario.mostBytes) +
                                                         " bytes never fits under a limit of " +
                                                         grouped(scenario.limitBytes));
    }
    if (scenario.limitBytes / scenario.leastBytes > mostMessages / 2) {
        throw CLI::ValidationError("--limit", "holds more than " + grouped(mostMessages / 2) +
                                                  " of the smallest messages; use larger ones or a lower limit");
    }
    if (!flags.meters.empty()) {
        scenario.meters.clear();
    }
    for (const std::string& name : flags.meters) {
        const auto kind = meterNamed(name);
        if (!kind) {
            throw CLI::ValidationError("--meter", "'" + name + "' is none of the meters of --help");
        }
        scenario.meters.push_back(*kind);
    }
    return scenario;
}

}  // namespace replay
