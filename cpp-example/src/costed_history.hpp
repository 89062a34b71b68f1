// An engine whose every call says what it costs on the run's clock. The dispatcher talks to a history only through
// this.
//
// Measured costs. The virtual clock advances by what each call really takes, so a hiccup of the machine (another
// process, an interrupt: several hundred a second on a shared one) must not pass for a pause of the library. Three
// identical passes tell them apart: three instances built alike get every call in the same order. The first one is
// charged, unless it took more than 2 us above the shortest of the three; then that much is charged.
//
// The passes run side by side, the first one here and the others a few calls behind on a second thread (`ShadowPass`).
// The alternative, to record one pass and repeat it later, is not sound: what a call is charged decides when the next
// event is handled, hence what a GC finds expired and in which order PUTs and ACKs mix, so the later passes would
// answer for a sequence that the corrected clock no longer produces. Side by side the feedback is exact, and the passes
// must agree on every answer, which is checked. The price is memory, three times the history.
//
// A call that takes 2 us or less is charged as it is, since it cannot be more than 2 us above anything: small costs
// are honest averages and not the best of three. And for such a call nobody has to wait for the other passes.
#pragma once

#include "engine.hpp"
#include "shadow_pass.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace replay {

template <class Answer>
struct Charged {
    Answer answer;
    Ns costNs;
};

class CostedHistory {
  public:
    CostedHistory() = default;
    CostedHistory(const CostedHistory&) = delete;
    CostedHistory& operator=(const CostedHistory&) = delete;
    virtual ~CostedHistory() = default;

    virtual Charged<PutAnswer> put(const Key& key, Ns nowNs) = 0;
    virtual Charged<bool> ack(const Key& key, Ns nowNs) = 0;
    virtual Charged<GcAnswer> gc(Ns nowNs, std::uint64_t max) = 0;

    /// The engine whose answers and memory count.
    virtual const Engine& engine() const = 0;
};

class MeasuredHistory final : public CostedHistory {
  public:
    /// Engines built alike, at least one. With a single one nothing is corrected.
    explicit MeasuredHistory(std::vector<std::unique_ptr<Engine>> passes);

    Charged<PutAnswer> put(const Key& key, Ns nowNs) override;
    Charged<bool> ack(const Key& key, Ns nowNs) override;
    Charged<GcAnswer> gc(Ns nowNs, std::uint64_t max) override;
    const Engine& engine() const override { return *first_; }

  private:
    Ns charge(const Call& call, Ns tookNs);

    std::unique_ptr<Engine> first_;
    std::vector<std::unique_ptr<ShadowPass>> others_;
    Ns stopwatchCostNs_;
};

/// What a call that took `firstNs` in the charged pass, and `shortestNs` in the luckiest one, is charged.
Ns chargedCostNs(Ns firstNs, Ns shortestNs);

/// Costs from a price list: the same on every machine and in every run.
class FixedCostHistory final : public CostedHistory {
  public:
    FixedCostHistory(std::unique_ptr<Engine> engine, FixedCosts costs) : engine_(std::move(engine)), costs_(costs) {}

    Charged<PutAnswer> put(const Key& key, Ns nowNs) override;
    Charged<bool> ack(const Key& key, Ns nowNs) override;
    Charged<GcAnswer> gc(Ns nowNs, std::uint64_t max) override;
    const Engine& engine() const override { return *engine_; }

  private:
    Ns collectingSince(std::uint64_t collectedBefore) const;

    std::unique_ptr<Engine> engine_;
    FixedCosts costs_;
};

}  // namespace replay
