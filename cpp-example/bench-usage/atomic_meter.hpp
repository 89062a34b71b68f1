// One atomic per meter and a published percent: what the change proposed to the Java broker is in C++, and the same as
// the engine `atomic` of benches/usage. A change adds to each level and compares the percent with the published one;
// only if it moved, it takes the level's lock and publishes until what is published is what is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace bench {

class AtomicMeter {
  public:
    static constexpr const char* engine = "C++ std::atomic";

    explicit AtomicMeter(std::uint64_t limitBytes, AtomicMeter* parent = nullptr)
        : limit_(static_cast<std::int64_t>(limitBytes)), parent_(parent) {}

    void increase(std::uint64_t bytes) { addToPath(static_cast<std::int64_t>(bytes)); }
    void decrease(std::uint64_t bytes) { addToPath(-static_cast<std::int64_t>(bytes)); }
    std::int32_t percent() const { return percent_.load(std::memory_order_acquire); }

    bool isFull() const {
        for (const AtomicMeter* meter = this; meter != nullptr; meter = meter->parent_) {
            if (meter->percent() >= 100) {
                return true;
            }
        }
        return false;
    }

    std::int64_t usageBytes() const { return usage_.load(); }

  private:
    void addToPath(std::int64_t bytes) {
        for (AtomicMeter* meter = this; meter != nullptr; meter = meter->parent_) {
            meter->add(bytes);
        }
    }

    void add(std::int64_t bytes) {
        const std::int64_t usage = usage_.fetch_add(bytes) + bytes;
        if (percentOf(usage) != percent_.load()) {
            publish();
        }
    }

    std::int32_t percentOf(std::int64_t usage) const { return static_cast<std::int32_t>(usage * 100 / limit_); }

#if defined(__GNUC__)
    __attribute__((cold, noinline))
#endif
    void publish() {
        const std::lock_guard<std::mutex> held(publishing_);
        do {
            percent_.store(percentOf(usage_.load()));
        } while (percentOf(usage_.load()) != percent_.load());
    }

    alignas(64) std::atomic<std::int32_t> percent_{0};
    std::int64_t limit_;
    AtomicMeter* parent_;
    alignas(64) std::atomic<std::int64_t> usage_{0};
    alignas(64) std::mutex publishing_;
};

}  // namespace bench
