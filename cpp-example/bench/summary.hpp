// A figure measured several times: the median, and how far the passes lay apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace bench {

struct Summary {
    double median = 0;
    double low = 0;
    double high = 0;
    std::size_t passes = 0;
};

/// `passes` is not empty.
inline Summary summarize(std::vector<double> passes) {
    std::sort(passes.begin(), passes.end());
    const std::size_t middle = passes.size() / 2;
    const double median = passes.size() % 2 == 1 ? passes[middle] : (passes[middle - 1] + passes[middle]) / 2;
    return {median, passes.front(), passes.back(), passes.size()};
}

/// Round by round, so that a neighbour's burst of work, which both engines meet in the same round, falls out.
inline double medianRatio(const std::vector<double>& over, const std::vector<double>& under) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < std::min(over.size(), under.size()); ++round) {
        ratios.push_back(over[round] / under[round]);
    }
    return summarize(std::move(ratios)).median;
}

}  // namespace bench
