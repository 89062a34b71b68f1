// One contender, one run: builds the engine and everything around it, pre-fills, replays, and hands back the recording.
#pragma once

#include "costed_history.hpp"
#include "dispatcher.hpp"
#include "recorder.hpp"
#include "scenario.hpp"
#include "trace.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace replay {

struct CostSettings {
    CostKind kind = CostKind::Measured;
    unsigned passes = 3;
    FixedCosts queuecore = typicalCosts(EngineKind::Queuecore);
    FixedCosts stl = typicalCosts(EngineKind::Stl);
    std::uint64_t seed = 1;  // not 0, which would be another one in each pass and each run

    const FixedCosts& fixedFor(EngineKind kind_) const { return kind_ == EngineKind::Queuecore ? queuecore : stl; }
};

struct RunSettings {
    ClockKind clock = ClockKind::Virtual;
    CostSettings costs;
    Ns otherWorkNs = 0;
    unsigned producers = 2;        // real clock only
    const Trace* trace = nullptr;  // instead of generated messages
    TraceWriter* traceWriter = nullptr;
    bool stopAtNack = false;
};

struct RunResult {
    Contender contender;
    Start start;
    Stopped stopped = Stopped::AtEnd;
    Recording recording;

    bool interrupted() const { return stopped == Stopped::Interrupted; }
};

/// Called with 0..1, the part of the run that is done.
using RunProgress = std::function<void(double)>;

/// May throw EngineError and std::bad_alloc.
RunResult replayOnce(const Scenario& scenario, const Contender& contender, const RunSettings& settings,
                     const RunProgress& progress);

/// The same with a history of the caller's choice; `history` is used up.
RunResult replayWith(CostedHistory& history, const Scenario& scenario, const Contender& contender,
                     const RunSettings& settings, const RunProgress& progress);

std::unique_ptr<CostedHistory> makeCostedHistory(const Contender& contender, Ns windowNs, const CostSettings& costs,
                                                 unsigned passes);

}  // namespace replay
