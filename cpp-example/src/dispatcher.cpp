#include "dispatcher.hpp"

#include "interrupt.hpp"
#include "trace.hpp"

#include <algorithm>

namespace replay {
namespace {

// How often the history's length is looked at for its peak: often enough that no more than 0.02 % of six million
// entries can come and go unseen.
constexpr std::uint32_t eventsPerPeakLook = 1024;
constexpr std::uint64_t idleGcBatch = 1000;

}  // namespace

Stopped Dispatcher::runUntil(Ns endNs, bool stopAtNack) {
    endNs_ = endNs;
    while (parts_.clock.nowNs() < endNs) {
        admitUntil(parts_.clock.nowNs());
        parts_.recorder.recording().drain.backlogIs(parts_.queue.size(), parts_.clock.nowNs());
        if (const auto event = parts_.queue.pop()) {
            handle(*event);
        } else {
            idle(endNs);
        }
        if (interrupted()) {
            return Stopped::Interrupted;
        }
        if (stopAtNack && parts_.queue.nacks() > 0) {
            return Stopped::AtNack;
        }
    }
    admitUntil(endNs);
    return Stopped::AtEnd;
}

// Samples are taken on the way, so that each sees the backlog of its own moment however long the last event took; none
// after the end, however late it is noticed.
void Dispatcher::admitUntil(Ns nowNs) {
    const Ns untilNs = std::min(nowNs, endNs_);
    for (;;) {
        const Ns dueNs = parts_.timeline.nextDueNs();
        const Ns sampleNs = parts_.recorder.nextSampleNs();
        if (std::min(dueNs, sampleNs) > untilNs) {
            return;
        }
        if (sampleNs <= dueNs) {
            sample();
        } else {
            admit(parts_.timeline.pop());
        }
    }
}

void Dispatcher::admit(const Event& event) {
    if (parts_.traceWriter != nullptr) {
        parts_.traceWriter->write(event, keys_);
    }
    if (event.kind == EventKind::Put) {
        parts_.queue.offerPut(event);
        return;
    }
    if (event.kind == EventKind::Gc) {
        if (gcWaiting_) {
            return;
        }
        gcWaiting_ = true;
    }
    parts_.queue.push(event);
}

void Dispatcher::handle(const Event& event) {
    switch (event.kind) {
        case EventKind::Put: handlePut(event); break;
        case EventKind::Ack: handleAck(event); break;
        case EventKind::Gc: handleGc(); break;
        case EventKind::Stall:
            parts_.clock.work(static_cast<Ns>(event.subject));
            parts_.recorder.recording().drain.stallEnded(parts_.clock.nowNs());
            break;
    }
    if (++handledSincePeak_ == eventsPerPeakLook) {
        notePeaks();
    }
}

void Dispatcher::handlePut(const Event& event) {
    const auto [answer, costNs] = parts_.history.put(keys_.keyOf(event.subject), parts_.clock.nowNs());
    parts_.clock.historyTook(costNs);
    parts_.clock.work(otherWorkNs_);
    const Ns handledAtNs = parts_.clock.nowNs();
    parts_.recorder.put(answer.added, handledAtNs - event.atNs, costNs, answer.collected);
    if (answer.added && parts_.acksFollowPuts) {
        parts_.timeline.acks().putHandled(handledAtNs, event.subject);
    }
}

void Dispatcher::handleAck(const Event& event) {
    const auto [known, costNs] = parts_.history.ack(keys_.keyOf(event.subject), parts_.clock.nowNs());
    parts_.clock.historyTook(costNs);
    parts_.recorder.ack(known, costNs);
}

void Dispatcher::handleGc() {
    gcWaiting_ = false;
    const auto [answer, costNs] = parts_.history.gc(parts_.clock.nowNs(), policy_.gcBatch);
    parts_.clock.historyTook(costNs);
    parts_.recorder.gc(PauseKind::Event, costNs);
    if (answer.more && policy_.requeue) {
        // What arrived during this collection stands before the next one, as in the incident.
        admitUntil(parts_.clock.nowNs());
        admit({EventKind::Gc, parts_.clock.nowNs(), 0});
    }
}

void Dispatcher::idle(Ns endNs) {
    if (idleGc_) {
        const auto [answer, costNs] = parts_.history.gc(parts_.clock.nowNs(), idleGcBatch);
        parts_.clock.historyTook(costNs);
        if (answer.collected > 0) {
            parts_.recorder.gc(PauseKind::Idle, costNs);
            return;
        }
    }
    parts_.clock.idleUntil(std::min({parts_.timeline.nextDueNs(), parts_.recorder.nextSampleNs(), endNs}));
}

void Dispatcher::sample() {
    const Engine& engine = parts_.history.engine();
    const Ns atNs = parts_.recorder.nextSampleNs();
    parts_.recorder.sample(engine.entries(), engine.collectedTotal(), parts_.queue.nacks(), engine.memory().bytes,
                           parts_.queue.size());
    notePeaks();
    parts_.onSample(atNs);
}

void Dispatcher::notePeaks() {
    handledSincePeak_ = 0;
    Recording& recording = parts_.recorder.recording();
    recording.peakHistory = std::max(recording.peakHistory, parts_.history.engine().entries());
    recording.peakBacklog = std::max<std::uint64_t>(recording.peakBacklog, parts_.queue.size());
}

}  // namespace replay
