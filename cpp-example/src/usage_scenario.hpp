// The scenario `usage`: producers and consumers on one limit, and producers that wait when it is reached. Plain data:
// what is run, and what came of it.
#pragma once

#include "units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace replay {

/// How producers are admitted, and by which meter.
enum class MeterKind : std::uint8_t { Lock, Atomic, Queuecore, QueuecoreReserve };

const std::vector<MeterKind>& allMeters();
std::string meterName(MeterKind kind);
std::optional<MeterKind> meterNamed(const std::string& name);
/// One line for --help.
std::string meterSummary(MeterKind kind);

struct UsageScenario {
    unsigned producers = 16;
    unsigned consumers = 4;
    std::uint64_t limitBytes = std::uint64_t{64} << 20;
    std::uint64_t leastBytes = 1 << 10;
    std::uint64_t mostBytes = 16 << 10;
    Ns workNs = nsPerUs;               // what a consumer does with a message
    Ns durationNs = 4 * nsPerSecond;   // measured time of one meter, all turns together
    int resumeBelowPercent = 100;      // who waits for space goes on below this; a reservation needs no such thing
    std::uint64_t seed = 1;
    std::vector<MeterKind> meters = allMeters();
};

/// Turns of each meter. The meters take turns, so that what else the machine does hits all of them.
constexpr unsigned usageTurns = 4;
/// The longest that a producer's FIFO can be: more messages than a limit holds, or it would be the limit.
constexpr std::uint64_t mostMessages = std::uint64_t{1} << 22;

/// One turn of one meter, or the check of it.
struct UsageTurn {
    double seconds = 0;
    std::uint64_t messages = 0;        // that consumers were done with before the end
    std::uint64_t waits = 0;           // admissions that had to wait
    Ns blockedNs = 0;                  // the sum of those waits
    Ns longestWaitNs = 0;
    std::uint64_t switches = 0;        // voluntary context switches of the process
    double cpuSeconds = 0;
    std::optional<std::uint64_t> wakeUps;  // of waiters, if the meter is the replay's own and counts them
    std::int64_t peakBytes = 0;        // the highest level seen, of a check
};

/// What came of one meter.
struct UsageRow {
    MeterKind kind;
    std::vector<UsageTurn> turns;
    std::optional<UsageTurn> check;  // none if the run was cut short before it
};

/// Nanoseconds from one addition to a shared atomic to the next one by anybody.
struct LineCost {
    unsigned threads;
    double ns;
};

struct UsageReport {
    UsageScenario scenario;
    std::string command;
    bool interrupted = false;
    std::vector<LineCost> line;
    std::vector<UsageRow> rows;
};

}  // namespace replay
