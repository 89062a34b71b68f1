// The key: a 16-byte message GUID, and the hash the stand-in uses for it.
//
// GUIDs are already close to random, so one folded 128-bit multiplication is enough; it costs about two
// nanoseconds. It is not keyed: whoever chooses the GUIDs can choose collisions, as in the broker this stands
// in for.
#pragma once

#include <cstdint>
#include <cstring>

namespace standin {

struct Guid {
    std::uint8_t bytes[16];
};

struct GuidHalves {
    std::uint64_t low;
    std::uint64_t high;
};

inline GuidHalves halves(const Guid& guid) {
    GuidHalves parts;
    std::memcpy(&parts, guid.bytes, sizeof parts);
    return parts;
}

inline bool operator==(const Guid& a, const Guid& b) {
    const GuidHalves left = halves(a);
    const GuidHalves right = halves(b);
    return ((left.low ^ right.low) | (left.high ^ right.high)) == 0;
}

inline bool operator!=(const Guid& a, const Guid& b) { return !(a == b); }

struct GuidHash {
    std::uint64_t operator()(const Guid& guid) const {
        __extension__ using Wide = unsigned __int128;
        const GuidHalves parts = halves(guid);
        const Wide product =
            static_cast<Wide>(parts.low ^ 0x9e3779b97f4a7c15U) * (parts.high ^ 0xd1b54a32d192ed03U);
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
    }
};

}  // namespace standin
