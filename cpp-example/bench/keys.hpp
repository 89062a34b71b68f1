// Message GUIDs: the same random-looking, never repeating ones for both engines, made outside the timed part.
//
// GUID number n is two rounds of a bijective 64-bit mix over a counter, so no table of keys is kept and none
// repeats inside a window. They are made a small block at a time, as a network buffer would hand them over:
// 16 KiB, which fits beside whatever the engines keep in the nearest caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bench {

constexpr std::size_t keyBlock = 1024;

/// The finalizer of splitmix64.
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

/// `Key` is any type with 16 `bytes`.
template <class Key>
void makeKey(std::uint64_t number, Key& key) {
    const std::array<std::uint64_t, 2> halves{mix(number + 0x9e3779b97f4a7c15U), mix(~number)};
    static_assert(sizeof key.bytes == sizeof halves);
    std::memcpy(key.bytes, halves.data(), sizeof halves);
}

/// Numbers of keys that no message ever had.
constexpr std::uint64_t firstAbsent = std::uint64_t{1} << 60U;

}  // namespace bench
