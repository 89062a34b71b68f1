// A PUT that a full queue refuses leaves no trace, and every PUT is accounted for.
#include "small_incident.hpp"

#include <gtest/gtest.h>

namespace replay {
namespace {

Scenario overloaded() {
    Scenario scenario = small::scenario();
    scenario.queueLimit = 100;
    scenario.stalls = {{5 * nsPerSecond, 2 * nsPerSecond}};
    scenario.durationNs = 20 * nsPerSecond;
    return scenario;
}

TEST(Nacks, EveryPutWasHandledRefusedOrIsWaiting) {
    const Scenario scenario = overloaded();
    const RunResult run = small::run(scenario, "scheduled-1000/stl", small::settings());
    const Totals& totals = run.recording.totals;
    const std::uint64_t arrived = scenario.ratePerS * 20 + 1;  // the first at 0, the last at 20 s
    EXPECT_GT(totals.nacks, 1'000U);
    // What waits is PUTs, ACKs and GC events; the ACKs' number is known, since each handled PUT gives one.
    EXPECT_LE(totals.puts + totals.nacks, arrived);
    EXPECT_GE(totals.puts + totals.nacks + run.recording.endBacklog, arrived);
    EXPECT_EQ(totals.duplicates, 0U);
}

TEST(Nacks, LeaveNoTraceInTheHistory) {
    const RunResult run = small::run(overloaded(), "scheduled-1000/stl", small::settings());
    const Totals& totals = run.recording.totals;
    EXPECT_EQ(run.recording.endHistory, overloaded().idealHistory() + totals.puts - totals.collected);
    EXPECT_EQ(totals.unknownAcks, 0U);  // no ACK ever comes for a refused PUT
}

TEST(Nacks, TheFirstOneEndsARunThatAskedForThat) {
    RunSettings settings = small::settings();
    settings.stopAtNack = true;
    const RunResult run = small::run(overloaded(), "scheduled-1000/stl", settings);
    EXPECT_EQ(run.stopped, Stopped::AtNack);
    EXPECT_LT(run.recording.samples.back().atNs, 8 * nsPerSecond);
}

TEST(Nacks, NoneWithoutOverload) {
    Scenario scenario = small::scenario();
    scenario.ratePerS /= 2;
    const RunResult run = small::run(scenario, "inline-1000/stl", small::settings());
    EXPECT_EQ(run.recording.totals.nacks, 0U);
    EXPECT_EQ(run.stopped, Stopped::AtEnd);
}

}  // namespace
}  // namespace replay
