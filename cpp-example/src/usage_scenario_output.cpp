#include "usage_scenario_output.hpp"

#include "files.hpp"
#include "machine.hpp"
#include "number_text.hpp"
#include "text_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace replay {
namespace {

using Json = nlohmann::ordered_json;
using OfTurn = std::function<std::optional<double>(const UsageTurn&)>;

constexpr int formatVersion = 1;

std::vector<double> eachTurn(const UsageRow& row, const OfTurn& figure) {
    std::vector<double> values;
    for (const UsageTurn& turn : row.turns) {
        if (const auto value = figure(turn)) {
            values.push_back(*value);
        }
    }
    std::sort(values.begin(), values.end());
    return values;
}

std::optional<double> median(const std::vector<double>& sorted) {
    if (sorted.empty()) {
        return std::nullopt;
    }
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// A figure of a turn, in the words and the unit in which it is told.
struct Told {
    const char* name;
    const char* words;
    const char* group;
    const char* unit;
    OfTurn value;
};

double perMessage(double amount, const UsageTurn& turn) {
    return turn.messages > 0 ? amount / static_cast<double>(turn.messages) : 0.0;
}

const char* const speed = "Throughput and what it costs";
const char* const waiting = "Producers that wait";
const char* const above = "Above the limit";

std::vector<Told> toldOf(const UsageScenario& scenario) {
    const auto producers = static_cast<double>(scenario.producers);
    return {
        {"messages_per_s", "throughput", speed, "messages/s",
         [](const UsageTurn& t) { return static_cast<double>(t.messages) / t.seconds; }},
        {"cpu_ns_per_message", "processor time per message", speed, "ns",
         [](const UsageTurn& t) { return perMessage(t.cpuSeconds * 1e9, t); }},
        {"switches_per_1000", "voluntary context switches per 1,000 messages", speed, "",
         [](const UsageTurn& t) { return perMessage(1e3 * static_cast<double>(t.switches), t); }},
        {"blocked_percent", "producers' time blocked", waiting, "%",
         [=](const UsageTurn& t) { return 100 * toSeconds(t.blockedNs) / (t.seconds * producers); }},
        {"blocked_s", "blocked per second, all producers together", waiting, "s",
         [](const UsageTurn& t) { return toSeconds(t.blockedNs) / t.seconds; }},
        {"longest_wait_ns", "longest wait", waiting, "ns",
         [](const UsageTurn& t) { return static_cast<double>(t.longestWaitNs); }},
        {"waits_per_1000", "waits per 1,000 messages", waiting, "",
         [](const UsageTurn& t) { return perMessage(1e3 * static_cast<double>(t.waits), t); }},
        {"wakeups_per_1000", "wake-ups of those who wait for space, per 1,000 messages", waiting, "",
         [](const UsageTurn& t) {
             return t.wakeUps ? std::optional(perMessage(1e3 * static_cast<double>(*t.wakeUps), t)) : std::nullopt;
         }},
    };
}

std::optional<double> overshoot(const UsageRow& row, const UsageScenario& scenario) {
    if (!row.check) {
        return std::nullopt;
    }
    return std::max(0.0, static_cast<double>(row.check->peakBytes) - static_cast<double>(scenario.limitBytes));
}

std::string valueText(const UsageFigure& figure, std::optional<double> value) {
    if (!value) {
        return "-";
    }
    if (figure.unit == "ns") {
        return durationText(*value / 1e3);
    }
    const int digits = *value == 0 || *value >= 100 ? 0 : *value >= 1 ? 2 : 4;
    return digits == 0 ? grouped(static_cast<std::uint64_t>(*value + 0.5)) : decimal(*value, digits);
}

/// What a line of the table is called; times bring their unit with them.
std::string lineName(const UsageFigure& figure) {
    return figure.words + (figure.unit.empty() || figure.unit == "ns" ? "" : ", " + figure.unit);
}

std::string bytesText(std::uint64_t bytes) {
    for (const auto& [shift, name] : {std::pair(30, " GiB"), std::pair(20, " MiB"), std::pair(10, " KiB")}) {
        if (bytes > 0 && bytes % (std::uint64_t{1} << shift) == 0) {
            return grouped(bytes >> shift) + name;
        }
    }
    return grouped(bytes) + " B";
}

std::string loadText(const UsageScenario& scenario) {
    std::string text = std::to_string(scenario.producers) + " producers and " + std::to_string(scenario.consumers) +
                       " consumers on a limit of " + bytesText(scenario.limitBytes) + ", messages of " +
                       bytesText(scenario.leastBytes) + " to " + bytesText(scenario.mostBytes) + ", " +
                       durationText(toMicros(static_cast<double>(scenario.workNs))) + " of work each";
    if (scenario.resumeBelowPercent != 100) {
        text += "; who waits for space goes on below " + std::to_string(scenario.resumeBelowPercent) + " %";
    }
    return text;
}

Json configOf(const UsageScenario& scenario) {
    return {{"producers", scenario.producers},
            {"consumers", scenario.consumers},
            {"limit_bytes", scenario.limitBytes},
            {"least_bytes", scenario.leastBytes},
            {"most_bytes", scenario.mostBytes},
            {"work_ns", scenario.workNs},
            {"duration_s", toSeconds(scenario.durationNs)},
            {"turns", usageTurns},
            {"resume_below_percent", scenario.resumeBelowPercent},
            {"seed", scenario.seed}};
}

Json rowsOf(const UsageReport& report) {
    Json rows = Json::array();
    const std::vector<Told> told = toldOf(report.scenario);
    for (const UsageFigure& figure : usageFigures(report)) {
        for (std::size_t at = 0; at < report.rows.size(); ++at) {
            if (!figure.values[at]) {
                continue;
            }
            Json row{{"group", figure.group},
                     {"what", figure.words},
                     {"engine", meterName(report.rows[at].kind)},
                     {"unit", figure.unit},
                     {"median", *figure.values[at]}};
            const auto source =
                std::find_if(told.begin(), told.end(), [&](const Told& one) { return one.name == figure.name; });
            if (source != told.end()) {
                const std::vector<double> each = eachTurn(report.rows[at], source->value);
                row["low"] = each.front();
                row["high"] = each.back();
                row["passes"] = each.size();
            }
            rows.push_back(row);
        }
    }
    return rows;
}

/// What is certain on any machine: nobody gets past a limit with a reservation.
Json goalsOf(const UsageReport& report) {
    Json goals = Json::array();
    for (const UsageRow& row : report.rows) {
        if (row.kind == MeterKind::QueuecoreReserve) {
            const auto value = overshoot(row, report.scenario);
            goals.push_back({{"name", "reserve_overshoot_bytes"},
                             {"op", "<="},
                             {"limit", 0},
                             {"value", value ? Json(*value) : Json(nullptr)}});
        }
    }
    return goals;
}

void writeJson(const UsageReport& report, std::ostream& out) {
    Json line = Json::array();
    for (const LineCost& cost : report.line) {
        line.push_back({{"threads", cost.threads}, {"ns", cost.ns}});
    }
    Json machine = Json::object();
    for (const auto& [name, text] : machineFacts()) {
        machine[name] = text;
    }
    const Json summary{{"format", formatVersion},
                       {"command", report.command},
                       {"interrupted", report.interrupted},
                       {"load", loadText(report.scenario)},
                       {"config", configOf(report.scenario)},
                       {"shared_line", line},
                       {"rows", rowsOf(report)},
                       {"goals", goalsOf(report)},
                       {"machine", machine}};
    out << summary.dump(1) << '\n';
}

void writeCsv(const UsageReport& report, std::ostream& out) {
    const std::vector<UsageFigure> figures = usageFigures(report);
    out << "meter";
    for (const UsageFigure& figure : figures) {
        out << ',' << figure.name;
    }
    out << '\n';
    for (std::size_t at = 0; at < report.rows.size(); ++at) {
        out << meterName(report.rows[at].kind);
        for (const UsageFigure& figure : figures) {
            out << ',' << (figure.values[at] ? decimal(*figure.values[at], 3) : "nan");
        }
        out << '\n';
    }
}

}  // namespace

std::vector<UsageFigure> usageFigures(const UsageReport& report) {
    std::vector<UsageFigure> figures;
    for (const Told& told : toldOf(report.scenario)) {
        UsageFigure figure{told.name, told.words, told.group, told.unit, {}};
        for (const UsageRow& row : report.rows) {
            figure.values.push_back(median(eachTurn(row, told.value)));
        }
        figures.push_back(std::move(figure));
    }
    UsageFigure bytes{"overshoot_bytes", "highest level above the limit", above, "B", {}};
    UsageFigure percent{"overshoot_percent", "in percent of the limit", above, "%", {}};
    for (const UsageRow& row : report.rows) {
        const auto over = overshoot(row, report.scenario);
        bytes.values.push_back(over);
        percent.values.push_back(over ? std::optional(100 * *over / static_cast<double>(report.scenario.limitBytes))
                                      : std::nullopt);
    }
    figures.push_back(std::move(bytes));
    figures.push_back(std::move(percent));
    return figures;
}

void printUsage(const UsageReport& report, std::ostream& out) {
    out << loadText(report.scenario) << "\n\n";
    std::vector<std::string> header{""};
    for (const UsageRow& row : report.rows) {
        header.push_back(meterName(row.kind));
    }
    TextTable table(header);
    for (const UsageFigure& figure : usageFigures(report)) {
        std::vector<std::string> cells{lineName(figure)};
        for (const auto& value : figure.values) {
            cells.push_back(valueText(figure, value));
        }
        table.add(cells);
    }
    table.print(out);
    out << "Medians of " << usageTurns << " turns. The level above the limit is from a turn of its own, with a counter "
        << "beside the meter.\nA shared line, from one addition to the next:";
    for (const LineCost& cost : report.line) {
        out << (cost.threads == 1 ? " " : ", ") << decimal(cost.ns, 1) << " ns by " << cost.threads
            << (cost.threads == 1 ? " thread" : " threads");
    }
    out << '\n';
    if (report.interrupted) {
        out << "Interrupted: these are the figures of what had run until then.\n";
    }
}

void writeUsageFiles(const UsageReport& report, const std::filesystem::path& directory) {
    writeFile(directory / "usage.csv", [&](std::ostream& out) { writeCsv(report, out); });
    writeFile(directory / "usage.json", [&](std::ostream& out) { writeJson(report, out); });
}

}  // namespace replay
