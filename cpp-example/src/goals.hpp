// The limits that the incident's figures are held against, in the form in which every benchmark of the project writes
// them.
#pragma once

#include "capacity.hpp"
#include "summary.hpp"

#include <optional>
#include <string>
#include <vector>

namespace replay {

struct Goal {
    std::string name;
    std::string op;  // ">", ">=" or "<="
    double limit;
    std::optional<double> value;  // none: measured, and there is no such value (a backlog that never drained)

    bool met() const;
};

/// Only the goals whose contenders are among the pre-filled rows, or had their capacity found.
std::vector<Goal> goalsOf(const std::vector<Row>& rows, const std::vector<CapacityResult>& capacities);

/// Puts each contender's capacity, and its relation to scheduled-1000/stl, beside its rows.
void addCapacities(const std::vector<CapacityResult>& capacities, std::vector<Row>& rows);

/// Of `capacity` to that of scheduled-1000/stl, if both are known.
std::optional<double> relativeCapacity(const CapacityResult& capacity, const std::vector<CapacityResult>& all);

}  // namespace replay
