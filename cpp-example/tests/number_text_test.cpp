// Numbers and durations, written and read.
#include "number_text.hpp"

#include <gtest/gtest.h>

namespace replay {
namespace {

TEST(NumberText, GroupsThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(3059921280), "3,059,921,280");
    EXPECT_EQ(groupedSigned(-1234), "-1,234");
}

TEST(NumberText, ChoosesTheUnit) {
    EXPECT_EQ(durationText(0.4), "400 ns");
    EXPECT_EQ(durationText(47.44), "47.4 us");
    EXPECT_EQ(durationText(1500.0), "1.50 ms");
    EXPECT_EQ(durationText(1.26e6), "1.26 s");
}

TEST(Durations, AreReadWithTheirUnit) {
    EXPECT_EQ(parseDuration("250us"), 250 * nsPerUs);
    EXPECT_EQ(parseDuration("100ms"), 100 * nsPerMs);
    EXPECT_EQ(parseDuration("2.5s"), 2'500 * nsPerMs);
    EXPECT_EQ(parseDuration("5m"), 300 * nsPerSecond);
    EXPECT_EQ(parseDuration("7"), 7 * nsPerSecond);
    EXPECT_EQ(parseDuration("0"), 0);
}

TEST(Durations, NothingElseIs) {
    for (const char* text :
         {"", ".", "ms", "-1s", "1 s", " 1s", "1.2.3s", "1e3", "0x10", "inf", "nan", "5 parsecs", "9999999h"}) {
        EXPECT_FALSE(parseDuration(text)) << text;
    }
}

}  // namespace
}  // namespace replay
