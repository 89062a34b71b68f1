// How large and how long: the full run, and the quick one for the daily loop. Quick figures stand for nothing
// but "it runs and nothing is off by a factor": the goals are meant at the full sizes.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

constexpr std::uint64_t liveMessages = 1000;   // between the insert of a message and its erase
constexpr std::int64_t messageGapNs = 10'000;  // the incident's 100,000 messages a second

// Messages between two ticks that ask the stand-in to collect. One batch of 1000 and a little, so that the
// inserts that pay for a whole batch are not one in a thousand to the dot: p99.9 would be a toss between
// paying and not.
constexpr std::uint64_t collectionInterval = 1024;

struct Plan {
    bool quick = false;
    std::uint64_t smallEntries = 100'000;
    std::uint64_t mediumEntries = 1'000'000;
    std::uint64_t midEntries = 6'000'000;  // only to compare the stand-in with the incumbent; 0: not at all
    std::uint64_t bigEntries = 20'000'000;
    std::uint64_t growthEntries = 40'000'000;
    std::uint64_t bytesFromEntries = 1'000'000;  // bytes per entry are judged from this size on
    int rounds = 9;
    int tailPasses = 3;
    std::uint64_t messagesPerRound = 1'000'000;
    std::uint64_t tailMessages = 4'000'000;

    std::vector<std::uint64_t> steadySizes() const {
        std::vector<std::uint64_t> sizes{smallEntries, mediumEntries};
        if (midEntries != 0) {
            sizes.push_back(midEntries);
        }
        sizes.push_back(bigEntries);
        return sizes;
    }

    static Plan full() { return {}; }

    static Plan small() {
        Plan plan;
        plan.quick = true;
        plan.mediumEntries = 300'000;
        plan.midEntries = 0;             // the incumbent's table has no size like it
        plan.bigEntries = 1'200'000;     // more than 32 MiB, a common last-level cache, in both engines
        plan.growthEntries = 1'300'000;  // not just above 1.4 M: a stand-in fresh from a rehash is larger
        plan.bytesFromEntries = 300'000;
        plan.rounds = 5;
        plan.tailPasses = 2;
        plan.messagesPerRound = 100'000;
        plan.tailMessages = 200'000;
        return plan;
    }
};

}  // namespace bench
