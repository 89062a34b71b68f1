#include "op_times.hpp"

#include "timer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench {
namespace {

/// The smallest time that at least `share` of all operations do not exceed. Reorders `times`.
double quantile(std::vector<std::uint32_t>& times, double share) {
    const double rank = std::ceil(share * static_cast<double>(times.size()));
    const auto index = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(times.begin(), times.begin() + index, times.end());
    return static_cast<double>(times[static_cast<std::size_t>(index)]) * nsPerTick();
}

Quantiles quantiles(std::vector<std::uint32_t> times) {
    return {quantile(times, 0.5), quantile(times, 0.999), quantile(times, 0.9999), quantile(times, 1.0)};
}

}  // namespace

OpTimes::OpTimes(std::uint64_t operations)
    : timerCost_(timerCostTicks()), running_(operations, 0), minima_(operations, longest) {}

void OpTimes::finishPass() {
    if (at_ != running_.size()) {
        throw std::logic_error("a pass of the wrong length");
    }
    for (std::size_t i = 0; i < running_.size(); ++i) {
        minima_[i] = std::min(minima_[i], running_[i]);
    }
    raw_.push_back(quantiles(running_));
    at_ = 0;
}

Quantiles OpTimes::best() const { return quantiles(minima_); }

}  // namespace bench
