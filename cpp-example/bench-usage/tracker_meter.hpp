// The usage tracker through queuecore.hpp, whose fast path is inlined into the caller.
#pragma once

#include <queuecore.hpp>

#include <cstdint>

namespace bench {

class TrackerMeter {
  public:
    static constexpr const char* engine = "queuecore, C++";

    explicit TrackerMeter(std::uint64_t limitBytes, TrackerMeter* parent = nullptr)
        : tracker_(parent == nullptr
                       ? queuecore::Tracker(queuecore::UsageOptions().limit_bytes(limitBytes))
                       : parent->tracker_.child(queuecore::UsageOptions().share_ppm(1'000'000))) {}

    void increase(std::uint64_t bytes) { tracker_.increase(bytes); }
    void decrease(std::uint64_t bytes) { tracker_.decrease(bytes); }
    std::int32_t percent() const { return tracker_.percent(); }
    bool isFull() const { return tracker_.is_full(); }
    std::int64_t usageBytes() const { return tracker_.usage(); }

  private:
    queuecore::Tracker tracker_;
};

}  // namespace bench
