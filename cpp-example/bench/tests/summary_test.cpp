// Medians, and ratios taken round by round.
#include "summary.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Summary, MedianAndSpread) {
    const Summary odd = summarize({5, 1, 3});
    EXPECT_EQ(odd.median, 3);
    EXPECT_EQ(odd.low, 1);
    EXPECT_EQ(odd.high, 5);
    EXPECT_EQ(odd.passes, 3U);
    EXPECT_EQ(summarize({4, 1, 3, 2}).median, 2.5);
}

TEST(Summary, ABurstThatHitBothEnginesInOneRoundDoesNotMoveTheRatio) {
    EXPECT_EQ(medianRatio({1, 10, 1}, {2, 20, 2}), 0.5);
}

}  // namespace
}  // namespace bench
