// queuecore as the bench drives it: through the C ABI of the shared library, 16-byte values, the steady
// policy.
#pragma once

#include "memory_hooks.hpp"

#include <queuecore.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace bench {

class QueuecoreEngine {
  public:
    using Key = qc_key;
    using Handle = qc_entry;
    static constexpr const char* name = "queuecore";
    static constexpr std::size_t batchSize = 64;

    explicit QueuecoreEngine(std::int64_t windowNs, const MemoryHooks& hooks = {}) {
        qc_history_options options;
        require(qc_history_options_init(&options, sizeof options));
        options.value_size = sizeof(Value);
        options.window_ns = windowNs;
        options.seed = 0x5eed;  // so that every pass of a tail measurement sees the same table
        options.alloc = hooks.allocate;
        options.free = hooks.release;
        options.alloc_ctx = hooks.ctx;
        require(qc_history_create(&options, &history_));
    }
    QueuecoreEngine(const QueuecoreEngine&) = delete;
    QueuecoreEngine& operator=(const QueuecoreEngine&) = delete;
    ~QueuecoreEngine() { qc_history_destroy(history_); }

    Handle insert(const Key& key, std::uint64_t number, std::int64_t nowNs) {
        const Value value{number, number};
        qc_insert_result result;
        require(qc_history_insert(history_, &key, &value, sizeof value, nowNs, nowNs, &result));
        requireAdded(result);
        return result.entry;
    }

    bool isKnown(const Key& key, std::int64_t nowNs) {
        std::uint32_t presence = QC_LIVE;
        require(qc_history_contains(history_, &key, nowNs, &presence));
        return presence != QC_ABSENT;
    }

    void erase(Handle handle, std::int64_t nowNs) {
        require(qc_history_erase(history_, handle, nowNs, nullptr));
    }

    /// The steady policy needs no asking.
    void collectSoon() {}

    /// True while there is more to collect.
    bool collect(std::int64_t nowNs, std::uint64_t max) {
        qc_gc_result result;
        require(qc_history_gc(history_, nowNs, max, &result));
        return result.more != 0;
    }

    /// Adds `batchSize` keys whose values are `number` and up, and puts their handles into `handles`.
    void insertBatch(const Key* keys, std::uint64_t number, std::int64_t nowNs, Handle* handles) {
        std::array<Value, batchSize> values;
        for (std::size_t i = 0; i < batchSize; ++i) {
            values[i] = {number + i, number + i};
        }
        std::array<qc_insert_result, batchSize> results;
        std::size_t done = 0;
        require(qc_history_insert_batch(history_, keys, values.data(), nullptr, batchSize, nowNs,
                                        results.data(), &done));
        for (std::size_t i = 0; i < batchSize; ++i) {
            requireAdded(results[i]);
            handles[i] = results[i].entry;
        }
    }

    void eraseBatch(const Handle* handles, std::int64_t nowNs) {
        std::size_t done = 0;
        require(qc_history_erase_batch(history_, handles, batchSize, nowNs, nullptr, &done));
    }

    /// How many of `batchSize` keys are known.
    std::uint64_t countKnown(const Key* keys, std::int64_t nowNs) {
        std::array<std::uint32_t, batchSize> presences;
        require(qc_history_contains_batch(history_, keys, batchSize, nowNs, presences.data()));
        std::uint64_t known = 0;
        for (const std::uint32_t presence : presences) {
            known += presence != QC_ABSENT ? 1U : 0U;
        }
        return known;
    }

    std::uint64_t entries() {
        const struct qc_history_stats now = stats();
        return now.live_len + now.history_len;
    }
    std::uint64_t bytesInUse() { return stats().bytes_in_use; }
    std::uint64_t bytesPeak() { return stats().bytes_peak; }
    std::uint64_t maxEntriesMoved() { return stats().max_entries_moved_per_call; }

  private:
    using Value = std::array<std::uint64_t, 2>;

    static void require(qc_status status) {
        if (status != QC_OK) {
            throw std::runtime_error(std::string("queuecore: ") + qc_status_string(status) + ": " +
                                     qc_last_error());
        }
    }

    static void requireAdded(const qc_insert_result& result) {
        if (result.outcome != QC_ADDED) {
            throw std::logic_error("queuecore: a fresh key was refused");
        }
    }

    struct qc_history_stats stats() {
        struct qc_history_stats filled {};
        filled.struct_size = sizeof filled;
        require(::qc_history_stats(history_, &filled));
        return filled;
    }

    qc_history* history_ = nullptr;
};

}  // namespace bench
