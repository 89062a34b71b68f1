// What is kept of a run while it goes: totals, distributions, and one sample per quarter of a second. The dispatcher
// tells it what happened; the summary and the output files read `Recording` afterwards.
#pragma once

#include "drain_watch.hpp"
#include "duration_histogram.hpp"
#include "memory_meter.hpp"
#include "units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace replay {

enum class PauseKind : std::uint8_t { Event, Inline, Idle };
constexpr std::size_t pauseKinds = 3;

struct Pauses {
    std::uint64_t count = 0;
    Ns longestNs = 0;
    Ns totalNs = 0;
};

struct Totals {
    std::uint64_t puts = 0;  // handled and added
    std::uint64_t duplicates = 0;
    std::uint64_t acks = 0;
    std::uint64_t unknownAcks = 0;
    std::uint64_t gcEvents = 0;
    std::uint64_t collected = 0;
    std::uint64_t nacks = 0;
    Ns putNs = 0;  // what the history took: in PUTs, in ACKs, in GC events and idle collection
    Ns ackNs = 0;
    Ns gcNs = 0;

    Ns historyNs() const { return putNs + ackNs + gcNs; }
};

/// A few order statistics of one sample's PUTs, in microseconds; NaN without any.
struct SampleStats {
    double middleUs = std::numeric_limits<double>::quiet_NaN();
    double tailUs = std::numeric_limits<double>::quiet_NaN();
    double longestUs = std::numeric_limits<double>::quiet_NaN();
};

struct Sample {
    Ns atNs;
    std::uint64_t history;
    std::uint64_t bytes;
    std::uint64_t backlog;
    SampleStats latency;     // tail: 99 %
    SampleStats putHistory;  // tail: 99.9 %
    std::array<Pauses, pauseKinds> pauses;
    Totals totals;
};

struct Recording {
    std::vector<Sample> samples;
    Totals totals;
    DurationHistogram putLatency;  // arrival to handled
    DurationHistogram putHistory;  // the history's part of one PUT
    DurationHistogram gcPauses;    // every stretch of collecting
    DrainWatch drain;
    std::uint64_t peakHistory = 0;
    std::uint64_t endHistory = 0;
    std::uint64_t peakBacklog = 0;
    std::uint64_t endBacklog = 0;
    MemoryCounts memoryAtStart;
    MemoryCounts memoryAtEnd;
};

class Recorder {
  public:
    explicit Recorder(Ns sampleNs) : sampleNs_(sampleNs), nextSampleNs_(sampleNs) {}

    void put(bool added, Ns latencyNs, Ns historyNs, bool collected);
    void ack(bool known, Ns historyNs);
    void gc(PauseKind kind, Ns historyNs);

    Ns nextSampleNs() const { return nextSampleNs_; }
    /// Closes the sample that ends at nextSampleNs().
    void sample(std::uint64_t history, std::uint64_t collected, std::uint64_t nacks, std::uint64_t bytes,
                std::uint64_t backlog);

    Recording& recording() { return recording_; }

  private:
    void pause(PauseKind kind, Ns historyNs);

    Ns sampleNs_;
    Ns nextSampleNs_;
    Recording recording_;
    std::array<Pauses, pauseKinds> pauses_{};
    std::vector<Ns> latencies_;  // of the open sample
    std::vector<Ns> histories_;
};

}  // namespace replay
