// The time of every single operation of a long sequence, kept over several identical passes.
//
// A shared machine interrupts a bare loop hundreds of times a second, so a raw p99.99 is the machine's, not
// the engine's. The sequence is run again from a fresh instance, and the time of operation i is its minimum
// over the passes: what the engine itself does every time stays, what struck once goes. The raw quantiles are
// kept beside.
#pragma once

#include "summary.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

struct Quantiles {
    double p50 = 0;
    double p999 = 0;
    double p9999 = 0;
    double max = 0;
};

class OpTimes {
  public:
    explicit OpTimes(std::uint64_t operations);

    /// One operation of the running pass, in ticks. Four bytes are written; a time too long for them counts
    /// as the longest.
    void record(std::uint64_t ticks) {
        const std::uint64_t cut = ticks > timerCost_ ? ticks - timerCost_ : 0;
        if (at_ < running_.size()) {
            running_[at_] = cut > longest ? longest : static_cast<std::uint32_t>(cut);
        }
        ++at_;
    }

    /// Ends a pass. Throws std::logic_error if it had more or fewer operations than it should.
    void finishPass();

    /// Over the minima; nanoseconds.
    Quantiles best() const;

    /// Of each pass by itself.
    const std::vector<Quantiles>& raw() const { return raw_; }

  private:
    static constexpr std::uint32_t longest = UINT32_MAX;

    std::uint64_t timerCost_;
    std::size_t at_ = 0;
    std::vector<std::uint32_t> running_;
    std::vector<std::uint32_t> minima_;
    std::vector<Quantiles> raw_;
};

}  // namespace bench
