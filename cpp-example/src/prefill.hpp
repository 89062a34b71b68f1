// Fills a history with what a broker in a steady state would hold at the start of a run, at no charge.
#pragma once

#include "arrivals.hpp"
#include "costed_history.hpp"
#include "message_key.hpp"
#include "scenario.hpp"

#include <cstdint>
#include <functional>

namespace replay {

/// Messages 0 .. count-1, one window's worth, evenly spread up to time 0. Each is acknowledged in its turn; those whose
/// ACK is due after 0 stay live, and their ACKs are put into `acks`. Stops early on an interrupt.
void prefill(CostedHistory& history, const Scenario& scenario, const KeySource& keys, AckSchedule& acks,
             std::uint64_t count, const std::function<void(double)>& progress);

}  // namespace replay
