// The scenario `cursor`: a backlog that is far larger than the memory of its queue, taken by consumers whose prefetch is
// larger than that memory, too. Plain data: what is run, and what came of it.
#pragma once

#include "cursor/store_faults.hpp"
#include "units.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace replay {

/// When the window is filled from the store.
enum class Refill : std::uint8_t { OneByOne, Classic, Hysteresis };

const std::vector<Refill>& allRefills();
std::string refillName(Refill refill);
std::optional<Refill> refillNamed(const std::string& name);
/// One line for --help.
std::string refillSummary(Refill refill);

/// How acknowledged messages leave the store.
enum class Deletion : std::uint8_t {
    Each,   // a DELETE for each, in transactions of `batch`
    Range,  // one DELETE for `batch` of them
};

/// One backlog, produced and consumed.
struct BacklogCase {
    Refill refill = Refill::Hysteresis;
    Deletion deletion = Deletion::Range;
    std::uint64_t messages = 200'000;         // produced before anybody consumes
    std::uint64_t liveMessages = 20'000;      // produced while consumers are at it,
    std::uint64_t liveEvery = 8;              // one after so many acks
    std::uint64_t messageBytes = 1 << 10;
    std::uint64_t limitBytes = std::uint64_t{64} << 20;
    std::uint64_t prefetch = 100'000;         // messages that consumers have in hand at most
    unsigned batch = 200;                     // changes in a transaction
    FaultPlan faults;
};

/// The state at one moment.
struct CursorSample {
    double seconds = 0;  // since consumers came; while producers were alone, below 0
    std::uint64_t usageBytes = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t pages = 0;
    std::uint64_t pagedMessages = 0;
};

/// What came of a backlog. Everything was delivered exactly once and in order, or there would be no result.
struct BacklogResult {
    double produceSeconds = 0;
    double consumeSeconds = 0;
    double cpuSeconds = 0;  // of those, what the thread had of a processor
    std::uint64_t messages = 0;
    std::uint64_t pages = 0;
    std::uint64_t pagedMessages = 0;
    std::uint64_t cacheOnTurns = 0;
    std::uint64_t cacheOffTurns = 0;
    std::uint64_t limitBytes = 0;
    std::uint64_t peakBytes = 0;
    std::uint64_t boundBytes = 0;     // what the peak may be
    std::uint64_t fetches = 0;
    Ns fetchNs = 0;
    std::array<std::uint64_t, 4> blockedNs{};
    std::uint64_t faults = 0;         // fetches that misbehaved on purpose
    std::uint64_t refusedFetches = 0; // of those and others, what the cursor answered with a status
    std::vector<CursorSample> samples;

    double perSecond() const { return static_cast<double>(messages) / consumeSeconds; }
    double fetchUsPerMessage() const { return toMicros(static_cast<double>(fetchNs)) / static_cast<double>(pagedMessages); }
    double messagesPerPage() const { return static_cast<double>(pagedMessages) / static_cast<double>(pages); }
    double pagesPerMillion() const { return 1e6 * static_cast<double>(pages) / static_cast<double>(messages); }
    double turnsPerMillion() const {
        return 1e6 * static_cast<double>(cacheOnTurns + cacheOffTurns) / static_cast<double>(messages);
    }
};

/// What the second queue has to live with.
enum class Neighbour : std::uint8_t {
    None,           // it is alone
    IdleClassic,    // an idle queue sits on the memory, and the mark is one for all queues
    IdleWithShare,  // the same, and each queue has a guaranteed share
};

const std::vector<Neighbour>& allNeighbours();
std::string neighbourName(Neighbour neighbour);

/// Two queues on one limit: one without consumers that holds 70 % of it, and one with.
struct StarvationCase {
    Neighbour neighbour = Neighbour::None;
    std::uint64_t messages = 100'000;     // of the second queue
    std::uint64_t messageBytes = 1 << 10;
    std::uint64_t limitBytes = std::uint64_t{64} << 20;
    unsigned batch = 200;
    Ns patienceNs = 200 * nsPerMs;        // how long a queue that gets nothing is watched
};

struct StarvationResult {
    double seconds = 0;
    std::uint64_t messages = 0;       // of the second queue, while the first was idle
    std::uint64_t lentPages = 0;
    std::uint64_t lentPeakBytes = 0;
    double idlePercent = 0;           // what the idle queue held of the limit

    double perSecond() const { return static_cast<double>(messages) / seconds; }
};

constexpr std::uint32_t pageMessages = 200;
constexpr std::uint32_t highPercent = 70;
constexpr std::uint32_t lowPercent = 50;

}  // namespace replay
