// How long the backlog of a stall lasts: from the end of the stall until the FIFO is within ten messages of empty.
#pragma once

#include "units.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace replay {

class DrainWatch {
  public:
    static constexpr std::size_t emptyEnough = 10;

    void stallEnded(Ns nowNs) {
        anyStall_ = true;
        if (!openSinceNs_) {
            openSinceNs_ = nowNs;
        }
    }

    void backlogIs(std::size_t events, Ns nowNs) {
        if (openSinceNs_ && events <= emptyEnough) {
            worstNs_ = std::max(worstNs_, nowNs - *openSinceNs_);
            openSinceNs_.reset();
        }
    }

    bool anyStall() const { return anyStall_; }
    /// The longest of all stalls; none when there was no stall, or when one's backlog is still there.
    std::optional<Ns> drainNs() const {
        return anyStall_ && !openSinceNs_ ? std::optional<Ns>(worstNs_) : std::nullopt;
    }

  private:
    bool anyStall_ = false;
    std::optional<Ns> openSinceNs_;
    Ns worstNs_ = 0;
};

}  // namespace replay
