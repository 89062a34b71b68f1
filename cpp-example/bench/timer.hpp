// Two ways to take time.
//
// Stretches of many operations: this thread's processor time, in which what other processes do on the same
// core does not count. A reading costs a system call, so a stretch is a thousand messages.
//
// Single operations: ticks, as cheap to read as the machine allows: the processor's time-stamp counter on
// x86-64 and nanoseconds elsewhere; `nsPerTick` converts. `startTicks` and `stopTicks` keep the measured work
// between them: nothing of it starts before the first or is still unfinished at the second. What an empty
// pair shows, `timerCostTicks`, is to be subtracted.
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bench {

/// Processor time of this thread so far.
inline std::int64_t threadNs() {
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<std::int64_t>(spent.tv_sec) * 1'000'000'000 + spent.tv_nsec;
}

#if defined(__x86_64__)
inline std::uint64_t startTicks() {
    _mm_lfence();
    const std::uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
}

inline std::uint64_t stopTicks() {
    unsigned processor = 0;
    const std::uint64_t ticks = __rdtscp(&processor);
    _mm_lfence();
    return ticks;
}

/// Between two messages a broker does its other work, so the cache misses of one must not hide behind those
/// of the next.
inline void separateMessages() { _mm_lfence(); }
#else
inline std::uint64_t startTicks() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const auto sinceEpoch = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(sinceEpoch).count());
}

inline std::uint64_t stopTicks() { return startTicks(); }

/// See above; where there is no cheap instruction for it, a full barrier comes nearest.
inline void separateMessages() { std::atomic_thread_fence(std::memory_order_seq_cst); }
#endif

/// Measured once, over 50 ms.
inline double nsPerTick() {
    static const double ratio = [] {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        const std::uint64_t beginTicks = startTicks();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const std::uint64_t ticks = stopTicks() - beginTicks;
        return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
               static_cast<double>(ticks);
    }();
    return ratio;
}

/// What an empty start-stop pair shows: the median of many.
inline std::uint64_t timerCostTicks() {
    static const std::uint64_t cost = [] {
        std::vector<std::uint64_t> pairs(10'001);
        for (std::uint64_t& pair : pairs) {
            const std::uint64_t begin = startTicks();
            pair = stopTicks() - begin;
        }
        std::nth_element(pairs.begin(), pairs.begin() + 5'000, pairs.end());
        return pairs[5'000];
    }();
    return cost;
}

}  // namespace bench
