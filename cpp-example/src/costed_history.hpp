// An engine whose every call says what it costs on the run's clock. The dispatcher talks to a history only through this.
//
// Measured costs. The virtual clock advances by what each call really takes, so a hiccup of the machine (another process,
// an interrupt: several hundred a second on a shared one) must not pass for a pause of the library. Three identical passes
// tell them apart. They run in *lockstep*: three instances built alike, every call made on each in turn, the first one's
// time charged unless it is more than 20 us above the shortest of the three. The alternative, to record one pass and repeat
// it, is not sound here: the charged cost decides when the next event is handled, hence what a GC finds expired and in which
// order PUTs and ACKs mix, so the repeated passes would answer for a sequence that the corrected clock no longer produces.
// In lockstep the feedback is exact, and the instances must agree on every answer, which is checked.
//
// The price is memory, three times the history, and that the three push each other out of the caches a little. The second
// is no flaw: in a broker, too, nine microseconds of other work lie between two calls. It hits both engines, and it is the
// same while the other work is calibrated. The first instance is the one charged; it is the coldest of the three.
//
// A call that takes 20 us or less is charged as it is, whatever the other two say: small costs stay honest averages and are
// not the best of three.
#pragma once

#include "engine.hpp"

#include <cstdint>
#include <memory>
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
    const Engine& engine() const override { return *passes_.front(); }

  private:
    template <class Call>
    auto timed(Call call);

    std::vector<std::unique_ptr<Engine>> passes_;
    Ns timerCostNs_;
};

/// What a call that took `firstNs` in the charged pass, and `shortestNs` in the luckiest one, is charged.
Ns chargedCostNs(Ns firstNs, Ns shortestNs, Ns timerCostNs);

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
