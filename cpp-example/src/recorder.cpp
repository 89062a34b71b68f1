#include "recorder.hpp"

#include <algorithm>

namespace replay {
namespace {

/// Reorders `values`.
SampleStats statsOf(std::vector<Ns>& values, double tail) {
    if (values.empty()) {
        return {};
    }
    const auto at = [&values](double part) {
        const auto rank = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), values.begin() + rank, values.end());
        return toMicros(static_cast<double>(values[static_cast<std::size_t>(rank)]));
    };
    return {at(0.5), at(tail), at(1.0)};
}

}  // namespace

void Recorder::put(bool added, Ns latencyNs, Ns historyNs, bool collected) {
    ++(added ? recording_.totals.puts : recording_.totals.duplicates);
    recording_.totals.putNs += historyNs;
    recording_.putLatency.add(latencyNs);
    recording_.putHistory.add(historyNs);
    latencies_.push_back(latencyNs);
    histories_.push_back(historyNs);
    if (collected) {
        pause(PauseKind::Inline, historyNs);
    }
}

void Recorder::ack(bool known, Ns historyNs) {
    ++(known ? recording_.totals.acks : recording_.totals.unknownAcks);
    recording_.totals.ackNs += historyNs;
}

void Recorder::gc(PauseKind kind, Ns historyNs) {
    recording_.totals.gcEvents += kind == PauseKind::Event ? 1 : 0;
    recording_.totals.gcNs += historyNs;
    pause(kind, historyNs);
}

void Recorder::pause(PauseKind kind, Ns historyNs) {
    Pauses& pauses = pauses_[static_cast<std::size_t>(kind)];
    ++pauses.count;
    pauses.longestNs = std::max(pauses.longestNs, historyNs);
    pauses.totalNs += historyNs;
    recording_.gcPauses.add(historyNs);
}

void Recorder::sample(std::uint64_t history, std::uint64_t collected, std::uint64_t nacks, std::uint64_t bytes,
                      std::uint64_t backlog) {
    recording_.totals.collected = collected;
    recording_.totals.nacks = nacks;
    recording_.samples.push_back({nextSampleNs_, history, bytes, backlog, statsOf(latencies_, 0.99),
                                  statsOf(histories_, 0.999), pauses_, recording_.totals});
    pauses_ = {};
    latencies_.clear();
    histories_.clear();
    nextSampleNs_ += sampleNs_;
}

}  // namespace replay
