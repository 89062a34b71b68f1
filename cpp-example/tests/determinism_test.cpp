// With fixed costs on the virtual clock, two runs write the same bytes.
#include "files.hpp"
#include "goals.hpp"
#include "small_incident.hpp"
#include "temporary_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace replay {
namespace {

std::string contentsOf(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

Report reportOfSmallIncident() {
    Report report;
    report.preset = "custom";
    report.scenario = small::scenario();
    report.scenario.durationNs = 30 * nsPerSecond;
    report.settings = small::settings();
    for (const char* name : {"scheduled-1000/stl", "inline-1000/queuecore", "steady/queuecore"}) {
        report.runs.push_back(small::run(report.scenario, name, report.settings));
        report.rows.push_back(summarise(report.runs.back(), report.scenario, nullptr));
    }
    report.goals = goalsOf(report.rows, {});
    return report;
}

TEST(Determinism, FixedCostsGiveTheSameFilesToTheByte) {
    const TemporaryDirectory first;
    const TemporaryDirectory second;
    writeFiles(reportOfSmallIncident(), first.path());
    writeFiles(reportOfSmallIncident(), second.path());
    for (const char* name : {"timeseries.csv", "percentiles.csv", "gc_pauses.csv", "summary.json"}) {
        const std::string contents = contentsOf(first.path() / name);
        EXPECT_GT(contents.size(), 500U) << name;
        EXPECT_EQ(contents, contentsOf(second.path() / name)) << name;
    }
}

TEST(Determinism, AnotherLoadGivesAnotherFile) {
    const TemporaryDirectory first;
    const TemporaryDirectory second;
    Report report = reportOfSmallIncident();
    writeFiles(report, first.path());
    report.scenario.stalls = {{5 * nsPerSecond, 50 * nsPerMs}};
    report.runs.front() = small::run(report.scenario, "scheduled-1000/stl", report.settings);
    writeFiles(report, second.path());
    EXPECT_NE(contentsOf(first.path() / "timeseries.csv"), contentsOf(second.path() / "timeseries.csv"));
}

}  // namespace
}  // namespace replay
