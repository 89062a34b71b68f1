#include "goals.hpp"

#include <algorithm>

namespace replay {
namespace {

const char* const incumbent = "scheduled-1000/stl";
const char* const inlineOne = "inline-1000/stl";
const char* const ours = "steady/queuecore";

std::optional<std::uint64_t> capacityOf(const std::string& name, const std::vector<CapacityResult>& all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.contender.name() == name; });
    return found != all.end() ? found->capacityPerS : std::nullopt;
}

const Row* prefilledRow(const std::string& name, const std::vector<Row>& rows) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
        return row.contender.name() == name && row.start == Start::Prefilled;
    });
    return found != rows.end() ? &*found : nullptr;
}

std::optional<double> quotient(std::optional<std::uint64_t> part, std::optional<std::uint64_t> whole) {
    if (!part || !whole) {
        return std::nullopt;
    }
    return static_cast<double>(*part) / static_cast<double>(*whole);
}

}  // namespace

bool Goal::met() const {
    if (!value) {
        return false;
    }
    if (op == "<=") {
        return *value <= limit;
    }
    return op == ">" ? *value > limit : *value >= limit;
}

std::vector<Goal> goalsOf(const std::vector<Row>& rows, const std::vector<CapacityResult>& capacities) {
    std::vector<Goal> goals;
    if (const Row* row = prefilledRow(incumbent, rows)) {
        goals.push_back({"peak_ratio_scheduled", ">", 3.0, row->peakRatio});
    }
    if (const Row* row = prefilledRow(ours, rows)) {
        goals.push_back({"peak_ratio_steady", "<=", 1.02, row->peakRatio});
        if (row->anyStall) {
            goals.push_back({"backlog_drain_s", "<=", 10.0, row->backlogDrainS});
        }
        goals.push_back({"worst_pause_us", "<=", 100.0, row->putUsMax});
        goals.push_back({"put_p999_us", "<=", 2.0, row->putUs999});
        goals.push_back({"bytes_per_ideal_entry", "<=", 35.0, row->bytesPerIdealEntry});
    }
    const auto steady = capacityOf(ours, capacities);
    if (const auto relative = quotient(steady, capacityOf(incumbent, capacities))) {
        goals.push_back({"capacity_ratio", ">=", 1.125, relative});
    }
    if (const auto relative = quotient(steady, capacityOf(inlineOne, capacities))) {
        goals.push_back({"capacity_ratio_vs_inline", ">=", 1.015, relative});
    }
    return goals;
}

std::optional<double> relativeCapacity(const CapacityResult& capacity, const std::vector<CapacityResult>& all) {
    return quotient(capacity.capacityPerS, capacityOf(incumbent, all));
}

void addCapacities(const std::vector<CapacityResult>& capacities, std::vector<Row>& rows) {
    for (Row& row : rows) {
        for (const CapacityResult& capacity : capacities) {
            if (capacity.contender.name() == row.contender.name()) {
                row.capacityPerS = capacity.capacityPerS;
                row.capacityRelative = relativeCapacity(capacity, capacities);
            }
        }
    }
}

}  // namespace replay
