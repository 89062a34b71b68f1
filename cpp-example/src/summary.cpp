#include "summary.hpp"

#include <algorithm>

namespace replay {
namespace {

constexpr Ns growthSpanNs = 30 * nsPerSecond;
// A history in order moves by the entries of one GC interval at most; the incident's grows by nearly its whole rate.
constexpr double growingPartOfRate = 0.05;

std::optional<double> percentileUs(const DurationHistogram& durations, double percent) {
    if (durations.count() == 0) {
        return std::nullopt;
    }
    return toMicros(durations.percentileNs(percent));
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

IdealHistory::IdealHistory(const Scenario& scenario, const Trace* trace)
    : windowNs_(scenario.windowNs), largest_(scenario.idealHistory()) {
    if (trace == nullptr) {
        return;
    }
    for (const Event& event : trace->events) {
        if (event.kind == EventKind::Put) {
            putsAtNs_.push_back(event.atNs);
        }
    }
    largest_ = 0;
    for (const Ns atNs : putsAtNs_) {
        largest_ = std::max(largest_, at(atNs));
    }
}

std::uint64_t IdealHistory::at(Ns atNs) const {
    if (putsAtNs_.empty()) {
        return largest_;
    }
    const auto from = std::upper_bound(putsAtNs_.begin(), putsAtNs_.end(), atNs - windowNs_);
    const auto to = std::upper_bound(from, putsAtNs_.end(), atNs);
    return static_cast<std::uint64_t>(to - from);
}

double growthPerS(const std::vector<Sample>& samples, Ns spanNs) {
    if (samples.size() < 2) {
        return 0.0;
    }
    const Sample& last = samples.back();
    auto from = std::lower_bound(samples.begin(), samples.end(), last.atNs - spanNs,
                                 [](const Sample& sample, Ns atNs) { return sample.atNs < atNs; });
    from = std::min(from, samples.end() - 2);
    return (static_cast<double>(last.history) - static_cast<double>(from->history)) / toSeconds(last.atNs - from->atNs);
}

Row summarise(const RunResult& run, const Scenario& scenario, const Trace* trace) {
    const Recording& recording = run.recording;
    const std::uint64_t ideal = IdealHistory(scenario, trace).largest();
    const auto drainNs = recording.drain.drainNs();
    const double growth = growthPerS(recording.samples, growthSpanNs);
    Row row{};
    row.contender = run.contender;
    row.start = run.start;
    row.interrupted = run.interrupted();
    row.idealHistory = ideal;
    row.peakHistory = recording.peakHistory;
    row.endHistory = recording.endHistory;
    row.peakRatio = ratio(recording.peakHistory, ideal);
    row.growthPerS = growth;
    row.growingAtEnd = growth >= growingPartOfRate * static_cast<double>(scenario.ratePerS);
    row.totals = recording.totals;
    row.anyStall = recording.drain.anyStall();
    row.backlogDrainS = drainNs ? std::optional<double>(toSeconds(*drainNs)) : std::nullopt;
    row.peakBacklog = recording.peakBacklog;
    row.endBacklog = recording.endBacklog;
    row.putUs50 = percentileUs(recording.putHistory, 50.0);
    row.putUs99 = percentileUs(recording.putHistory, 99.0);
    row.putUs999 = percentileUs(recording.putHistory, 99.9);
    row.putUs9999 = percentileUs(recording.putHistory, 99.99);
    row.putUsMax = percentileUs(recording.putHistory, 100.0);
    row.latencyUs50 = percentileUs(recording.putLatency, 50.0);
    row.latencyUs99 = percentileUs(recording.putLatency, 99.0);
    row.latencyUs999 = percentileUs(recording.putLatency, 99.9);
    row.latencyUsMax = percentileUs(recording.putLatency, 100.0);
    row.gcUsMax = percentileUs(recording.gcPauses, 100.0);
    const std::uint64_t messages = recording.totals.puts + recording.totals.duplicates;
    row.historyNsPerMessage =
        messages == 0 ? 0.0 : static_cast<double>(recording.totals.historyNs()) / static_cast<double>(messages);
    row.memoryAtStart = recording.memoryAtStart;
    row.memoryAtEnd = recording.memoryAtEnd;
    row.bytesPerIdealEntry = ratio(recording.memoryAtEnd.peakBytes, ideal);
    return row;
}

}  // namespace replay
