// Each policy takes the course that the incident's report tells of, at a hundredth of the size and on fixed costs.
#include "small_incident.hpp"
#include "summary.hpp"

#include <gtest/gtest.h>

namespace replay {
namespace {

Row rowOf(const Scenario& scenario, const std::string& name, const RunSettings& settings) {
    return summarise(small::run(scenario, name, settings), scenario, nullptr);
}

Row rowOf(const std::string& name) { return rowOf(small::scenario(), name, small::settings()); }

TEST(Incident, ScheduledCollectionFallsBehindAndNeverCatchesUp) {
    const Row row = rowOf("scheduled-1000/stl");
    EXPECT_GT(row.peakRatio, 1.3);
    EXPECT_GT(static_cast<double>(row.endHistory), 1.3 * static_cast<double>(row.idealHistory));
    EXPECT_FALSE(row.backlogDrainS);
}

// What it skips gives it a little slack, and with constant costs that saves it in the end. In a real table the cost
// grows with the history instead; here the collection is made as good as free, so that skipping it saves nothing.
TEST(Incident, WithoutThatSlackTheHistoryGrowsWithoutEnd) {
    RunSettings settings = small::settings();
    settings.costs.stl.collectNs = 10.0;
    settings.otherWorkNs = static_cast<Ns>(1'000'000 - 40'000 - 6'000 - 10);
    const Row row = rowOf(small::scenario(), "scheduled-1000/stl", settings);
    EXPECT_GT(row.peakRatio, 3.0);
    EXPECT_TRUE(row.growingAtEnd);
    EXPECT_FALSE(row.backlogDrainS);
}

TEST(Incident, WithoutAStallOrWithRoomToSpareScheduledCollectionKeepsUp) {
    Scenario scenario = small::scenario();
    scenario.ratePerS = scenario.ratePerS * 7 / 10;
    const Row row = rowOf(scenario, "scheduled-1000/stl", small::settings());
    EXPECT_LT(row.peakRatio, 1.15);
    ASSERT_TRUE(row.backlogDrainS);
    EXPECT_LT(*row.backlogDrainS, 1.0);
}

TEST(Incident, AMillionPerEventKeepsTheHistoryAndPaysInPauses) {
    const Row row = rowOf("scheduled-1m/stl");
    EXPECT_LT(row.peakRatio, 1.15);
    EXPECT_FALSE(row.backlogDrainS);
    // Half a million entries expire between two ticks; here five thousand.
    EXPECT_GT(row.gcUsMax.value_or(0.0), 5'000 * 4.0);
}

TEST(Incident, InlineCollectionKeepsTheHistoryButHasNoSlackForTheBacklog) {
    const Row row = rowOf("inline-1000/stl");
    EXPECT_LT(row.peakRatio, 1.15);
    EXPECT_GT(row.peakRatio, 1.02);
    EXPECT_FALSE(row.growingAtEnd);
    EXPECT_FALSE(row.backlogDrainS);
}

TEST(Incident, SteadyCollectionKeepsTheHistoryExactlyAndRecovers) {
    const Row row = rowOf("steady/queuecore");
    EXPECT_LE(row.peakRatio, 1.02);
    ASSERT_TRUE(row.backlogDrainS);
    EXPECT_LT(*row.backlogDrainS, 10.0);
    EXPECT_EQ(row.totals.nacks, 0U);
    // One insert and four collected, at a hundred times the price.
    EXPECT_LE(row.putUsMax.value_or(0.0), 18.0 + 4 * 1.6 + 0.1);
}

TEST(Incident, ColdRunsStartEmpty) {
    Scenario scenario = small::scenario();
    scenario.start = Start::Cold;
    scenario.durationNs = 30 * nsPerSecond;
    const RunResult run = small::run(scenario, "steady/queuecore", small::settings());
    EXPECT_LT(run.recording.samples.front().history, 300U);
    EXPECT_LE(run.recording.peakHistory, 30'001U);
    EXPECT_EQ(run.recording.totals.collected, 0U);
}

TEST(Incident, AnOutageOfTheConsumersLeavesLiveEntriesOlderThanTheWindow) {
    Scenario scenario = small::scenario();
    scenario.stalls.clear();
    scenario.ackOutage = Span{10 * nsPerSecond, 100 * nsPerSecond};
    const RunResult run = small::run(scenario, "steady/queuecore", small::settings());
    // At 109 s all that was put since 10 s is still live.
    const Sample& late = run.recording.samples[109 * 4 - 1];
    EXPECT_EQ(late.atNs, 109 * nsPerSecond);
    EXPECT_GT(late.history, 98'000U);
    EXPECT_LE(run.recording.endHistory, scenario.idealHistory() * 102 / 100);
    EXPECT_EQ(run.recording.totals.unknownAcks, 0U);
}

TEST(Incident, ATtlEndsWhatTheOutageKeepsAlive) {
    Scenario scenario = small::scenario();
    scenario.stalls.clear();
    scenario.ackOutage = Span{10 * nsPerSecond, 200 * nsPerSecond};
    scenario.ttlNs = 65 * nsPerSecond;
    const RunResult run = small::run(scenario, "steady/queuecore", small::settings());
    EXPECT_LE(run.recording.peakHistory, 66'500U);
    EXPECT_GE(run.recording.peakHistory, 64'000U);
}

TEST(Incident, IdleCollectionWorksWheneverTheQueueIsEmpty) {
    Scenario scenario = small::scenario();
    scenario.ratePerS /= 2;
    scenario.idleGc = true;
    scenario.gcIntervalNs = 1'000 * nsPerSecond;  // no tick
    const RunResult run = small::run(scenario, "scheduled-1000/stl", small::settings());
    EXPECT_LE(run.recording.peakHistory, scenario.idealHistory() + 10);
    std::uint64_t idle = 0;
    for (const Sample& sample : run.recording.samples) {
        idle += sample.pauses[static_cast<std::size_t>(PauseKind::Idle)].count;
    }
    EXPECT_GT(idle, 1'000U);
}

}  // namespace
}  // namespace replay
