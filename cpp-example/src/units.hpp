// Time and count units that every file of the replay uses.
#pragma once

#include <cstdint>
#include <limits>

namespace replay {

/// Nanoseconds on the run's own clock, which starts at 0; what was pre-filled lies before it.
using Ns = std::int64_t;

constexpr Ns nsPerUs = 1'000;
constexpr Ns nsPerMs = 1'000'000;
constexpr Ns nsPerSecond = 1'000'000'000;
constexpr Ns never = std::numeric_limits<Ns>::max();

inline double toSeconds(Ns ns) { return static_cast<double>(ns) / static_cast<double>(nsPerSecond); }
inline double toMicros(double ns) { return ns / static_cast<double>(nsPerUs); }

}  // namespace replay
