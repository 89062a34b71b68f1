#include "cursor/cursor_output.hpp"

#include "cursor/cursor_figures.hpp"
#include "files.hpp"
#include "machine.hpp"
#include "number_text.hpp"
#include "text_table.hpp"

#include <algorithm>

namespace replay {
namespace {

using Json = nlohmann::ordered_json;

constexpr int formatVersion = 1;

std::string bytesText(std::uint64_t bytes) {
    for (const auto& [shift, name] : {std::pair(20, " MiB"), std::pair(10, " KiB")}) {
        if (bytes > 0 && bytes % (std::uint64_t{1} << shift) == 0) {
            return grouped(bytes >> shift) + name;
        }
    }
    return grouped(bytes) + " B";
}

std::string loadText(const CursorScenario& scenario) {
    return "A backlog of " + grouped(scenario.messages) + " messages of " + bytesText(scenario.messageBytes) +
           " in SQLite, a limit of " + bytesText(scenario.limitBytes) + ", consumers with " +
           grouped(scenario.prefetch) + " in hand at most, acks one by one";
}

std::string partHeading(const CursorScenario& scenario, CursorPart part) {
    std::string text = cursorPartSummary(part);
    text[0] = text[0] == 'a' ? 'A' : text[0] == 'u' ? 'U' : text[0];
    if (part == CursorPart::Faults) {
        text += ": every " + std::to_string(scenario.faultEvery) + "th fetch, by turns";
        for (const Fault fault : scenario.faults) {
            text += (fault == scenario.faults.front() ? " " : ", ") + faultName(fault);
        }
    }
    return text;
}

std::string valueText(const CursorFigure& figure) {
    const double value = figure.turns.median;
    if (figure.unit == "us") {
        return durationText(value);
    }
    const int digits = value == 0 || value >= 1000 ? 0 : value >= 1 ? 1 : 3;
    return digits == 0 ? grouped(static_cast<std::uint64_t>(value + 0.5)) : decimal(value, digits);
}

std::string lineName(const CursorFigure& figure) {
    return figure.words + (figure.unit.empty() || figure.unit == "us" ? "" : ", " + figure.unit);
}

/// Nothing here sleeps, but for a store that blocks on purpose.
void printBusy(const std::vector<CursorFigure>& figures, std::ostream& out) {
    double least = 100;
    for (const CursorFigure& figure : figures) {
        if (figure.name == "busy_percent" && figure.part != CursorPart::Faults) {
            least = std::min(least, figure.turns.median);
        }
    }
    if (least < 90) {
        out << "The machine was busy: in some runs the thread had " << decimal(least, 0)
            << " % of a processor, and times are longer for it.\n";
    }
}

void printPart(const std::vector<CursorFigure>& figures, std::ostream& out) {
    std::vector<std::string> engines;
    std::vector<std::string> lines;
    for (const CursorFigure& figure : figures) {
        if (std::find(engines.begin(), engines.end(), figure.engine) == engines.end()) {
            engines.push_back(figure.engine);
        }
        if (std::find(lines.begin(), lines.end(), lineName(figure)) == lines.end()) {
            lines.push_back(lineName(figure));
        }
    }
    std::vector<std::string> header{""};
    header.insert(header.end(), engines.begin(), engines.end());
    TextTable table(header);
    for (const std::string& line : lines) {
        std::vector<std::string> cells{line};
        for (const std::string& engine : engines) {
            const auto found = std::find_if(figures.begin(), figures.end(), [&](const CursorFigure& figure) {
                return figure.engine == engine && lineName(figure) == line;
            });
            cells.push_back(found != figures.end() ? valueText(*found) : "-");
        }
        table.add(cells);
    }
    table.print(out);
}

Json configOf(const CursorScenario& scenario) {
    return {{"messages", scenario.messages},
            {"message_bytes", scenario.messageBytes},
            {"limit_bytes", scenario.limitBytes},
            {"high_percent", highPercent},
            {"low_percent", lowPercent},
            {"page_messages", pageMessages},
            {"prefetch", scenario.prefetch},
            {"fetch_delay_ns", scenario.fetchDelayNs},
            {"fault_every", scenario.faultEvery},
            {"turns", scenario.turns}};
}

void writeJson(const CursorReport& report, std::ostream& out) {
    Json goals = Json::array();
    for (const CursorGoal& goal : countedGoals(report)) {
        goals.push_back({{"name", goal.name},
                         {"op", goal.op()},
                         {"limit", goal.limit},
                         {"value", goal.value ? Json(*goal.value) : Json(nullptr)}});
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
                       {"rows", cursorRows(report)},
                       {"goals", goals},
                       {"machine", machine}};
    out << summary.dump(1) << '\n';
}

void writeCsv(const CursorReport& report, std::ostream& out) {
    out << "part,engine,figure,unit,median,low,high,turns\n";
    for (const CursorFigure& figure : cursorFigures(report)) {
        out << cursorPartName(figure.part) << ',' << figure.engine << ',' << figure.name << ',' << figure.unit << ','
            << decimal(figure.turns.median, 3) << ',' << decimal(figure.turns.low, 3) << ','
            << decimal(figure.turns.high, 3) << ',' << figure.turns.passes << '\n';
    }
}

/// The first turn of each policy in the first part.
void writeTimeseries(const CursorReport& report, std::ostream& out) {
    out << "policy,t_s,usage_bytes,acknowledged,pages,paged_messages\n";
    for (const BacklogRow& row : report.backlogs) {
        if (row.part != CursorPart::Backlog || row.turns.empty()) {
            continue;
        }
        for (const CursorSample& sample : row.turns.front().samples) {
            out << refillName(row.refill) << ',' << decimal(sample.seconds, 6) << ',' << sample.usageBytes << ','
                << sample.acknowledged << ',' << sample.pages << ',' << sample.pagedMessages << '\n';
        }
    }
}

}  // namespace

nlohmann::ordered_json cursorRows(const CursorReport& report) {
    Json rows = Json::array();
    for (const CursorFigure& figure : cursorFigures(report)) {
        rows.push_back({{"case", cursorPartName(figure.part)},
                        {"group", partHeading(report.scenario, figure.part)},
                        {"what", figure.words},
                        {"engine", figure.engine},
                        {"unit", figure.unit},
                        {"median", figure.turns.median},
                        {"low", figure.turns.low},
                        {"high", figure.turns.high},
                        {"passes", figure.turns.passes}});
    }
    return rows;
}

void printCursor(const CursorReport& report, std::ostream& out) {
    out << loadText(report.scenario) << '\n';
    const std::vector<CursorFigure> figures = cursorFigures(report);
    for (const CursorPart part : report.scenario.parts) {
        std::vector<CursorFigure> ofPart;
        std::copy_if(figures.begin(), figures.end(), std::back_inserter(ofPart),
                     [&](const CursorFigure& figure) { return figure.part == part; });
        if (!ofPart.empty()) {
            out << '\n' << partHeading(report.scenario, part) << '\n';
            printPart(ofPart, out);
        }
    }
    out << "\nIn each of these runs every message came once, in order and with its own body; in the end nothing was charged.\n";
    printBusy(figures, out);
    if (report.scenario.turns > 1) {
        out << "Medians of " << report.scenario.turns << " turns.\n";
    }
    if (report.interrupted) {
        out << "Interrupted: these are the figures of what had run until then.\n";
    }
}

void writeCursorFiles(const CursorReport& report, const std::filesystem::path& directory) {
    writeFile(directory / "cursor.csv", [&](std::ostream& out) { writeCsv(report, out); });
    writeFile(directory / "cursor_timeseries.csv", [&](std::ostream& out) { writeTimeseries(report, out); });
    writeFile(directory / "cursor.json", [&](std::ostream& out) { writeJson(report, out); });
}

}  // namespace replay
