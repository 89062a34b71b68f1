// Minima over passes and quantiles over minima.
#include "op_times.hpp"
#include "timer.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bench {
namespace {

double ns(std::uint64_t ticks) { return static_cast<double>(ticks) * nsPerTick(); }

/// One pass of 10,000 operations of 1000 ticks each, but `slow` at `at`.
void pass(OpTimes& times, std::uint64_t at, std::uint64_t slow) {
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        times.record(timerCostTicks() + (i == at ? slow : 1000));
    }
    times.finishPass();
}

TEST(OpTimes, WhatStruckOnceGoes) {
    OpTimes times(10'000);
    pass(times, 5, 900'000);
    pass(times, 6, 900'000);
    EXPECT_DOUBLE_EQ(times.best().max, ns(1000));
    ASSERT_EQ(times.raw().size(), 2U);
    EXPECT_DOUBLE_EQ(times.raw()[0].max, ns(900'000));
}

TEST(OpTimes, WhatComesBackEveryTimeStays) {
    OpTimes times(10'000);
    pass(times, 5, 900'000);
    pass(times, 5, 800'000);
    EXPECT_DOUBLE_EQ(times.best().max, ns(800'000));
    EXPECT_DOUBLE_EQ(times.best().p9999, ns(1000)) << "one in ten thousand is just above p99.99";
}

TEST(OpTimes, QuantilesAreTheSmallestThatEnoughDoNotExceed) {
    OpTimes times(10'000);
    for (std::uint64_t i = 1; i <= 10'000; ++i) {
        times.record(timerCostTicks() + i);
    }
    times.finishPass();
    const Quantiles best = times.best();
    EXPECT_DOUBLE_EQ(best.p50, ns(5000));
    EXPECT_DOUBLE_EQ(best.p999, ns(9990));
    EXPECT_DOUBLE_EQ(best.p9999, ns(9999));
    EXPECT_DOUBLE_EQ(best.max, ns(10'000));
}

TEST(OpTimes, ATimeBelowTheTimersOwnCostIsZero) {
    OpTimes times(1);
    times.record(0);
    times.finishPass();
    EXPECT_DOUBLE_EQ(times.best().max, 0);
}

TEST(OpTimes, AShortPassIsAnError) {
    OpTimes times(2);
    times.record(1);
    EXPECT_THROW(times.finishPass(), std::logic_error);
}

TEST(OpTimes, ALongPassIsAnError) {
    OpTimes times(1);
    times.record(1);
    times.record(1);
    EXPECT_THROW(times.finishPass(), std::logic_error);
}

}  // namespace
}  // namespace bench
