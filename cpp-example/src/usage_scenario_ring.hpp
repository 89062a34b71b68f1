// A FIFO of message sizes from one producer to one consumer, without a lock: what is measured is the meter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace replay {

class SizeRing {
  public:
    /// Room for at least so many.
    explicit SizeRing(std::size_t room) : slots_(powerOfTwo(room)) {}

    /// By the producer; false if it is full.
    bool push(std::uint32_t bytes) {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        if (tail - knownHead_ == slots_.size()) {
            knownHead_ = head_.load(std::memory_order_acquire);
            if (tail - knownHead_ == slots_.size()) {
                return false;
            }
        }
        slots_[tail & (slots_.size() - 1)] = bytes;
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }

    /// By the consumer; none if it is empty.
    std::optional<std::uint32_t> pop() {
        const std::size_t head = head_.load(std::memory_order_relaxed);
        if (head == knownTail_) {
            knownTail_ = tail_.load(std::memory_order_acquire);
            if (head == knownTail_) {
                return std::nullopt;
            }
        }
        const std::uint32_t bytes = slots_[head & (slots_.size() - 1)];
        head_.store(head + 1, std::memory_order_release);
        return bytes;
    }

  private:
    static std::size_t powerOfTwo(std::size_t atLeast) {
        std::size_t size = 1;
        while (size < atLeast) {
            size *= 2;
        }
        return size;
    }

    std::vector<std::uint32_t> slots_;
    alignas(64) std::atomic<std::size_t> tail_{0};
    std::size_t knownHead_ = 0;
    alignas(64) std::atomic<std::size_t> head_{0};
    std::size_t knownTail_ = 0;
};

}  // namespace replay
