// The stand-in for the incumbent: an ordered hash map of messages that keeps erased ones as history, for
// de-duplication.
//
// It is the algorithm of the broker in the incident, written afresh: separate chaining over a prime number of
// buckets with a full rehash beyond load 1, one list in insertion order that holds live and historical nodes
// alike, a node pool that never shrinks, values kept until their node is collected, collection in batches
// from the oldest end. It is here to be measured and replayed against; do not use it in a broker.
//
// One thread at a time. Times are the caller's clock in nanoseconds and do not run backwards.
#pragma once

#include "chained_table.hpp"
#include "guid.hpp"
#include "insertion_order.hpp"
#include "memory_source.hpp"
#include "node.hpp"
#include "node_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace standin {

struct Options {
    /// How long a key is remembered, from its insert. An entry is expired once now >= inserted_at + window.
    std::int64_t windowNs = 300'000'000'000;
    /// Alternative 2 of the incident: once a gc stops at its limit (or `requireGc` is called), every insert
    /// collects a batch, until a batch finds nothing more.
    bool gcOnInsert = false;
    std::size_t insertBatch = 1000;
    MemorySource memory = defaultMemory();
};

template <class Value, class Hash = GuidHash>
class History {
    using NodeType = Node<Value>;

  public:
    /// Valid until the entry is erased.
    using Handle = NodeType*;

    struct Inserted {
        Handle handle;  // the new node, or the live one with the same key
        bool added;
    };

    explicit History(const Options& options = {}, Hash hash = Hash())
        : options_(options), memory_(options.memory), pool_(memory_), table_(memory_, hash) {}
    History(const History&) = delete;
    History& operator=(const History&) = delete;
    ~History() { destroyNodes(); }

    /// Adds the key, or finds it live and changes nothing. A historical key becomes live again, newest in the
    /// order: who must not accept a duplicate asks `isInHistory` first. May throw std::bad_alloc, with
    /// nothing added.
    Inserted insert(const Guid& key, Value value, std::int64_t insertedAtNs) {
        if (requireGc_ && options_.gcOnInsert) {
            gc(insertedAtNs, options_.insertBatch);
        }
        NodeType** slot = table_.slotOf(key);
        if (*slot != nullptr) {
            return reviveOrRefuse(*slot, std::move(value), insertedAtNs);
        }
        if (liveSize_ + historySize_ == table_.bucketCount()) {
            table_.grow(order_.newest());
            slot = table_.slotOf(key);
        }
        NodeType* node = pool_.make(key, std::move(value), insertedAtNs);
        *slot = node;
        append(node);
        return {node, true};
    }

    /// The live entry with this key, or null.
    Handle find(const Guid& key) const {
        NodeType* node = *table_.slotOf(key);
        return node != nullptr && node->state != State::Historical ? node : nullptr;
    }

    /// Whether the key is held as history: until it is collected, be it expired or not.
    bool isInHistory(const Guid& key) const {
        const NodeType* node = *table_.slotOf(key);
        return node != nullptr && node->state == State::Historical;
    }

    /// The live entry becomes historical, or is gone at once if its window is over.
    void erase(Handle handle, std::int64_t nowNs) {
        --liveSize_;
        if (handle->state == State::LiveExpired || isExpired(handle, nowNs)) {
            discard(handle);
        } else {
            handle->state = State::Historical;
            ++historySize_;
        }
    }

    /// Visits up to `batch` expired entries from the oldest on: historical ones are removed, live ones passed
    /// over. Returns how many it visited: positive or 0 when it is done, negative when it stopped at the
    /// limit and there are more.
    std::int64_t gc(std::int64_t nowNs, std::size_t batch) {
        std::size_t visited = 0;
        while (nextToVisit_ != nullptr && isExpired(nextToVisit_, nowNs)) {
            if (visited == batch) {
                requireGc_ = true;
                return -static_cast<std::int64_t>(visited);
            }
            visitExpired();
            ++visited;
        }
        requireGc_ = false;
        return static_cast<std::int64_t>(visited);
    }

    /// With `gcOnInsert`: the next insert collects a batch.
    void requireGc() { requireGc_ = true; }

    /// Forgets every entry. The nodes stay in the pool, the buckets as many as they are.
    void clear() {
        destroyNodes();
        table_.forgetAll();
        order_.forgetAll();
        nextToVisit_ = nullptr;
        liveSize_ = historySize_ = 0;
        requireGc_ = false;
    }

    std::size_t size() const { return liveSize_; }
    std::size_t historySize() const { return historySize_; }

    std::uint64_t bytesInUse() const { return memory_.counts().bytesInUse; }
    std::uint64_t bytesPeak() const { return memory_.counts().bytesPeak; }
    std::uint64_t allocations() const { return memory_.counts().allocations; }
    std::uint64_t deallocations() const { return memory_.counts().deallocations; }

  private:
    bool isExpired(const NodeType* node, std::int64_t nowNs) const {
        return nowNs >= node->insertedAtNs + options_.windowNs;
    }

    Inserted reviveOrRefuse(NodeType* node, Value&& value, std::int64_t insertedAtNs) {
        if (node->state != State::Historical) {
            return {node, false};
        }
        leaveOrder(node);
        --historySize_;
        node->value = std::move(value);
        node->insertedAtNs = insertedAtNs;
        node->state = State::Live;
        append(node);
        return {node, true};
    }

    void append(NodeType* node) {
        order_.append(node);
        ++liveSize_;
        if (nextToVisit_ == nullptr) {
            nextToVisit_ = node;
        }
    }

    void leaveOrder(NodeType* node) {
        if (nextToVisit_ == node) {
            nextToVisit_ = node->newer;
        }
        order_.remove(node);
    }

    void discard(NodeType* node) {
        leaveOrder(node);
        table_.remove(node);
        pool_.destroy(node);
    }

    void visitExpired() {
        NodeType* node = nextToVisit_;
        if (node->state == State::Historical) {
            discard(node);
            --historySize_;
        } else {
            node->state = State::LiveExpired;
            nextToVisit_ = node->newer;
        }
    }

    void destroyNodes() {
        for (NodeType* node = order_.oldest(); node != nullptr;) {
            NodeType* next = node->newer;
            pool_.destroy(node);
            node = next;
        }
    }

    Options options_;
    CountingAllocator memory_;
    NodePool<NodeType> pool_;
    ChainedTable<Value, Hash> table_;
    InsertionOrder<NodeType> order_;
    NodeType* nextToVisit_ = nullptr;  // the oldest node the collector has not visited
    std::size_t liveSize_ = 0;
    std::size_t historySize_ = 0;
    bool requireGc_ = false;
};

}  // namespace standin
