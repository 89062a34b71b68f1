#include "terminal.hpp"

#include "number_text.hpp"
#include "text_table.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace replay {
namespace {

const char* const none = "-";

std::string columnName(const Row& row) {
    return row.contender.name() + (row.start == Start::Cold ? ", cold" : "") + (row.interrupted ? " (cut short)" : "");
}

std::string usText(const std::optional<double>& us) { return us ? durationText(*us) : none; }

std::string drainText(const Row& row) {
    if (!row.anyStall) {
        return none;
    }
    return row.backlogDrainS ? durationText(*row.backlogDrainS * 1e6) : "never";
}

/// A figure of the comparison, and the goal that one contender's value is held against.
struct Figure {
    const char* name;
    std::function<std::string(const Row&)> text;
    const char* goal = nullptr;
    const char* goalContender = nullptr;
};

const std::vector<Figure>& figures() {
    static const char* const ours = "steady/queuecore";
    static const std::vector<Figure> all{
        {"peak history / (rate x window)", [](const Row& r) { return decimal(r.peakRatio, 3); }, "peak_ratio_scheduled",
         "scheduled-1000/stl"},
        {"history at the end, entries", [](const Row& r) { return grouped(r.endHistory); }},
        {"  growing by, entries/s",
         [](const Row& r) { return groupedSigned(static_cast<std::int64_t>(r.growthPerS)); }},
        {"backlog of the stall gone after", drainText, "backlog_drain_s", ours},
        {"backlog at the end, events", [](const Row& r) { return grouped(r.endBacklog); }},
        {"worst pause of one PUT due to the history", [](const Row& r) { return usText(r.putUsMax); }, "worst_pause_us",
         ours},
        {"p99.9 of one PUT due to the history", [](const Row& r) { return usText(r.putUs999); }, "put_p999_us", ours},
        {"  median", [](const Row& r) { return usText(r.putUs50); }},
        {"longest collection", [](const Row& r) { return usText(r.gcUsMax); }},
        {"history's time per message", [](const Row& r) { return durationText(r.historyNsPerMessage / 1e3); }},
        {"PUT latency, median", [](const Row& r) { return usText(r.latencyUs50); }},
        {"  p99.9", [](const Row& r) { return usText(r.latencyUs999); }},
        {"NACKs", [](const Row& r) { return grouped(r.totals.nacks); }},
        {"bytes per ideal entry, at the peak", [](const Row& r) { return decimal(r.bytesPerIdealEntry, 1); },
         "bytes_per_ideal_entry", ours},
    };
    return all;
}

const Goal* goalNamed(const std::string& name, const std::vector<Goal>& goals) {
    const auto found = std::find_if(goals.begin(), goals.end(), [&](const Goal& goal) { return goal.name == name; });
    return found != goals.end() ? &*found : nullptr;
}

std::string limitText(const Goal& goal) {
    std::string limit = decimal(goal.limit, 3);
    limit.erase(limit.find_last_not_of('0') + 1);
    if (limit.back() == '.') {
        limit.pop_back();
    }
    return " [" + goal.op + " " + limit + (goal.met() ? ": yes]" : ": NO]");
}

/// The peak ratio has a goal of its own for each of two contenders.
const Goal* goalOf(const Figure& figure, const Row& row, const std::vector<Goal>& goals) {
    if (figure.goal == nullptr || row.start != Start::Prefilled) {
        return nullptr;
    }
    if (row.contender.name() == figure.goalContender) {
        return goalNamed(figure.goal, goals);
    }
    const bool steadyPeak =
        std::string(figure.goal) == "peak_ratio_scheduled" && row.contender.name() == "steady/queuecore";
    return steadyPeak ? goalNamed("peak_ratio_steady", goals) : nullptr;
}

void printComparison(const Report& report, std::ostream& out) {
    std::vector<std::string> header{""};
    for (const Row& row : report.rows) {
        header.push_back(columnName(row));
    }
    TextTable table(header);
    for (const Figure& figure : figures()) {
        std::vector<std::string> cells{figure.name};
        for (const Row& row : report.rows) {
            const Goal* goal = goalOf(figure, row, report.goals);
            cells.push_back(figure.text(row) + (goal != nullptr ? limitText(*goal) : ""));
        }
        table.add(cells);
    }
    table.print(out);
    if (!report.goals.empty() && !report.asSpecified) {
        out << "The limits in brackets are meant for --preset incident as it stands, on the virtual clock with "
               "measured costs.\n";
    }
}

void printAllocations(const std::vector<Row>& rows, std::ostream& out) {
    const auto change = [](std::uint64_t now, std::uint64_t then) {
        return groupedSigned(static_cast<std::int64_t>(now) - static_cast<std::int64_t>(then));
    };
    TextTable table({"allocations of the history", "bytes now", "change", "peak bytes", "change", "allocations",
                     "change", "deallocations", "change"});
    for (const Row& row : rows) {
        const MemoryCounts& now = row.memoryAtEnd;
        const MemoryCounts& then = row.memoryAtStart;
        table.add({"  " + columnName(row), grouped(now.bytes), change(now.bytes, then.bytes), grouped(now.peakBytes),
                   change(now.peakBytes, then.peakBytes), grouped(now.allocations),
                   change(now.allocations, then.allocations), grouped(now.deallocations),
                   change(now.deallocations, then.deallocations)});
    }
    out << '\n';
    table.print(out);
    out << "change: since the run began, that is, after the pre-fill\n";
}

std::string capacityGoals(const CapacityResult& capacity, const std::vector<Goal>& goals) {
    if (capacity.contender.name() != "steady/queuecore") {
        return "";
    }
    const Goal* goal = goalNamed("capacity_ratio", goals);
    return goal != nullptr ? limitText(*goal) : "";
}

void printCapacities(const Report& report, std::ostream& out) {
    TextTable table({"capacity, stalls of 1 s every 30 s", "sustained /s", "not sustained /s", "because of", "relative",
                     "runs measured", "predicted"});
    for (const CapacityResult& capacity : report.capacities) {
        std::string reason = none;
        for (const CapacityProbe& probe : capacity.probes) {
            const bool decides = probe.measured || capacity.measuredRuns() == 0;
            if (decides && capacity.firstFailingPerS == probe.ratePerS) {
                reason = verdictName(probe.verdict);
            }
        }
        const auto relative = relativeCapacity(capacity, report.capacities);
        const std::uint64_t measured = capacity.measuredRuns();
        table.add({"  " + capacity.contender.name(), capacity.capacityPerS ? grouped(*capacity.capacityPerS) : none,
                   capacity.firstFailingPerS ? grouped(*capacity.firstFailingPerS) : none, reason,
                   (relative ? decimal(*relative, 3) : none) + capacityGoals(capacity, report.goals),
                   std::to_string(measured), std::to_string(capacity.probes.size() - measured)});
    }
    out << '\n';
    table.print(out);
    if (const Goal* goal = goalNamed("capacity_ratio_vs_inline", report.goals)) {
        out << "steady/queuecore to inline-1000/stl: " << decimal(*goal->value, 3) << limitText(*goal) << '\n';
    }
    const bool isMeasured = std::any_of(report.capacities.begin(), report.capacities.end(),
                                        [](const CapacityResult& capacity) { return capacity.measuredRuns() > 0; });
    out << (isMeasured
                ? "A model at measured costs chose the rates to try first; the verdicts are those of the measured runs.\n"
                : "Predicted by a model at the costs measured in a steady state; --find-capacity has measured runs "
                  "decide.\n");
}

void printLoad(const Report& report, std::ostream& out) {
    const Scenario& scenario = report.scenario;
    out << (report.tracePath.empty() ? grouped(scenario.ratePerS) + " PUT/s" : "trace " + report.tracePath)
        << " on a dispatcher good for " << grouped(scenario.capacityPerS) << "/s, window "
        << durationText(toMicros(static_cast<double>(scenario.windowNs)));
    for (const Span& stall : scenario.stalls) {
        out << ", stall of " << durationText(toMicros(static_cast<double>(stall.durationNs))) << " at "
            << durationText(toMicros(static_cast<double>(stall.startNs)));
    }
    out << ", end at " << durationText(toMicros(static_cast<double>(scenario.durationNs))) << '\n';
    if (report.settings.clock == ClockKind::Real) {
        out << "real clock, " << report.settings.producers << " producer threads";
    } else if (report.settings.costs.kind == CostKind::Fixed) {
        out << "virtual clock, fixed costs";
    } else {
        out << "virtual clock, measured costs, passes: " << report.settings.costs.passes;
    }
    if (report.standInCosts) {
        out << "; the stand-in takes " << decimal(report.standInCosts->perMessageNs(), 0) << " ns per message";
    }
    out << "; other work per PUT: " << grouped(static_cast<std::uint64_t>(report.settings.otherWorkNs)) << " ns\n\n";
}

}  // namespace

void printReport(const Report& report, std::ostream& out) {
    printLoad(report, out);
    if (!report.rows.empty()) {
        printComparison(report, out);
        printAllocations(report.rows, out);
    }
    if (!report.capacities.empty()) {
        printCapacities(report, out);
    }
    if (report.interrupted) {
        out << "\nInterrupted: this is what there is so far.\n";
    }
}

}  // namespace replay
