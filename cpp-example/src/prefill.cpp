#include "prefill.hpp"

#include "interrupt.hpp"

namespace replay {
namespace {

constexpr std::uint64_t messagesPerLook = 65'536;

}  // namespace

void prefill(CostedHistory& history, const Scenario& scenario, const KeySource& keys, AckSchedule& acks,
             std::uint64_t count, const std::function<void(double)>& progress) {
    const auto insertedAtNs = [&](std::uint64_t message) {
        return GeneratedPuts::dueNs(message, scenario.ratePerS) - scenario.windowNs;
    };
    std::uint64_t acked = 0;
    const auto ackUntil = [&](Ns nowNs, std::uint64_t inserted) {
        for (; acked < inserted && acks.dueNs(insertedAtNs(acked)) <= nowNs; ++acked) {
            history.ack(keys.keyOf(acked), nowNs);
        }
    };
    for (std::uint64_t message = 0; message < count; ++message) {
        const Ns nowNs = insertedAtNs(message);
        ackUntil(nowNs, message);
        history.put(keys.keyOf(message), nowNs);
        if (message % messagesPerLook == 0) {
            if (interrupted()) {
                return;
            }
            progress(static_cast<double>(message) / static_cast<double>(count));
        }
    }
    ackUntil(0, count);
    for (; acked < count; ++acked) {
        acks.putHandled(insertedAtNs(acked), acked);
    }
}

}  // namespace replay
