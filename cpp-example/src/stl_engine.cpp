#include "stl_engine.hpp"

#include <cstdlib>
#include <cstring>

namespace replay {
namespace {

standin::Guid toGuid(const Key& key) {
    standin::Guid guid;
    static_assert(sizeof guid == sizeof key);
    std::memcpy(&guid, key.data(), sizeof guid);
    return guid;
}

}  // namespace

StlEngine::StlEngine(const Policy& policy, Ns windowNs)
    : policy_(policy), history_([this, windowNs] {
          standin::Options options;
          options.windowNs = windowNs;
          options.memory = {&MemoryMeter::allocate, &MemoryMeter::release, &meter()};
          return options;
      }()) {}

// The stand-in can collect on insert by itself; it is done from here instead so that the entries collected can be
// counted and `steady` can be tried on it too. The calls are the same.
bool StlEngine::collectsNow() const {
    return policy_.insertCollects == InsertCollects::Always ||
           (policy_.insertCollects == InsertCollects::OnDemand && moreToCollect_);
}

PutAnswer StlEngine::put(const Key& key, Ns nowNs) {
    const standin::Guid guid = toGuid(key);
    const bool collects = collectsNow();
    if (collects) {
        gc(nowNs, policy_.insertBatch);
    }
    if (history_.isInHistory(guid)) {
        return {false, collects};
    }
    return {history_.insert(guid, Value{}, nowNs).added, collects};
}

bool StlEngine::ack(const Key& key, Ns nowNs) {
    const auto handle = history_.find(toGuid(key));
    if (handle == nullptr) {
        return false;
    }
    history_.erase(handle, nowNs);
    return true;
}

GcAnswer StlEngine::gc(Ns nowNs, std::uint64_t max) {
    const std::int64_t visited = history_.gc(nowNs, max);
    moreToCollect_ = visited < 0;
    const auto collected = static_cast<std::uint64_t>(std::llabs(visited));
    collected_ += collected;
    return {collected, moreToCollect_};
}

std::uint64_t StlEngine::entries() const { return history_.size() + history_.historySize(); }

}  // namespace replay
