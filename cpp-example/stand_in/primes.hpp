// The bucket counts of the chained table: primes, each about twice the one before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace standin {

inline bool isPrime(std::uint64_t n) {
    if (n < 2 || n % 2 == 0) {
        return n == 2;
    }
    for (std::uint64_t divisor = 3; divisor * divisor <= n; divisor += 2) {
        if (n % divisor == 0) {
            return false;
        }
    }
    return true;
}

/// The smallest prime that is not below `n`. Trial division: 50 us at 40 million, once in a full rehash of a
/// second.
inline std::uint64_t primeAtLeast(std::uint64_t n) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 40U;
    if (n > limit) {
        throw std::length_error("stand-in: no bucket count that large");
    }
    while (!isPrime(n)) {
        ++n;
    }
    return n;
}

}  // namespace standin
