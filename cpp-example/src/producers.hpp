// Producer threads for the real clock: together they offer PUTs at the rate, by the clock, whether or not the
// dispatcher keeps up. Started when made, stopped and joined when destroyed.
#pragma once

#include "clock.hpp"
#include "event_queue.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace replay {

class Producers {
  public:
    Producers(unsigned threads, std::uint64_t ratePerS, std::uint64_t firstMessage,
              RealClock::Machine::time_point start, EventQueue& queue);
    Producers(const Producers&) = delete;
    Producers& operator=(const Producers&) = delete;
    ~Producers();

  private:
    void produce(std::uint64_t first, std::uint64_t step);

    std::uint64_t ratePerS_;
    std::uint64_t firstMessage_;
    RealClock::Machine::time_point start_;
    EventQueue& queue_;
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

}  // namespace replay
