// Finds the highest rate that holds, to a given precision, from a guess: steps away from it, wider each time, until one
// rate held and one did not, then halves what lies between.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace replay {

class RateSearch {
  public:
    /// `guess`: not 0. `precision`: the search ends once the lowest failing rate is within this part of the highest
    /// that holds.
    RateSearch(std::uint64_t guess, double precision) : guess_(guess), precision_(precision) {}

    /// The rate to try next; none when the search is over.
    std::optional<std::uint64_t> next() const {
        if (tries_ == 0) {
            return guess_;
        }
        const auto holds = static_cast<double>(holds_);
        const auto fails = static_cast<double>(fails_);
        if (fails_ == 0) {
            return rounded(holds * stride());
        }
        if (holds_ == 0) {
            const std::uint64_t lower = rounded(fails / stride());
            return lower == 0 || lower == fails_ ? std::nullopt : std::optional<std::uint64_t>(lower);
        }
        // Rates are whole numbers, hence the one less.
        const bool closeEnough = (fails - 1.0) / holds - 1.0 <= precision_;
        return closeEnough ? std::nullopt : std::optional<std::uint64_t>(rounded(std::sqrt(holds * fails)));
    }

    void tried(std::uint64_t rate, bool held) {
        (held ? holds_ : fails_) = rate;
        ++tries_;
    }

    std::optional<std::uint64_t> highestThatHolds() const { return known(holds_); }
    std::optional<std::uint64_t> lowestThatFails() const { return known(fails_); }

  private:
    static std::uint64_t rounded(double rate) { return static_cast<std::uint64_t>(std::llround(rate)); }
    static std::optional<std::uint64_t> known(std::uint64_t rate) {
        return rate == 0 ? std::nullopt : std::optional<std::uint64_t>(rate);
    }

    double stride() const { return 1.0 + precision_ * std::exp2(tries_ - 1); }

    std::uint64_t guess_;
    double precision_;
    int tries_ = 0;
    std::uint64_t holds_ = 0;  // 0: none yet
    std::uint64_t fails_ = 0;
};

}  // namespace replay
