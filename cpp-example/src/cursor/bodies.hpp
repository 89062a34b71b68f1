// The bodies of messages that are in memory: slots of one size in chunks, which a number leads to. For one thread.
//
// A body tells which message it is of: its first and its last eight bytes are made from the message's sequence, so that
// whoever gets one can see that it is whole and the right one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace replay {

/// The smallest body: room for both of its numbers.
constexpr std::size_t leastBodyBytes = 16;

inline std::uint64_t bodyMark(std::uint64_t sequence) { return sequence * 0x9e3779b97f4a7c15U + 1; }

/// Makes `body` that of a message.
inline void writeBody(std::byte* body, std::size_t bytes, std::uint64_t sequence) {
    const std::uint64_t mark = bodyMark(sequence);
    std::memcpy(body, &sequence, sizeof sequence);
    std::memcpy(body + bytes - sizeof mark, &mark, sizeof mark);
}

/// Whether `body` is that of a message.
inline bool isBodyOf(const std::byte* body, std::size_t bytes, std::uint64_t sequence) {
    std::uint64_t first = 0;
    std::uint64_t mark = 0;
    std::memcpy(&first, body, sizeof first);
    std::memcpy(&mark, body + bytes - sizeof mark, sizeof mark);
    return first == sequence && mark == bodyMark(sequence);
}

class BodyPool {
  public:
    /// No slot has this number.
    static constexpr std::uint64_t none = 0;

    explicit BodyPool(std::size_t bodyBytes) : bodyBytes_(bodyBytes) {
        if (bodyBytes < leastBodyBytes) {
            throw std::invalid_argument("a body has at least 16 bytes");
        }
    }

    std::size_t bodyBytes() const { return bodyBytes_; }
    std::uint64_t inUse() const { return inUse_; }

    /// A slot with any content. Throws std::bad_alloc.
    std::uint64_t take() {
        if (unused_.empty()) {
            grow();
        }
        const std::uint64_t slot = unused_.back();
        unused_.pop_back();
        ++inUse_;
        return slot;
    }

    /// There is room for every slot in the list: it cannot fail.
    void giveBack(std::uint64_t slot) noexcept {
        unused_.push_back(slot);
        --inUse_;
    }

    std::byte* at(std::uint64_t slot) {
        const std::uint64_t index = slot - 1;
        return chunks_[index / chunkSlots].get() + index % chunkSlots * bodyBytes_;
    }

  private:
    static constexpr std::uint64_t chunkSlots = 256;

    void grow() {
        chunks_.push_back(std::make_unique<std::byte[]>(chunkSlots * bodyBytes_));
        const std::uint64_t first = (chunks_.size() - 1) * chunkSlots + 1;
        unused_.reserve(chunks_.size() * chunkSlots);
        for (std::uint64_t slot = first + chunkSlots; slot-- > first;) {
            unused_.push_back(slot);
        }
    }

    const std::size_t bodyBytes_;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::vector<std::uint64_t> unused_;
    std::uint64_t inUse_ = 0;
};

}  // namespace replay
