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
    std::uint64_t midEntries = 6'000'000;  // for the comparison of the stand-in with the incumbent only
    std::uint64_t bigEntries = 20'000'000;
    std::uint64_t growthEntries = 40'000'000;
    std::uint64_t bytesFromEntries = 1'000'000;  // bytes per entry are judged from this size on
    int rounds = 9;
    int tailPasses = 3;
    std::uint64_t messagesPerRound = 1'000'000;
    std::uint64_t tailMessages = 4'000'000;

    std::vector<std::uint64_t> steadySizes() const {
        return {smallEntries, mediumEntries, midEntries, bigEntries};
    }

    static Plan full() { return {}; }

    static Plan small() {
        Plan plan;
        plan.quick = true;
        plan.mediumEntries = 500'000;
        plan.midEntries = 800'000;
        plan.bigEntries = 1'500'000;
        plan.growthEntries = 2'500'000;
        plan.bytesFromEntries = 500'000;
        plan.rounds = 5;
        plan.messagesPerRound = 150'000;
        plan.tailMessages = 300'000;
        return plan;
    }
};

}  // namespace bench
