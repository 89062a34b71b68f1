// The library's history, through its C ABI, as an engine of the replay.
#pragma once

#include "engine.hpp"

#include <queuecore.h>

namespace replay {

class QueuecoreEngine final : public Engine {
  public:
    QueuecoreEngine(const Policy& policy, Ns windowNs, std::uint64_t seed);
    ~QueuecoreEngine() override;

    PutAnswer put(const Key& key, Ns nowNs) override;
    bool ack(const Key& key, Ns nowNs) override;
    GcAnswer gc(Ns nowNs, std::uint64_t max) override;
    std::uint64_t entries() const override;
    std::uint64_t collectedTotal() const override;

  private:
    struct qc_history_stats stats() const;  // "struct": there is a function of that name too

    bool alwaysCollects_;
    bool onDemand_;
    bool moreToCollect_ = false;
    qc_history* history_ = nullptr;
};

}  // namespace replay
