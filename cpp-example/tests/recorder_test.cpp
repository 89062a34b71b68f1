// Samples, distributions and the watch over a stall's backlog.
#include "recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace replay {
namespace {

TEST(DurationHistogram, AnswersWithinOnePercentAndExactlyAtTheEnds) {
    DurationHistogram durations;
    for (Ns ns = 1; ns <= 100'000; ++ns) {
        durations.add(ns);
    }
    EXPECT_EQ(durations.count(), 100'000U);
    for (const double percent : {10.0, 50.0, 99.0, 99.9}) {
        const double exact = percent * 1'000.0;
        EXPECT_GE(durations.percentileNs(percent), exact) << percent;
        EXPECT_LE(durations.percentileNs(percent), exact * 1.011) << percent;
    }
    EXPECT_EQ(durations.percentileNs(100.0), 100'000.0);
}

TEST(DurationHistogram, TakesZeroAndTheVeryLong) {
    DurationHistogram durations;
    durations.add(0);
    durations.add(3'000 * nsPerSecond);
    EXPECT_LE(durations.percentileNs(50.0), 2.0);
    EXPECT_EQ(durations.percentileNs(100.0), 3e12);
}

TEST(DrainWatch, TimesFromTheEndOfTheStallToNearlyEmpty) {
    DrainWatch watch;
    watch.backlogIs(0, 10);
    EXPECT_FALSE(watch.anyStall());
    EXPECT_FALSE(watch.drainNs());
    watch.stallEnded(100);
    watch.backlogIs(11, 150);
    EXPECT_FALSE(watch.drainNs());
    watch.backlogIs(10, 180);
    EXPECT_EQ(watch.drainNs(), 80);
}

TEST(DrainWatch, ReportsTheWorstStallAndOneThatNeverEnds) {
    DrainWatch watch;
    watch.stallEnded(100);
    watch.backlogIs(0, 150);
    watch.stallEnded(200);
    EXPECT_FALSE(watch.drainNs());
    watch.backlogIs(0, 210);
    EXPECT_EQ(watch.drainNs(), 50);
}

TEST(Recorder, ASampleHoldsItsOwnPutsAndTheTotalsSoFar) {
    Recorder recorder(nsPerSecond);
    for (Ns i = 1; i <= 100; ++i) {
        recorder.put(true, i * nsPerUs, 10 * i * nsPerUs, false);
    }
    recorder.put(false, 7 * nsPerMs, 3 * nsPerMs, true);
    recorder.ack(true, 50);
    recorder.ack(false, 50);
    recorder.gc(PauseKind::Event, 4 * nsPerMs);
    recorder.sample(111, 22, 3, 4444, 5);
    recorder.sample(112, 22, 3, 4444, 5);
    const auto& samples = recorder.recording().samples;
    ASSERT_EQ(samples.size(), 2U);
    EXPECT_EQ(samples[0].atNs, nsPerSecond);
    EXPECT_EQ(samples[0].history, 111U);
    EXPECT_EQ(samples[0].backlog, 5U);
    EXPECT_DOUBLE_EQ(samples[0].latency.middleUs, 51.0);
    EXPECT_DOUBLE_EQ(samples[0].latency.longestUs, 7'000.0);
    EXPECT_DOUBLE_EQ(samples[0].putHistory.longestUs, 3'000.0);
    EXPECT_EQ(samples[0].pauses[static_cast<std::size_t>(PauseKind::Event)].longestNs, 4 * nsPerMs);
    EXPECT_EQ(samples[0].pauses[static_cast<std::size_t>(PauseKind::Inline)].count, 1U);
    EXPECT_EQ(samples[1].atNs, 2 * nsPerSecond);
    EXPECT_TRUE(std::isnan(samples[1].latency.middleUs));
    EXPECT_EQ(samples[1].pauses[static_cast<std::size_t>(PauseKind::Event)].count, 0U);
    EXPECT_EQ(samples[1].totals.puts, 100U);
    EXPECT_EQ(samples[1].totals.duplicates, 1U);
    EXPECT_EQ(samples[1].totals.acks, 1U);
    EXPECT_EQ(samples[1].totals.unknownAcks, 1U);
    EXPECT_EQ(samples[1].totals.gcNs, 4 * nsPerMs);
}

}  // namespace
}  // namespace replay
