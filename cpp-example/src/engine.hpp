// What the replay asks of a history, whichever engine does it. One adapter per engine implements this.
//
// An adapter does what a broker would: a PUT checks for a duplicate and inserts, an ACK names its message by key.
#pragma once

#include "memory_meter.hpp"
#include "message_key.hpp"
#include "scenario.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>

namespace replay {

class EngineError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct PutAnswer {
    bool added;      // false: a duplicate, refused
    bool collected;  // the insert did some collecting of its own, or at least looked for some
};

struct GcAnswer {
    std::uint64_t collected;
    bool more;
};

class Engine {
  public:
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    virtual PutAnswer put(const Key& key, Ns nowNs) = 0;
    /// False when no live message has this key.
    virtual bool ack(const Key& key, Ns nowNs) = 0;
    virtual GcAnswer gc(Ns nowNs, std::uint64_t max) = 0;

    /// Entries held, live and historical.
    virtual std::uint64_t entries() const = 0;
    virtual std::uint64_t collectedTotal() const = 0;

    const MemoryCounts& memory() const { return meter_.counts(); }

  protected:
    MemoryMeter& meter() { return meter_; }

  private:
    MemoryMeter meter_;
};

/// What an operation costs when nothing is measured.
struct FixedCosts {
    Ns putNs;          // duplicate check and insert
    Ns ackNs;          // erase by key
    double collectNs;  // per entry collected
};

/// The costs of `--cost fixed`: round figures from measurements at six million entries on the machine the design used.
FixedCosts typicalCosts(EngineKind kind);

/// `seed` makes two engines of one kind behave alike to the last allocation.
std::unique_ptr<Engine> makeEngine(EngineKind kind, const Policy& policy, Ns windowNs, std::uint64_t seed);

}  // namespace replay
