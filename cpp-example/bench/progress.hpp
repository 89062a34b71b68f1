// One line on stderr per step of a long run, with the seconds since the start.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace bench {

inline void progress(const std::string& step) {
    using Clock = std::chrono::steady_clock;
    static const Clock::time_point start = Clock::now();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::fprintf(stderr, "[%6.1f s] %s\n", seconds, step.c_str());
}

}  // namespace bench
