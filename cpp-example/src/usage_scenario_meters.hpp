// What producers and consumers do with a limit, and four ways to do it.
#pragma once

#include "usage_scenario.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace replay {

/// A limit that producers are held to. Every call may be made by any thread.
class SpaceMeter {
  public:
    SpaceMeter() = default;
    SpaceMeter(const SpaceMeter&) = delete;
    SpaceMeter& operator=(const SpaceMeter&) = delete;
    virtual ~SpaceMeter() = default;

    /// Counts the message unless there is no space now.
    virtual bool takeAtOnce(std::uint64_t bytes) = 0;
    /// Waits for space, then counts it. False, and nothing counted, once stopped.
    virtual bool takeWaiting(std::uint64_t bytes) = 0;
    virtual void giveBack(std::uint64_t bytes) = 0;
    /// Ends all waits, and lets none begin.
    virtual void stop() = 0;
    virtual std::int64_t usageBytes() const = 0;
    /// How often a waiter woke up, if the meter knows.
    virtual std::optional<std::uint64_t> wakeUps() const { return std::nullopt; }
};

std::unique_ptr<SpaceMeter> makeMeter(MeterKind kind, const UsageScenario& scenario);

}  // namespace replay
