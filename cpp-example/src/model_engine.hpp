// A history reduced to the insert times of its entries: what a policy would collect and when, without any key or table.
//
// The capacity search predicts with it, at a price list, where to measure. It never gives a verdict. Messages are taken
// to be distinct and acknowledged within their window, as the generated ones are.
#pragma once

#include "engine.hpp"

#include <deque>
#include <utility>

namespace replay {

class ModelEngine final : public Engine {
  public:
    ModelEngine(Policy policy, Ns windowNs) : policy_(std::move(policy)), windowNs_(windowNs) {}

    PutAnswer put(const Key& /*key*/, Ns nowNs) override {
        const bool collects = policy_.insertCollects == InsertCollects::Always || moreToCollect_;
        if (collects) {
            gc(nowNs, policy_.insertBatch);
        }
        insertedAtNs_.push_back(nowNs);
        return {true, collects};
    }

    bool ack(const Key& /*key*/, Ns /*nowNs*/) override { return true; }

    GcAnswer gc(Ns nowNs, std::uint64_t max) override {
        std::uint64_t count = 0;
        while (count < max && anyExpired(nowNs)) {
            insertedAtNs_.pop_front();
            ++count;
        }
        collected_ += count;
        const bool more = anyExpired(nowNs);
        moreToCollect_ = more && policy_.insertCollects == InsertCollects::OnDemand;
        return {count, more};
    }

    std::uint64_t entries() const override { return insertedAtNs_.size(); }
    std::uint64_t collectedTotal() const override { return collected_; }

  private:
    bool anyExpired(Ns nowNs) const { return !insertedAtNs_.empty() && insertedAtNs_.front() + windowNs_ <= nowNs; }

    Policy policy_;
    Ns windowNs_;
    std::deque<Ns> insertedAtNs_;
    bool moreToCollect_ = false;
    std::uint64_t collected_ = 0;
};

}  // namespace replay
