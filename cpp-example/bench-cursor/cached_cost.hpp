// What a message costs on a cursor when all is cached: push, pull and ack through the C ABI, the store never asked.
//
// A queue of a few messages or of a thousand is filled and drained over and over, below a parent, in a group, as a
// broker has it. Four forms of the same calls: each its own, pulls for one or 32 messages (what a dispatcher asks);
// and batches, which pay for the handle once. A figure is the median of rounds, by the thread's processor time; the
// forms take turns within a round.
#pragma once

#include "../bench/summary.hpp"  // by its place: the replay has a file of that name

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct CachedCost {
    std::string form;    ///< which calls
    std::size_t depth;   ///< messages in the queue when it is full
    Summary nsPerMessage;
};

struct CachedPlan {
    int rounds = 25;
    int messagesPerSlice = 200'000;
};

/// All forms at all depths. The first is the one to hold against the goal: single calls, pulls of 32, depth 32.
/// Throws std::runtime_error if a call fails or gives what it must not.
std::vector<CachedCost> measureCached(const CachedPlan& plan);

}  // namespace bench
