#include "shadow_pass.hpp"

#include "stopwatch.hpp"

#include <algorithm>
#include <utility>

namespace replay {

bool repeatsAlike(Engine& engine, const Call& call) {
    switch (call.kind) {
        case CallKind::Put: {
            const PutAnswer answer = engine.put(call.key, call.nowNs);
            return answer.added == call.flag && answer.collected == call.secondFlag;
        }
        case CallKind::Ack: return engine.ack(call.key, call.nowNs) == call.flag;
        case CallKind::Gc: {
            const GcAnswer answer = engine.gc(call.nowNs, call.number);
            return answer.more == call.flag && answer.collected == call.count;
        }
    }
    return false;
}

ShadowPass::ShadowPass(std::vector<std::unique_ptr<Engine>> engines)
    : engines_(std::move(engines)), ring_(slots), worker_([this] { work(); }) {}

ShadowPass::~ShadowPass() {
    // Relaxed: the flag carries no data.
    stop_.store(true, std::memory_order_relaxed);
    worker_.join();
}

std::uint64_t ShadowPass::repeat(const Call& call) {
    if (nextNumber_ >= slots) {
        waitUntilDone(nextNumber_ - slots + 1);
    }
    ring_[nextNumber_ % slots].call = call;
    ++nextNumber_;
    // Pairs with the acquire in work(): the worker sees the slot before it sees the number.
    handedOver_.store(nextNumber_, std::memory_order_release);
    return nextNumber_ - 1;
}

Ns ShadowPass::shortestNs(std::uint64_t number) {
    waitUntilDone(number + 1);
    return ring_[number % slots].shortestNs;
}

void ShadowPass::waitUntilDone(std::uint64_t count) {
    // Both acquires pair with the releases in work(): of done_, so that the slot's time is seen and the slot may be
    // filled anew; of failed_, so that the failure itself is seen.
    while (done_.load(std::memory_order_acquire) < count) {
        if (failed_.load(std::memory_order_acquire)) {
            std::rethrow_exception(failure_);
        }
        std::this_thread::yield();
    }
}

void ShadowPass::work() {
    std::uint64_t done = 0;
    try {
        while (!stop_.load(std::memory_order_relaxed)) {
            // Pairs with the release in repeat().
            const std::uint64_t handedOver = handedOver_.load(std::memory_order_acquire);
            if (done == handedOver) {
                std::this_thread::yield();
                continue;
            }
            Slot& slot = ring_[done % slots];
            slot.shortestNs = never;
            Ns beginNs = stopwatchNs();
            for (const auto& engine : engines_) {
                const bool alike = repeatsAlike(*engine, slot.call);
                const Ns endNs = stopwatchNs();
                slot.shortestNs = std::min(slot.shortestNs, endNs - beginNs);
                beginNs = endNs;
                if (!alike) {
                    throw EngineError("two passes of one engine gave different answers to the same call");
                }
            }
            // Pairs with the acquire in waitUntilDone().
            done_.store(++done, std::memory_order_release);
        }
    } catch (...) {
        failure_ = std::current_exception();
        // Pairs with the acquire in waitUntilDone().
        failed_.store(true, std::memory_order_release);
    }
}

}  // namespace replay
