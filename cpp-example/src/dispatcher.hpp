// The broker's dispatcher: takes events from the FIFO one after another and pays for each on the run's clock. The same
// code under both clocks.
#pragma once

#include "arrivals.hpp"
#include "clock.hpp"
#include "costed_history.hpp"
#include "event_queue.hpp"
#include "recorder.hpp"

#include <functional>

namespace replay {

class TraceWriter;

struct DispatcherParts {
    RunClock& clock;
    EventQueue& queue;
    Timeline& timeline;
    CostedHistory& history;
    Recorder& recorder;
    bool acksFollowPuts = true;                    // false: they come by themselves, from a trace
    TraceWriter* traceWriter = nullptr;            // writes down what arrives, if anything should
    std::function<void(Ns)> onSample = [](Ns) {};  // progress
};

enum class Stopped : std::uint8_t { AtEnd, AtNack, Interrupted };

class Dispatcher {
  public:
    Dispatcher(const DispatcherParts& parts, const Policy& policy, const KeySource& keys, Ns otherWorkNs, bool idleGc)
        : parts_(parts), policy_(policy), keys_(keys), otherWorkNs_(otherWorkNs), idleGc_(idleGc) {}

    /// Runs until the clock reaches `endNs`, or the first NACK if `stopAtNack`, or an interrupt.
    Stopped runUntil(Ns endNs, bool stopAtNack);

  private:
    void admitUntil(Ns nowNs);
    void admit(const Event& event);
    void handle(const Event& event);
    void handlePut(const Event& event);
    void handleAck(const Event& event);
    void handleGc();
    void idle(Ns endNs);
    void sample();
    void notePeaks();

    DispatcherParts parts_;
    const Policy& policy_;
    const KeySource& keys_;
    Ns otherWorkNs_;
    Ns endNs_ = 0;
    bool idleGc_;
    bool gcWaiting_ = false;
    std::uint32_t handledSincePeak_ = 0;
};

}  // namespace replay
