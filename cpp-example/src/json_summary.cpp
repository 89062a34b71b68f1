#include "json_summary.hpp"

#include "machine.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace replay {
namespace {

using Json = nlohmann::ordered_json;

constexpr int formatVersion = 1;

template <class T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json configOf(const Report& report) {
    const Scenario& scenario = report.scenario;
    Json stalls = Json::array();
    for (const Span& stall : scenario.stalls) {
        stalls.push_back(toSeconds(stall.startNs));
    }
    return {
        {"preset", report.preset},
        {"as_specified", report.asSpecified},
        {"clock", report.settings.clock == ClockKind::Virtual ? "virtual" : "real"},
        {"cost", report.settings.costs.kind == CostKind::Measured ? "measured" : "fixed"},
        {"passes", report.settings.costs.passes},
        {"rate_per_s", scenario.ratePerS},
        {"capacity_per_s", scenario.capacityPerS},
        {"window_s", toSeconds(scenario.windowNs)},
        {"duration_s", toSeconds(scenario.durationNs)},
        {"stall_at_s", stalls},
        {"stall_s", scenario.stalls.empty() ? 0.0 : toSeconds(scenario.stalls.front().durationNs)},
        {"ack_delay_ms", toSeconds(scenario.ackDelayNs) * 1e3},
        {"gc_interval_s", toSeconds(scenario.gcIntervalNs)},
        {"queue_limit", scenario.queueLimit},
        {"ttl_s", toSeconds(scenario.ttlNs)},
        {"ack_outage_s", scenario.ackOutage ? Json::array({toSeconds(scenario.ackOutage->startNs),
                                                           toSeconds(scenario.ackOutage->durationNs)})
                                            : Json(nullptr)},
        {"idle_gc", scenario.idleGc},
        {"trace", report.tracePath.empty() ? Json(nullptr) : Json(report.tracePath)},
        {"sample_ms", toSeconds(scenario.sampleNs) * 1e3},
    };
}

Json allocationsOf(const Row& row) {
    const MemoryCounts& now = row.memoryAtEnd;
    const MemoryCounts& then = row.memoryAtStart;
    const auto change = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b);
    };
    return {{"bytes", now.bytes},
            {"bytes_delta", change(now.bytes, then.bytes)},
            {"peak_bytes", now.peakBytes},
            {"peak_delta", change(now.peakBytes, then.peakBytes)},
            {"allocations", now.allocations},
            {"allocations_delta", change(now.allocations, then.allocations)},
            {"deallocations", now.deallocations},
            {"deallocations_delta", change(now.deallocations, then.deallocations)}};
}

Json rowOf(const Row& row) {
    return {
        {"run", row.contender.name()},
        {"policy", row.contender.policy.name},
        {"engine", row.contender.engineName()},
        {"start", startName(row.start)},
        {"interrupted", row.interrupted},
        {"ideal_history", row.idealHistory},
        {"peak_history", row.peakHistory},
        {"end_history", row.endHistory},
        {"peak_ratio", row.peakRatio},
        {"growth_per_s", row.growthPerS},
        {"growing_at_end", row.growingAtEnd},
        {"puts", row.totals.puts},
        {"acks", row.totals.acks},
        {"nacks", row.totals.nacks},
        {"duplicates", row.totals.duplicates},
        {"unknown_acks", row.totals.unknownAcks},
        {"gc_events", row.totals.gcEvents},
        {"collected", row.totals.collected},
        {"backlog_drain_s", orNull(row.backlogDrainS)},
        {"backlog_peak", row.peakBacklog},
        {"backlog_end", row.endBacklog},
        {"worst_pause_us", orNull(row.putUsMax)},
        {"put_p50_us", orNull(row.putUs50)},
        {"put_p99_us", orNull(row.putUs99)},
        {"put_p999_us", orNull(row.putUs999)},
        {"put_p9999_us", orNull(row.putUs9999)},
        {"put_latency_p50_us", orNull(row.latencyUs50)},
        {"put_latency_p99_us", orNull(row.latencyUs99)},
        {"put_latency_p999_us", orNull(row.latencyUs999)},
        {"put_latency_max_us", orNull(row.latencyUsMax)},
        {"gc_worst_pause_us", orNull(row.gcUsMax)},
        {"history_ns_per_message", row.historyNsPerMessage},
        {"peak_bytes", row.memoryAtEnd.peakBytes},
        {"bytes_per_ideal_entry", row.bytesPerIdealEntry},
        {"allocations", allocationsOf(row)},
        {"capacity_per_s", orNull(row.capacityPerS)},
        {"capacity_relative", orNull(row.capacityRelative)},
    };
}

Json calibrationOf(const Report& report) {
    Json calibration{{"other_work_ns", report.settings.otherWorkNs}};
    if (report.standInCosts) {
        calibration["standin_ns_per_message"] = report.standInCosts->perMessageNs();
        calibration["standin_put_ns"] = report.standInCosts->putNs;
        calibration["standin_ack_ns"] = report.standInCosts->ackNs;
        calibration["standin_collect_ns_per_entry"] = report.standInCosts->collectNs;
    }
    return calibration;
}

Json capacitiesOf(const Report& report) {
    Json capacities = Json::array();
    for (const CapacityResult& capacity : report.capacities) {
        capacities.push_back({{"run", capacity.contender.name()},
                              {"capacity_per_s", orNull(capacity.capacityPerS)},
                              {"first_failing_per_s", orNull(capacity.firstFailingPerS)},
                              {"relative", orNull(relativeCapacity(capacity, report.capacities))},
                              {"measured_runs", capacity.measuredRuns()}});
    }
    return capacities;
}

Json machineOf() {
    Json machine = Json::object();
    for (const auto& [name, text] : machineFacts()) {
        machine[name] = text;
    }
    return machine;
}

}  // namespace

void writeSummary(const Report& report, std::ostream& out) {
    Json summary{{"format", formatVersion},
                 {"command", report.command},
                 {"interrupted", report.interrupted},
                 {"config", configOf(report)},
                 {"calibration", calibrationOf(report)},
                 {"rows", Json::array()},
                 {"capacity", capacitiesOf(report)},
                 {"goals", Json::array()}};
    // With fixed costs the file is the same on every machine.
    if (report.settings.costs.kind == CostKind::Measured) {
        summary["machine"] = machineOf();
    }
    for (const Row& row : report.rows) {
        summary["rows"].push_back(rowOf(row));
    }
    for (const Goal& goal : report.goals) {
        summary["goals"].push_back(
            {{"name", goal.name}, {"op", goal.op}, {"limit", goal.limit}, {"value", orNull(goal.value)}});
    }
    out << summary.dump(1) << '\n';
}

}  // namespace replay
