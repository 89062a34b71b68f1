// One message, live or historical: its key and value, when it came, and its two places (hash chain, insertion
// order).
#pragma once

#include "guid.hpp"

#include <cstdint>
#include <utility>

namespace standin {

enum class State : std::uint8_t {
    Live,
    LiveExpired,  // live, but the collector has already gone past it: gone at once when erased
    Historical,
};

template <class Value>
struct Node {
    Node(const Guid& guid, Value&& held, std::int64_t inserted_at_ns)
        : key(guid), insertedAtNs(inserted_at_ns), value(std::move(held)) {}

    // A probe reads these two, so they stand together.
    Node* chainNext = nullptr;
    Guid key;
    std::int64_t insertedAtNs;
    Node* older = nullptr;
    Node* newer = nullptr;
    Value value;  // held until the node is collected, not until the message is erased
    State state = State::Live;
};

}  // namespace standin
