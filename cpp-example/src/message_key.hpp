// The 16-byte GUID of a message.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace replay {

using Key = std::array<std::uint8_t, 16>;

/// Turns a message's number into its key: computed, or looked up where a trace names them.
class KeySource {
  public:
    /// Generated keys: no two numbers share one, and the bits look random, as a broker's GUIDs do.
    KeySource() = default;
    explicit KeySource(const std::vector<Key>& recorded) : recorded_(&recorded) {}

    Key keyOf(std::uint64_t message) const {
        if (recorded_ != nullptr) {
            return (*recorded_)[message];
        }
        const std::uint64_t halves[2] = {scramble(message), scramble(message ^ 0x6a09e667f3bcc908U)};
        Key key;
        static_assert(sizeof halves == sizeof key);
        std::memcpy(key.data(), halves, sizeof halves);
        return key;
    }

  private:
    /// The finaliser of splitmix64: one to one, so different messages keep different keys.
    static std::uint64_t scramble(std::uint64_t x) {
        x += 0x9e3779b97f4a7c15U;
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31U);
    }

    const std::vector<Key>* recorded_ = nullptr;
};

}  // namespace replay
