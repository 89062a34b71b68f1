// A distribution of durations from a nanosecond to a quarter of an hour, with 1 % wide bins (Boost.Histogram) and exact
// ends.
#pragma once

#include "units.hpp"

#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/storage_adaptor.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace replay {

class DurationHistogram {
  public:
    void add(Ns durationNs) {
        bins_(static_cast<double>(std::max<Ns>(durationNs, 1)));
        shortestNs_ = std::min(shortestNs_, durationNs);
        longestNs_ = std::max(longestNs_, durationNs);
        ++count_;
    }

    std::uint64_t count() const { return count_; }
    Ns longestNs() const { return longestNs_; }

    /// The duration that `percent` of all values do not exceed, rounded up to its bin's end. Only if count() > 0.
    double percentileNs(double percent) const {
        const double wanted = std::max(1.0, std::ceil(percent / 100.0 * static_cast<double>(count_)));
        if (percent >= 100.0 || wanted >= static_cast<double>(count_)) {
            return static_cast<double>(longestNs_);
        }
        double seen = 0.0;
        for (int bin = 0; bin < bins_.axis().size(); ++bin) {
            seen += static_cast<double>(bins_.at(bin));
            if (seen >= wanted) {
                return std::clamp(bins_.axis().bin(bin).upper(), static_cast<double>(shortestNs_),
                                  static_cast<double>(longestNs_));
            }
        }
        return static_cast<double>(longestNs_);
    }

  private:
    using Axis = boost::histogram::axis::regular<double, boost::histogram::axis::transform::log>;
    using Storage = boost::histogram::dense_storage<std::uint64_t>;

    static constexpr int binCount = 2800;
    static constexpr double longestBinNs = 1e12;

    boost::histogram::histogram<std::tuple<Axis>, Storage> bins_{std::make_tuple(Axis(binCount, 1.0, longestBinNs)),
                                                                 Storage()};
    Ns shortestNs_ = never;
    Ns longestNs_ = 0;
    std::uint64_t count_ = 0;
};

}  // namespace replay
