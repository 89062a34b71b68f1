// bench-cursor: what paging costs by three policies, from SQLite and from a slow store; what a starved queue gets; and what
// a message costs when all is cached. The scenario's own runs, which check that everything came once and in order, at full
// size and in turns; a figure is the median of the turns, a ratio is taken turn by turn. Tables go to stdout, JSON to --out.
#include "cached_cost.hpp"
#include "main_parts.hpp"

#include "cursor/cursor_figures.hpp"
#include "cursor/cursor_output.hpp"
#include "cursor/cursor_program.hpp"
#include "interrupt.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;

constexpr double cachedNsLimit = 60;
constexpr int exitInterrupted = 130;

struct Plan {
    std::uint64_t messages = 1'000'000;
    std::uint64_t fewer = 200'000;  // where more would only take longer
    std::uint64_t limitBytes = std::uint64_t{64} << 20;
    unsigned turns = 5;
    bench::CachedPlan cached;
};

Plan quickPlan() {
    Plan plan;
    plan.messages = 100'000;
    plan.fewer = 40'000;
    plan.limitBytes /= 8;
    plan.turns = 3;
    plan.cached = {5, 50'000};
    return plan;
}

replay::CursorReport measurePaging(const Plan& plan, const std::string& store, replay::Progress& progress) {
    replay::CursorScenario scenario;
    scenario.messages = plan.messages;
    scenario.limitBytes = plan.limitBytes;
    scenario.turns = plan.turns;
    scenario.parts = {replay::CursorPart::Backlog, replay::CursorPart::SlowStore};
    replay::CursorReport report = replay::runCursor(scenario, store, progress);
    scenario.messages = plan.fewer;
    scenario.parts = {replay::CursorPart::EachAck, replay::CursorPart::AtTheMark, replay::CursorPart::Starvation};
    replay::CursorReport smaller = replay::runCursor(scenario, store, progress);
    report.backlogs.insert(report.backlogs.end(), smaller.backlogs.begin(), smaller.backlogs.end());
    report.starvations = smaller.starvations;
    report.interrupted = report.interrupted || smaller.interrupted;
    report.scenario.parts.insert(report.scenario.parts.end(), scenario.parts.begin(), scenario.parts.end());
    return report;
}

std::string whatOf(const bench::CachedCost& cost) {
    return cost.form + ", " + std::to_string(cost.depth) + " messages deep";
}

void printCached(const std::vector<bench::CachedCost>& costs) {
    std::printf("\nPush, pull and ack when all is cached, through the C ABI, ns per message\n");
    for (const bench::CachedCost& cost : costs) {
        std::printf("  %-50s %7.1f  %.1f .. %.1f\n", whatOf(cost).c_str(), cost.nsPerMessage.median,
                    cost.nsPerMessage.low, cost.nsPerMessage.high);
    }
}

std::vector<replay::CursorGoal> goalsOf(const replay::CursorReport& report, const std::vector<bench::CachedCost>& costs) {
    std::vector<replay::CursorGoal> goals = replay::timedGoals(report);
    const std::vector<replay::CursorGoal> counted = replay::countedGoals(report);
    goals.insert(goals.end(), counted.begin(), counted.end());
    goals.push_back({"cached_ns_per_message", false, cachedNsLimit, costs.front().nsPerMessage.median});
    return goals;
}

void printGoals(const std::vector<replay::CursorGoal>& goals, std::optional<double> withoutShare) {
    std::printf("\nGoals\n  %-30s %10s %10s\n", "name", "limit", "value");
    for (const replay::CursorGoal& goal : goals) {
        const bool isMet = goal.value && (goal.isAtLeast ? *goal.value >= goal.limit : *goal.value <= goal.limit);
        std::printf("  %-30s %6s %3g %10.4g%s\n", goal.name.c_str(), goal.op(), goal.limit, goal.value.value_or(0),
                    isMet ? "" : "  short");
    }
    if (withoutShare) {
        std::printf("  Without a guaranteed share the starved queue has %.0f messages/s.\n", *withoutShare);
    }
}

Json document(bool isQuick, const replay::CursorReport& report, const std::vector<bench::CachedCost>& costs,
              const std::vector<replay::CursorGoal>& goals) {
    Json rows = replay::cursorRows(report);
    for (const bench::CachedCost& cost : costs) {
        rows.push_back({{"case", "cached"},
                        {"group", "Push, pull and ack when all is cached"},
                        {"what", whatOf(cost)},
                        {"engine", "queuecore"},
                        {"unit", "ns"},
                        {"median", cost.nsPerMessage.median},
                        {"low", cost.nsPerMessage.low},
                        {"high", cost.nsPerMessage.high},
                        {"passes", cost.nsPerMessage.passes}});
    }
    Json told = Json::array();
    for (const replay::CursorGoal& goal : goals) {
        told.push_back({{"name", goal.name},
                        {"op", goal.op()},
                        {"limit", goal.limit},
                        {"value", goal.value ? Json(*goal.value) : Json(nullptr)}});
    }
    return {{"quick", isQuick}, {"complete", true}, {"rows", rows}, {"goals", told}};
}

int run(bool isQuick, const std::string& out, const std::string& store) {
    const Plan plan = isQuick ? quickPlan() : Plan{};
    replay::watchForInterrupt();
    const std::vector<bench::CachedCost> costs = bench::measureCached(plan.cached);
    replay::Progress progress(false);
    const replay::CursorReport report = measurePaging(plan, store, progress);
    progress.clear();
    replay::printCursor(report, std::cout);
    std::cout.flush();
    printCached(costs);
    if (report.interrupted) {
        return exitInterrupted;  // half of a bench is no bench
    }
    const std::vector<replay::CursorGoal> goals = goalsOf(report, costs);
    printGoals(goals, replay::rateWithoutShare(report));
    if (!out.empty()) {
        bench::writeJson(out, document(isQuick, report, costs, goals));
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::string out;
    std::string store = "target/bench/store";
    bool isQuick = bench::quickByEnvironment();
    CLI::App app("Measures the cursor: policies of paging, a starved queue, and what a cached message costs.");
    app.add_option("--out", out, "write rows and goals to this file, as JSON");
    app.add_option("--store", store, "where the stores' files are while they are in use")->capture_default_str();
    app.add_flag("--quick", isQuick, "half a minute instead of several (also: QUICK=1 in the environment)");
    CLI11_PARSE(app, argc, argv);
    try {
        return run(isQuick, out, store);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench-cursor: %s\n", error.what());
        return 1;
    }
}
