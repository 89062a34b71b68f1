// The usage tracker through the C ABI: one call of the library for each step of a message.
#pragma once

#include <queuecore.h>

#include <cstdint>
#include <stdexcept>

namespace bench {

class CMeter {
  public:
    static constexpr const char* engine = "queuecore, C ABI";

    explicit CMeter(std::uint64_t limitBytes, CMeter* parent = nullptr) {
        qc_usage_options options;
        check(qc_usage_options_init(&options, sizeof options));
        if (parent == nullptr) {
            options.limit_bytes = limitBytes;
            check(qc_usage_create(&options, &usage_));
        } else {
            options.share_ppm = 1'000'000;
            check(qc_usage_create_child(parent->usage_, &options, &usage_));
        }
    }
    CMeter(const CMeter&) = delete;
    CMeter& operator=(const CMeter&) = delete;
    ~CMeter() { qc_usage_destroy(usage_, nullptr); }

    void increase(std::uint64_t bytes) { qc_usage_increase(usage_, bytes); }
    void decrease(std::uint64_t bytes) { qc_usage_decrease(usage_, bytes); }

    std::int32_t percent() const {
        std::int32_t percent = 0;
        qc_usage_percent(usage_, &percent);
        return percent;
    }

    bool isFull() const {
        std::uint8_t full = 0;
        qc_usage_is_full(usage_, &full);
        return full != 0;
    }

    std::int64_t usageBytes() const {
        std::int64_t usage = 0;
        check(qc_usage_usage(usage_, &usage));
        return usage;
    }

  private:
    static void check(qc_status status) {
        if (status != QC_OK) {
            throw std::runtime_error(qc_last_error());
        }
    }

    qc_usage* usage_ = nullptr;
};

}  // namespace bench
