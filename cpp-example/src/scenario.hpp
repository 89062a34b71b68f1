// What is replayed: the load, the broker around the history, and how its cost is taken. Plain data, filled in by the
// command line or a test and read by everything else.
#pragma once

#include "policy.hpp"
#include "units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace replay {

struct Span {
    Ns startNs;
    Ns durationNs;
};

enum class Start : std::uint8_t { Prefilled, Cold };
enum class ClockKind : std::uint8_t { Virtual, Real };
enum class CostKind : std::uint8_t { Measured, Fixed };
enum class EngineKind : std::uint8_t { Queuecore, Stl };

struct Scenario {
    std::uint64_t ratePerS = 100'000;
    std::uint64_t capacityPerS = 100'000;
    Ns windowNs = 60 * nsPerSecond;
    Ns durationNs = 240 * nsPerSecond;
    std::vector<Span> stalls{{10 * nsPerSecond, 100 * nsPerMs}};
    Ns ackDelayNs = 10 * nsPerMs;
    std::optional<Span> ackOutage;
    Ns ttlNs = 0;  // 0 = off
    Ns gcIntervalNs = 5 * nsPerSecond;
    std::uint64_t queueLimit = 500'000;
    bool idleGc = false;
    Start start = Start::Prefilled;
    Ns sampleNs = 250 * nsPerMs;

    /// History entries in a steady state without any collection lag.
    std::uint64_t idealHistory() const {
        return static_cast<std::uint64_t>(static_cast<double>(ratePerS) * toSeconds(windowNs));
    }
};

/// One line of the comparison: a policy on an engine.
struct Contender {
    Policy policy;
    EngineKind engine;

    std::string engineName() const { return engine == EngineKind::Queuecore ? "queuecore" : "stl"; }
    std::string name() const { return policy.name + "/" + engineName(); }
};

inline std::string startName(Start start) { return start == Start::Prefilled ? "prefilled" : "cold"; }

}  // namespace replay
