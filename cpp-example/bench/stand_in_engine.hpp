// The stand-in as the bench drives it: 16-byte values, collection of 1000 inside an insert whenever a tick
// has asked for it.
#pragma once

#include "memory_hooks.hpp"

#include <stand_in.hpp>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace bench {

class StandInEngine {
  public:
    using Key = standin::Guid;
    using Handle = standin::History<std::array<std::uint64_t, 2>>::Handle;
    static constexpr const char* name = "stand-in";

    explicit StandInEngine(std::int64_t windowNs, const MemoryHooks& hooks = {})
        : history_(options(windowNs, hooks)) {}

    Handle insert(const Key& key, std::uint64_t number, std::int64_t nowNs) {
        const auto inserted = history_.insert(key, {number, number}, nowNs);
        if (!inserted.added) {
            throw std::logic_error("stand-in: a fresh key was refused");
        }
        return inserted.handle;
    }

    bool isKnown(const Key& key, std::int64_t) { return history_.isInHistory(key); }
    void erase(Handle handle, std::int64_t nowNs) { history_.erase(handle, nowNs); }
    void collectSoon() { history_.requireGc(); }

    /// True while there is more to collect.
    bool collect(std::int64_t nowNs, std::uint64_t max) { return history_.gc(nowNs, max) < 0; }

    std::uint64_t entries() { return history_.size() + history_.historySize(); }
    std::uint64_t bytesInUse() { return history_.bytesInUse(); }
    std::uint64_t bytesPeak() { return history_.bytesPeak(); }

  private:
    static standin::Options options(std::int64_t windowNs, const MemoryHooks& hooks) {
        standin::Options chosen;
        chosen.windowNs = windowNs;
        chosen.gcOnInsert = true;
        if (hooks.allocate != nullptr) {
            chosen.memory = {hooks.allocate, hooks.release, hooks.ctx};
        }
        return chosen;
    }

    standin::History<std::array<std::uint64_t, 2>> history_;
};

}  // namespace bench
