// What the stand-in's tests share: keys from numbers, and a short window in round numbers.
#pragma once

#include "stand_in.hpp"

#include <cstdint>
#include <cstring>

namespace standin_tests {

constexpr std::int64_t windowNs = 1000;

inline standin::Guid guid(std::uint64_t number) {
    standin::Guid key{};
    const std::uint64_t spread = number * 0x9e3779b97f4a7c15U;
    std::memcpy(key.bytes, &number, sizeof number);
    std::memcpy(key.bytes + sizeof number, &spread, sizeof spread);
    return key;
}

inline standin::Options options() {
    standin::Options chosen;
    chosen.windowNs = windowNs;
    return chosen;
}

}  // namespace standin_tests
