// The machine's clock, as the calls into a history are timed with it.
#pragma once

#include "units.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>

namespace replay {

inline Ns stopwatchNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Processor time of this thread so far. A reading is a system call.
inline Ns processorNs() {
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<Ns>(spent.tv_sec) * nsPerSecond + spent.tv_nsec;
}

/// What two readings with nothing between them lie apart.
inline Ns measureStopwatchNs() {
    Ns shortestNs = never;
    for (int i = 0; i < 10'000; ++i) {
        const Ns beginNs = stopwatchNs();
        shortestNs = std::min(shortestNs, stopwatchNs() - beginNs);
    }
    return shortestNs;
}

}  // namespace replay
