// The real clock: nothing about how fast, only that every message is accounted for.
#include "small_incident.hpp"

#include <gtest/gtest.h>

namespace replay {
namespace {

TEST(RealClock, AccountsForEveryMessage) {
    Scenario scenario = small::scenario();
    scenario.windowNs = 200 * nsPerMs;
    scenario.durationNs = 500 * nsPerMs;
    scenario.gcIntervalNs = 50 * nsPerMs;
    scenario.stalls = {{100 * nsPerMs, 20 * nsPerMs}};
    scenario.sampleNs = 100 * nsPerMs;
    for (const char* name : {"scheduled-1000/stl", "steady/queuecore"}) {
        RunSettings settings;
        settings.clock = ClockKind::Real;
        settings.otherWorkNs = 10 * nsPerUs;
        const RunResult run = small::run(scenario, name, settings);
        const Totals& totals = run.recording.totals;
        EXPECT_EQ(run.stopped, Stopped::AtEnd);
        EXPECT_EQ(run.recording.samples.size(), 5U);
        EXPECT_GT(totals.puts, 0U);
        EXPECT_EQ(totals.duplicates, 0U);
        EXPECT_EQ(totals.unknownAcks, 0U);
        EXPECT_LE(totals.puts + totals.nacks, 501U);
        EXPECT_EQ(totals.puts + scenario.idealHistory() - totals.collected, run.recording.endHistory);
    }
}

TEST(RealClock, AFullQueueRefuses) {
    Scenario scenario = small::scenario();
    scenario.windowNs = 100 * nsPerMs;
    scenario.durationNs = 300 * nsPerMs;
    scenario.stalls = {{0, 250 * nsPerMs}};
    scenario.queueLimit = 10;
    scenario.sampleNs = 100 * nsPerMs;
    RunSettings settings;
    settings.clock = ClockKind::Real;
    EXPECT_GT(small::run(scenario, "steady/queuecore", settings).recording.totals.nacks, 0U);
}

}  // namespace
}  // namespace replay
