// What comes to the FIFO and when.
#include "arrivals.hpp"

#include <gtest/gtest.h>

namespace replay {
namespace {

TEST(GeneratedPuts, KeepTheRateWithoutDrift) {
    EXPECT_EQ(GeneratedPuts::dueNs(0, 3), 0);
    EXPECT_EQ(GeneratedPuts::dueNs(1, 3), 333'333'333);
    EXPECT_EQ(GeneratedPuts::dueNs(3, 3), nsPerSecond);
    EXPECT_EQ(GeneratedPuts::dueNs(3'000'000'001, 3), 1'000'000'000 * nsPerSecond + 333'333'333);
}

TEST(GeneratedPuts, NumberTheirMessages) {
    GeneratedPuts puts(1000, 7);
    EXPECT_EQ(puts.nextDueNs(), 0);
    EXPECT_EQ(puts.pop().subject, 7U);
    EXPECT_EQ(puts.nextDueNs(), nsPerMs);
    EXPECT_EQ(puts.pop().subject, 8U);
}

TEST(AckSchedule, ComesOneDelayAfterTheHandling) {
    AckSchedule acks{Scenario{}};
    EXPECT_EQ(acks.nextDueNs(), never);
    acks.putHandled(5 * nsPerMs, 42);
    EXPECT_EQ(acks.nextDueNs(), 15 * nsPerMs);
    const Event ack = acks.pop();
    EXPECT_EQ(ack.kind, EventKind::Ack);
    EXPECT_EQ(ack.subject, 42U);
    EXPECT_EQ(acks.nextDueNs(), never);
}

TEST(AckSchedule, AnOutageHoldsBackWhatWouldHaveComeInIt) {
    Scenario scenario;
    scenario.ackOutage = Span{nsPerSecond, 2 * nsPerSecond};
    const AckSchedule acks(scenario);
    EXPECT_EQ(acks.dueNs(980 * nsPerMs), 990 * nsPerMs);
    EXPECT_EQ(acks.dueNs(990 * nsPerMs), 3 * nsPerSecond);
    EXPECT_EQ(acks.dueNs(2'989 * nsPerMs), 3 * nsPerSecond);
    EXPECT_EQ(acks.dueNs(2'995 * nsPerMs), 3'005 * nsPerMs);
}

TEST(AckSchedule, TtlRemovesWhatNoAckReached) {
    Scenario scenario;
    scenario.ackOutage = Span{nsPerSecond, 100 * nsPerSecond};
    scenario.ttlNs = 5 * nsPerSecond;
    const AckSchedule acks(scenario);
    EXPECT_EQ(acks.dueNs(0), 10 * nsPerMs);
    EXPECT_EQ(acks.dueNs(2 * nsPerSecond), 7 * nsPerSecond);
    EXPECT_EQ(acks.dueNs(100 * nsPerSecond), 101 * nsPerSecond);
}

TEST(Timeline, MergesEverythingInTimeOrder) {
    Scenario scenario;
    scenario.gcIntervalNs = 3 * nsPerMs;
    scenario.stalls = {{8 * nsPerMs, nsPerMs}, {2 * nsPerMs, nsPerMs}};  // in any order
    scenario.ackDelayNs = 5 * nsPerMs;
    GeneratedPuts puts(1000, 0);
    Timeline timeline(scenario, puts);
    timeline.acks().putHandled(0, 99);
    Ns lastNs = 0;
    std::string kinds;
    while (timeline.nextDueNs() < 9 * nsPerMs) {
        const Event event = timeline.pop();
        EXPECT_GE(event.atNs, lastNs);
        lastNs = event.atNs;
        kinds += "PAGS"[static_cast<int>(event.kind)];
    }
    EXPECT_EQ(kinds, "PPSPGPPAPGPPSP");
}

}  // namespace
}  // namespace replay
