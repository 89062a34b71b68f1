#include "producers.hpp"

#include "arrivals.hpp"

namespace replay {
namespace {

// A thread cannot sleep for ten microseconds with any precision: it wakes this often and offers all that is due.
constexpr Ns wakeEveryNs = 200 * nsPerUs;

}  // namespace

Producers::Producers(unsigned threads, std::uint64_t ratePerS, std::uint64_t firstMessage,
                     RealClock::Machine::time_point start, EventQueue& queue)
    : ratePerS_(ratePerS), firstMessage_(firstMessage), start_(start), queue_(queue) {
    for (unsigned i = 0; i < threads; ++i) {
        threads_.emplace_back([this, i, threads] { produce(i, threads); });
    }
}

Producers::~Producers() {
    // Relaxed: the flag carries no data; the threads' work is handed over by the join.
    stop_.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void Producers::produce(std::uint64_t first, std::uint64_t step) {
    std::uint64_t next = first;
    while (!stop_.load(std::memory_order_relaxed)) {
        const auto nowNs =
            std::chrono::duration_cast<std::chrono::nanoseconds>(RealClock::Machine::now() - start_).count();
        for (Ns dueNs = GeneratedPuts::dueNs(next, ratePerS_); dueNs <= nowNs;
             dueNs = GeneratedPuts::dueNs(next, ratePerS_)) {
            queue_.offerPut({EventKind::Put, dueNs, firstMessage_ + next});
            next += step;
        }
        std::this_thread::sleep_until(start_ + std::chrono::nanoseconds(nowNs + wakeEveryNs));
    }
}

}  // namespace replay
