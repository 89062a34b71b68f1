#include "cursor/cursor_flags.hpp"

#include "help_text.hpp"
#include "number_text.hpp"

#include <limits>

namespace replay {
namespace {

constexpr std::uint64_t mostMessages = 100'000'000;
constexpr std::uint64_t mostBodyBytes = 1 << 20;
constexpr unsigned mostTurns = 99;

template <typename Kind, typename Named>
std::vector<Kind> chosen(const char* flag, const std::vector<std::string>& names, const Named& named) {
    std::vector<Kind> kinds;
    for (const std::string& name : names) {
        const auto kind = named(name);
        if (!kind) {
            throw CLI::ValidationError(flag, "'" + name + "' is none of those of --help");
        }
        kinds.push_back(*kind);
    }
    return kinds;
}

void checkTogether(const CursorScenario& scenario) {
    if (scenario.messageBytes < leastBodyBytes || scenario.messageBytes > mostBodyBytes) {
        throw CLI::ValidationError("--message-size", "is between 16 B and 1 MiB in this scenario");
    }
    const std::uint64_t held = scenario.limitBytes / 100 * highPercent / scenario.messageBytes;
    if (held / 10 < 1) {
        throw CLI::ValidationError("--limit", "holds fewer than ten messages, of which a slow store gets a tenth");
    }
    if (held + pageMessages >= scenario.prefetch) {
        throw CLI::ValidationError("--prefetch", "has to be larger than what the window holds, " +
                                                     grouped(held + pageMessages) + " messages here");
    }
    if (scenario.messages <= held) {
        throw CLI::ValidationError("--backlog", "fits into memory; more than " + grouped(held) + " messages do not");
    }
}

}  // namespace

const char* const cursorFlagsGroup = "The scenario cursor";

void addCursorFlags(CLI::App& app, CursorFlags& flags) {
    const char* const group = cursorFlagsGroup;
    app.add_option("--part", flags.parts, help::cursorPart())->delimiter(',')->type_name("NAME")->group(group);
    app.add_option("--refill", flags.refills, help::refill())->delimiter(',')->type_name("NAME")->group(group);
    app.add_option("--backlog", flags.messages, help::backlog)
        ->check(CLI::Range(std::uint64_t{1}, mostMessages))
        ->type_name("MESSAGES")
        ->group(group);
    app.add_option("--prefetch", flags.prefetch, help::prefetch)
        ->check(CLI::Range(std::uint64_t{1}, mostMessages))
        ->type_name("MESSAGES")
        ->group(group);
    const auto setDelay = [&flags](const std::string& text) {
        flags.fetchDelayNs = parseDuration(text);
        if (!flags.fetchDelayNs || *flags.fetchDelayNs > nsPerSecond) {
            throw CLI::ValidationError("--fetch-delay", "'" + text + "' is no duration of at most 1s");
        }
    };
    app.add_option_function<std::string>("--fetch-delay", setDelay, help::fetchDelay)->type_name("TIME")->group(group);
    app.add_option("--fault", flags.faults, help::fault())->delimiter(',')->type_name("NAME")->group(group);
    app.add_option("--fault-every", flags.faultEvery, help::faultEvery)
        ->check(CLI::Range(std::uint64_t{2}, std::numeric_limits<std::uint64_t>::max()))
        ->type_name("FETCHES")
        ->group(group);
    app.add_option("--turns", flags.turns, help::turns)->check(CLI::Range(1U, mostTurns))->group(group);
    app.add_option("--store", flags.storeDirectory, help::store)->type_name("DIR")->group(group);
}

CursorScenario cursorScenarioOf(const CursorFlags& flags, std::optional<std::uint64_t> limitBytes,
                                const std::vector<std::uint64_t>& messageBytes) {
    CursorScenario scenario;
    if (messageBytes.size() > 1) {
        throw CLI::ValidationError("--message-size", "is one size in the scenario cursor");
    }
    scenario.messageBytes = messageBytes.empty() ? scenario.messageBytes : messageBytes.front();
    scenario.limitBytes = limitBytes.value_or(scenario.limitBytes);
    scenario.messages = flags.messages.value_or(scenario.messages);
    scenario.prefetch = flags.prefetch.value_or(scenario.prefetch);
    scenario.fetchDelayNs = flags.fetchDelayNs.value_or(scenario.fetchDelayNs);
    scenario.faultEvery = flags.faultEvery.value_or(scenario.faultEvery);
    scenario.turns = flags.turns.value_or(scenario.turns);
    if (!flags.parts.empty()) {
        scenario.parts = chosen<CursorPart>("--part", flags.parts, cursorPartNamed);
    }
    if (!flags.refills.empty()) {
        scenario.refills = chosen<Refill>("--refill", flags.refills, refillNamed);
    }
    if (!flags.faults.empty()) {
        scenario.faults = chosen<Fault>("--fault", flags.faults, faultNamed);
    }
    checkTogether(scenario);
    return scenario;
}

}  // namespace replay
