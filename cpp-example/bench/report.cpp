#include "main_parts.hpp"
#include "report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace bench {
namespace {

std::string entriesText(std::uint64_t entries) {
    if (entries >= 1'000'000) {
        const bool whole = entries % 1'000'000 == 0;
        char text[32];
        std::snprintf(text, sizeof text, whole ? "%.0f M" : "%.1f M", static_cast<double>(entries) / 1e6);
        return text;
    }
    return entries >= 1'000 ? std::to_string(entries / 1'000) + " k" : std::to_string(entries);
}

std::string number(double value) {
    const double size = value < 0 ? -value : value;
    char text[48];
    std::snprintf(text, sizeof text,
                  size >= 1000  ? "%.0f"
                  : size >= 100 ? "%.1f"
                  : size >= 1   ? "%.2f"
                                : "%.4f",
                  value);
    return text;
}

void printRow(const Row& row) {
    std::printf("  %-32s %-10s %7s  %10s %-3s", row.what.c_str(), row.engine.c_str(),
                entriesText(row.entries).c_str(), number(row.figure.median).c_str(), row.unit.c_str());
    if (row.raw || row.figure.passes > 1) {
        const Summary& spread = row.raw ? *row.raw : row.figure;
        std::printf("  %s%s .. %s in %zu passes", row.raw ? "raw " : "", number(spread.low).c_str(),
                    number(spread.high).c_str(), spread.passes);
    }
    std::printf("\n");
}

nlohmann::json toJson(const Summary& figure) {
    return {{"median", figure.median}, {"low", figure.low}, {"high", figure.high}, {"passes", figure.passes}};
}

nlohmann::json toJson(const Row& row) {
    nlohmann::json object = toJson(row.figure);
    object["group"] = row.group;
    object["what"] = row.what;
    object["engine"] = row.engine;
    object["entries"] = row.entries;
    object["unit"] = row.unit;
    if (row.raw) {
        object["raw"] = toJson(*row.raw);
    }
    return object;
}

nlohmann::json toJson(const Comparison& comparison) {
    return {{"group", "stand-in against the incumbent"},
            {"what", comparison.what},
            {"engine", "stand-in"},
            {"entries", comparison.entries},
            {"median", comparison.standIn},
            {"incumbent", comparison.incumbent},
            {"allowed_ratio", comparison.allowed}};
}

}  // namespace

void Report::addValue(const std::string& group, const std::string& what, const std::string& engine,
                      std::uint64_t entries, const std::string& unit, double value) {
    add({group, what, engine, entries, unit, {value, value, value, 1}, {}});
}

void Report::addTails(const std::string& group, const std::string& what, const std::string& engine,
                      std::uint64_t entries, const OpTimes& times) {
    const struct {
        const char* name;
        double Quantiles::*figure;
    } figures[] = {{"p50", &Quantiles::p50},
                   {"p99.9", &Quantiles::p999},
                   {"p99.99", &Quantiles::p9999},
                   {"max", &Quantiles::max}};
    const Quantiles best = times.best();
    for (const auto& figure : figures) {
        std::vector<double> passes;
        for (const Quantiles& raw : times.raw()) {
            passes.push_back(raw.*figure.figure);
        }
        const double value = best.*figure.figure;
        add({group,
             what + " " + figure.name,
             engine,
             entries,
             "ns",
             {value, value, value, 1},
             summarize(passes)});
    }
}

void Report::printRows() const {
    std::vector<std::string> done;
    for (const Row& first : rows_) {
        if (std::find(done.begin(), done.end(), first.group) != done.end()) {
            continue;
        }
        done.push_back(first.group);
        std::printf("\n%s\n", first.group.c_str());
        for (const Row& row : rows_) {
            if (row.group == first.group) {
                printRow(row);
            }
        }
    }
}

void Report::printComparisons() const {
    std::printf("\nThe stand-in against the incumbent (its figures: built and measured elsewhere)\n");
    std::printf("  %-32s %7s  %12s %12s %8s %8s\n", "figure", "entries", "incumbent", "stand-in", "ratio",
                "allowed");
    for (const Comparison& line : comparisons_) {
        const double ratio = line.standIn / line.incumbent;
        std::printf("  %-32s %7s  %12s %12s %8s %8s%s\n", line.what.c_str(),
                    entriesText(line.entries).c_str(), number(line.incumbent).c_str(),
                    number(line.standIn).c_str(), number(ratio).c_str(), number(line.allowed).c_str(),
                    ratio > line.allowed ? "  above" : "");
    }
}

void Report::printGoals() const {
    std::printf("\nGoals\n  %-28s %12s %12s\n", "name", "at most", "value");
    for (const Goal& goal : goals_) {
        std::printf("  %-28s %12s %12s%s\n", goal.name.c_str(), number(goal.limit).c_str(),
                    number(goal.value).c_str(), goal.value <= goal.limit ? "" : "  short");
    }
}

void Report::print() const {
    printRows();
    if (!comparisons_.empty()) {
        printComparisons();
    }
    printGoals();
}

void Report::write(const std::string& path, bool quick, bool complete) const {
    nlohmann::json document;
    document["quick"] = quick;
    document["complete"] = complete;
    document["rows"] = nlohmann::json::array();
    for (const Row& row : rows_) {
        document["rows"].push_back(toJson(row));
    }
    for (const Comparison& comparison : comparisons_) {
        document["rows"].push_back(toJson(comparison));
    }
    document["goals"] = nlohmann::json::array();
    for (const Goal& goal : goals_) {
        document["goals"].push_back(
            {{"name", goal.name}, {"op", "<="}, {"limit", goal.limit}, {"value", goal.value}});
    }
    writeJson(path, document);
}

}  // namespace bench
