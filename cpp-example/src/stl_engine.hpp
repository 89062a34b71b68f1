// The stand-in for the broker's own map, as an engine of the replay.
#pragma once

#include "engine.hpp"

#include <stand_in.hpp>

#include <array>

namespace replay {

class StlEngine final : public Engine {
  public:
    StlEngine(const Policy& policy, Ns windowNs);

    PutAnswer put(const Key& key, Ns nowNs) override;
    bool ack(const Key& key, Ns nowNs) override;
    GcAnswer gc(Ns nowNs, std::uint64_t max) override;
    std::uint64_t entries() const override;
    std::uint64_t collectedTotal() const override { return collected_; }

  private:
    using Value = std::array<std::uint64_t, 2>;  // what the broker keeps per live message: 16 bytes, as for queuecore

    bool collectsNow() const;

    Policy policy_;
    bool moreToCollect_ = false;
    std::uint64_t collected_ = 0;
    standin::History<Value> history_;
};

}  // namespace replay
