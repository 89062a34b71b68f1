// The report: the stand-in's rows find their cells in the incumbent's table, and the JSON says what was
// measured.
#include "groups.hpp"
#include "temporary_directory.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

namespace bench {
namespace {

nlohmann::json written(const Report& report) {
    const replay::TemporaryDirectory folder;
    const std::string path = folder.path() / "report.json";
    report.write(path, true, false);
    return nlohmann::json::parse(std::ifstream(path));
}

TEST(Report, WritesRowsAndGoals) {
    Report report;
    report.add({"group", "what", "queuecore", 7, "ns", {2, 1, 3, 5}, {}});
    report.addGoal({"name", 10, 4});
    const nlohmann::json document = written(report);
    EXPECT_EQ(document["quick"], true);
    EXPECT_EQ(document["rows"][0]["median"], 2);
    EXPECT_EQ(document["rows"][0]["high"], 3);
    EXPECT_EQ(document["rows"][0]["entries"], 7);
    EXPECT_EQ(document["goals"],
              nlohmann::json::parse(R"([{"name":"name","op":"<=","limit":10.0,"value":4.0}])"));
}

TEST(Report, AFileThatCannotBeWrittenIsAnError) {
    EXPECT_THROW(Report().write(testing::TempDir() + "no/such/folder/file.json", false, true),
                 std::runtime_error);
}

TEST(Reference, OnlyTheStandInsRowsAtTheTablesSizesAreCompared) {
    Report report;
    report.addValue("g", "miss, singly", "stand-in", 20'000'000, "ns", 120);
    report.addValue("g", "miss, singly", "stand-in", 1'500'000, "ns", 50);
    report.addValue("g", "miss, singly", "queuecore", 20'000'000, "ns", 40);
    compareWithIncumbent(report);
    const nlohmann::json document = written(report);
    ASSERT_EQ(document["rows"].size(), 4U);
    EXPECT_EQ(document["rows"][3]["median"], 120);
    EXPECT_EQ(document["rows"][3]["incumbent"], 96);
}

}  // namespace
}  // namespace bench
