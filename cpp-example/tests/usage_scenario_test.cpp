// The scenario `usage`: nothing about how fast, only that every byte is accounted for, that waits end, what is told.
#include "usage_scenario.hpp"
#include "usage_scenario_meters.hpp"
#include "usage_scenario_output.hpp"
#include "usage_scenario_ring.hpp"
#include "usage_scenario_run.hpp"

#include "temporary_directory.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace replay {
namespace {

UsageScenario small() {
    UsageScenario scenario;
    scenario.producers = 5;
    scenario.consumers = 2;
    scenario.limitBytes = 100'000;
    scenario.leastBytes = 100;
    scenario.mostBytes = 5'000;
    scenario.durationNs = 40 * nsPerMs;
    return scenario;
}

/// As runUsage would leave it, without running anything.
UsageReport made() {
    UsageReport report;
    report.scenario = small();
    report.line = {{1, 4.7}, {2, 21.0}};
    for (const MeterKind kind : {MeterKind::Atomic, MeterKind::QueuecoreReserve}) {
        UsageTurn turn;
        turn.seconds = 2;
        turn.messages = 1'000;
        turn.blockedNs = 5 * nsPerSecond;
        turn.longestWaitNs = 3 * nsPerMs;
        turn.waits = 100;
        UsageTurn faster = turn;
        faster.messages = 3'000;
        UsageTurn check = turn;
        check.peakBytes = kind == MeterKind::Atomic ? 110'000 : 99'999;
        if (kind == MeterKind::Atomic) {
            turn.wakeUps = faster.wakeUps = 500;
        }
        report.rows.push_back({kind, {faster, turn}, check});
    }
    return report;
}

const UsageFigure& figureNamed(const std::vector<UsageFigure>& figures, const std::string& name) {
    for (const UsageFigure& figure : figures) {
        if (figure.name == name) {
            return figure;
        }
    }
    throw std::runtime_error("no figure " + name);
}

/// Turns, each longer than the one before, until one was long enough for its threads to be scheduled.
UsageTurn turnThatHandled(MeterKind kind, const UsageScenario& scenario, bool checks) {
    UsageTurn turn;
    for (Ns lengthNs = 10 * nsPerMs; turn.messages == 0 && lengthNs < 20 * nsPerSecond; lengthNs *= 2) {
        turn = runUsageTurn(kind, scenario, lengthNs, checks);
    }
    return turn;
}

class EveryMeter : public testing::TestWithParam<MeterKind> {};

TEST_P(EveryMeter, CountsAdmitsAndRefuses) {
    const auto meter = makeMeter(GetParam(), small());
    EXPECT_TRUE(meter->takeAtOnce(60'000));
    EXPECT_TRUE(meter->takeWaiting(40'000));
    EXPECT_EQ(meter->usageBytes(), 100'000);
    EXPECT_FALSE(meter->takeAtOnce(1)) << "it is full";
    meter->giveBack(40'000);
    EXPECT_TRUE(meter->takeAtOnce(1));
    EXPECT_EQ(meter->usageBytes(), 60'001);
}

TEST_P(EveryMeter, LetsWaitersInWhenThereIsSpace) {
    const auto meter = makeMeter(GetParam(), small());
    ASSERT_TRUE(meter->takeAtOnce(100'000));
    std::thread producer([&] { EXPECT_TRUE(meter->takeWaiting(5'000)); });
    meter->giveBack(50'000);
    producer.join();
    EXPECT_EQ(meter->usageBytes(), 55'000);
}

TEST_P(EveryMeter, StopEndsWaitsAndCountsNothing) {
    const auto meter = makeMeter(GetParam(), small());
    ASSERT_TRUE(meter->takeAtOnce(100'000));
    std::thread producer([&] { EXPECT_FALSE(meter->takeWaiting(5'000)); });
    meter->stop();
    producer.join();
    EXPECT_EQ(meter->usageBytes(), 100'000);
}

TEST_P(EveryMeter, ATurnAccountsForEveryByte) {
    for (const bool checks : {false, true}) {
        const UsageScenario scenario = small();
        const UsageTurn turn = turnThatHandled(GetParam(), scenario, checks);
        EXPECT_GT(turn.messages, 0U);
        EXPECT_GE(turn.blockedNs, turn.longestWaitNs);
        EXPECT_EQ(turn.peakBytes > 0, checks);
        const auto most =
            static_cast<std::int64_t>(scenario.limitBytes + scenario.producers * scenario.mostBytes);
        EXPECT_LE(turn.peakBytes, most) << "each producer can be one message above";
        if (GetParam() == MeterKind::QueuecoreReserve) {
            EXPECT_LE(turn.peakBytes, static_cast<std::int64_t>(scenario.limitBytes));
        }
    }
}

TEST_P(EveryMeter, WaitsForLessThanFull) {
    UsageScenario scenario = small();
    scenario.resumeBelowPercent = 50;
    EXPECT_GT(turnThatHandled(GetParam(), scenario, false).messages, 0U);
}

INSTANTIATE_TEST_SUITE_P(Usage, EveryMeter, testing::ValuesIn(allMeters()), [](const auto& kind) {
    std::string name = meterName(kind.param);
    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
    return name;
});

TEST(UsageScenario, MetersTakeTurnsAndAreChecked) {
    Progress progress(true);
    UsageScenario scenario = small();
    scenario.meters = {MeterKind::Queuecore, MeterKind::Lock};
    const UsageReport report = runUsage(scenario, progress);
    ASSERT_EQ(report.rows.size(), 2U);
    for (const UsageRow& row : report.rows) {
        EXPECT_EQ(row.turns.size(), usageTurns);
        EXPECT_TRUE(row.check.has_value());
    }
    EXPECT_FALSE(report.line.empty());
    EXPECT_FALSE(report.interrupted);
}

TEST(UsageScenario, TheRingKeepsOrderAndHasAnEnd) {
    SizeRing ring(3);
    for (int lap = 0; lap < 3; ++lap) {
        for (std::uint32_t bytes = 1; bytes <= 4; ++bytes) {
            EXPECT_TRUE(ring.push(bytes));
        }
        EXPECT_FALSE(ring.push(5));
        for (std::uint32_t bytes = 1; bytes <= 4; ++bytes) {
            EXPECT_EQ(ring.pop(), bytes);
        }
        EXPECT_EQ(ring.pop(), std::nullopt);
    }
}

TEST(UsageScenario, FiguresAreMediansOfTheTurns) {
    const auto figures = usageFigures(made());
    EXPECT_DOUBLE_EQ(*figureNamed(figures, "messages_per_s").values[0], 1'000.0);
    EXPECT_DOUBLE_EQ(*figureNamed(figures, "blocked_percent").values[0], 50.0);
    EXPECT_DOUBLE_EQ(*figureNamed(figures, "overshoot_bytes").values[0], 10'000.0);
    EXPECT_DOUBLE_EQ(*figureNamed(figures, "overshoot_percent").values[0], 10.0);
    EXPECT_DOUBLE_EQ(*figureNamed(figures, "overshoot_bytes").values[1], 0.0) << "below the limit is not above it";
    EXPECT_EQ(figureNamed(figures, "wakeups_per_1000").values[1], std::nullopt);
}

TEST(UsageScenario, TheTableSaysWhatTheFilesSay) {
    std::ostringstream table;
    printUsage(made(), table);
    for (const char* word : {"5 producers and 2 consumers", "queuecore-reserve", "producers' time blocked, %", "50.00",
                             "10,000", "3.00 ms", "4.7 ns"}) {
        EXPECT_NE(table.str().find(word), std::string::npos) << word << " is not in\n" << table.str();
    }
    const TemporaryDirectory directory;
    writeUsageFiles(made(), directory.path());
    const auto json = nlohmann::json::parse(std::ifstream(directory.path() / "usage.json"));
    EXPECT_EQ(json["goals"][0]["name"], "reserve_overshoot_bytes");
    EXPECT_EQ(json["goals"][0]["value"], 0.0);
    EXPECT_EQ(json["rows"][0]["engine"], "atomic");
    EXPECT_EQ(json["rows"][0]["median"], 1'000.0);
    EXPECT_EQ(json["rows"][0]["passes"], 2);
    std::ifstream csv(directory.path() / "usage.csv");
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line.rfind("meter,messages_per_s,", 0), 0U);
    std::getline(csv, line);
    EXPECT_EQ(line.rfind("atomic,1000.000,", 0), 0U);
}

TEST(UsageScenario, AnInterruptedRunHasWhatItHas) {
    UsageReport report = made();
    report.interrupted = true;
    report.rows[0].turns.clear();
    report.rows[1].check.reset();
    std::ostringstream table;
    printUsage(report, table);
    EXPECT_NE(table.str().find("Interrupted"), std::string::npos);
    const TemporaryDirectory directory;
    writeUsageFiles(report, directory.path());
    const auto json = nlohmann::json::parse(std::ifstream(directory.path() / "usage.json"));
    EXPECT_TRUE(json["goals"][0]["value"].is_null());
}

}  // namespace
}  // namespace replay
