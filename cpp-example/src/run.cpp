#include "run.hpp"

#include "interrupt.hpp"
#include "prefill.hpp"
#include "producers.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace replay {
namespace {

// Pre-filling a message costs about as much real time as replaying one.
double prefillPart(const Scenario& scenario) {
    if (scenario.start == Start::Cold) {
        return 0.0;
    }
    return toSeconds(scenario.windowNs) / toSeconds(scenario.windowNs + scenario.durationNs);
}

std::unique_ptr<ArrivalSource> arrivalsOf(const Scenario& scenario, const RunSettings& settings,
                                          std::uint64_t firstMessage) {
    if (settings.trace != nullptr) {
        return std::make_unique<TraceArrivals>(*settings.trace);
    }
    if (settings.clock == ClockKind::Real) {
        return std::make_unique<NoArrivals>();
    }
    return std::make_unique<GeneratedPuts>(scenario.ratePerS, firstMessage);
}

std::unique_ptr<EventQueue> queueOf(const Scenario& scenario, ClockKind clock) {
    if (clock == ClockKind::Real) {
        return std::make_unique<SharedQueue>(scenario.queueLimit);
    }
    return std::make_unique<LocalQueue>(scenario.queueLimit);
}

void noteEnd(const Engine& engine, const EventQueue& queue, Recording& recording) {
    recording.memoryAtEnd = engine.memory();
    recording.totals.nacks = queue.nacks();
    recording.totals.collected = engine.collectedTotal();
    recording.endHistory = engine.entries();
    recording.endBacklog = queue.size();
}

}  // namespace

std::unique_ptr<CostedHistory> makeCostedHistory(const Contender& contender, Ns windowNs, const CostSettings& costs,
                                                 unsigned passes) {
    const auto engine = [&] { return makeEngine(contender.engine, contender.policy, windowNs, costs.seed); };
    if (costs.kind == CostKind::Fixed) {
        return std::make_unique<FixedCostHistory>(engine(), costs.fixedFor(contender.engine));
    }
    std::vector<std::unique_ptr<Engine>> engines;
    for (unsigned i = 0; i < passes; ++i) {
        engines.push_back(engine());
    }
    return std::make_unique<MeasuredHistory>(std::move(engines));
}

RunResult replayOnce(const Scenario& scenario, const Contender& contender, const RunSettings& settings,
                     const RunProgress& progress) {
    // Real time cannot be corrected afterwards, so there is nothing to compare with.
    const unsigned passes = settings.clock == ClockKind::Real ? 1 : settings.costs.passes;
    const auto history = makeCostedHistory(contender, scenario.windowNs, settings.costs, passes);
    return replayWith(*history, scenario, contender, settings, progress);
}

RunResult replayWith(CostedHistory& history, const Scenario& scenario, const Contender& contender,
                     const RunSettings& settings, const RunProgress& progress) {
    RunResult result{contender, scenario.start, Stopped::AtEnd, {}};
    const KeySource keys = settings.trace != nullptr ? KeySource(settings.trace->keys) : KeySource();
    const std::uint64_t prefilled = scenario.start == Start::Prefilled ? scenario.idealHistory() : 0;
    const double before = prefillPart(scenario);

    const auto arrivals = arrivalsOf(scenario, settings, prefilled);
    Timeline timeline(scenario, *arrivals);
    prefill(history, scenario, keys, timeline.acks(), prefilled, [&](double part) { progress(part * before); });
    if (interrupted()) {
        result.stopped = Stopped::Interrupted;
        return result;
    }

    const auto queue = queueOf(scenario, settings.clock);
    Recorder recorder(scenario.sampleNs);
    recorder.recording().memoryAtStart = history.engine().memory();
    const auto onSample = [&](Ns atNs) {
        progress(before + (1.0 - before) * toSeconds(atNs) / toSeconds(scenario.durationNs));
    };
    const auto run = [&](RunClock& clock) {
        Dispatcher dispatcher(
            {clock, *queue, timeline, history, recorder, settings.trace == nullptr, settings.traceWriter, onSample},
            contender.policy, keys, settings.otherWorkNs, scenario.idleGc);
        return dispatcher.runUntil(scenario.durationNs, settings.stopAtNack);
    };
    if (settings.clock == ClockKind::Real) {
        RealClock clock;
        const Producers producers(settings.producers, scenario.ratePerS, prefilled, clock.start(), *queue);
        result.stopped = run(clock);
    } else {
        VirtualClock clock;
        result.stopped = run(clock);
    }
    result.recording = std::move(recorder.recording());
    noteEnd(history.engine(), *queue, result.recording);
    return result;
}

}  // namespace replay
