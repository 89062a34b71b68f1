#include "queuecore_engine.hpp"

#include <cstring>
#include <string>

namespace replay {
namespace {

constexpr std::uint32_t valueSize = 16;  // what the broker keeps per live message, as for the stand-in

void check(qc_status status, const char* call) {
    if (status != QC_OK) {
        throw EngineError(std::string(call) + ": " + qc_status_string(status) + ": " + qc_last_error());
    }
}

qc_key toKey(const Key& key) {
    qc_key converted;
    static_assert(sizeof converted == sizeof key);
    std::memcpy(&converted, key.data(), sizeof converted);
    return converted;
}

std::uint32_t gcPolicyOf(InsertCollects collects) {
    switch (collects) {
        case InsertCollects::Nothing: return QC_GC_SCHEDULED;
        case InsertCollects::OnDemand: return QC_GC_ON_DEMAND;
        case InsertCollects::Always: return QC_GC_STEADY;
    }
    throw EngineError("unknown policy");
}

}  // namespace

QueuecoreEngine::QueuecoreEngine(const Policy& policy, Ns windowNs, std::uint64_t seed)
    : alwaysCollects_(policy.insertCollects == InsertCollects::Always),
      onDemand_(policy.insertCollects == InsertCollects::OnDemand) {
    qc_history_options options;
    check(qc_history_options_init(&options, sizeof options), "qc_history_options_init");
    options.window_ns = windowNs;
    options.value_size = valueSize;
    options.gc_policy = gcPolicyOf(policy.insertCollects);
    options.gc_step = static_cast<std::uint32_t>(policy.insertBatch);
    options.max_clock_step_ns = 0;  // a run may pre-fill any span, and its clock is the replay's own
    options.seed = seed;
    options.alloc = &MemoryMeter::allocate;
    options.free = &MemoryMeter::release;
    options.alloc_ctx = &meter();
    check(qc_history_create(&options, &history_), "qc_history_create");
}

QueuecoreEngine::~QueuecoreEngine() { qc_history_destroy(history_); }

PutAnswer QueuecoreEngine::put(const Key& key, Ns nowNs) {
    const qc_key converted = toKey(key);
    const std::uint64_t value[2] = {0, 0};
    qc_insert_result result;
    check(qc_history_insert(history_, &converted, value, sizeof value, nowNs, nowNs, &result), "qc_history_insert");
    // On demand, the library collects until nothing is left and does not say when that is: a PUT counts as a collecting
    // one until the next tick finds the history in order.
    return {result.outcome == QC_ADDED, alwaysCollects_ || moreToCollect_};
}

bool QueuecoreEngine::ack(const Key& key, Ns nowNs) {
    const qc_key converted = toKey(key);
    const qc_status status = qc_history_erase_key(history_, &converted, nowNs, nullptr);
    if (status == QC_ERR_NOT_FOUND) {
        return false;
    }
    check(status, "qc_history_erase_key");
    return true;
}

GcAnswer QueuecoreEngine::gc(Ns nowNs, std::uint64_t max) {
    qc_gc_result result;
    check(qc_history_gc(history_, nowNs, max, &result), "qc_history_gc");
    moreToCollect_ = onDemand_ && result.more != 0;
    return {result.collected, result.more != 0};
}

struct qc_history_stats QueuecoreEngine::stats() const {
    struct qc_history_stats stats;
    std::memset(&stats, 0, sizeof stats);
    stats.struct_size = sizeof stats;
    check(qc_history_stats(history_, &stats), "qc_history_stats");
    return stats;
}

std::uint64_t QueuecoreEngine::entries() const {
    std::uint64_t live = 0;
    std::uint64_t historical = 0;
    check(qc_history_live_len(history_, &live), "qc_history_live_len");
    check(qc_history_history_len(history_, &historical), "qc_history_history_len");
    return live + historical;
}

std::uint64_t QueuecoreEngine::collectedTotal() const { return stats().collected_total; }

}  // namespace replay
