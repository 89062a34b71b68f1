// What waits in the dispatcher's FIFO.
#pragma once

#include "units.hpp"

#include <cstdint>

namespace replay {

enum class EventKind : std::uint8_t {
    Put,    // a producer's message; `subject` names it
    Ack,    // the consumer is done with a message; `subject` names it
    Gc,     // collect a batch of the history
    Stall,  // the dispatcher is busy elsewhere (a rollover, say) for `subject` nanoseconds
};

struct Event {
    EventKind kind;
    Ns atNs;  // when it came to the FIFO
    std::uint64_t subject;
};

}  // namespace replay
