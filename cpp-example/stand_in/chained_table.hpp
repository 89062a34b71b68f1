// The hash table: an array of a prime number of buckets, each the head of a singly linked chain of nodes.
//
//     buckets   [ 0 ]--> oldest --> newer --> null
//               [ 1 ]--> null
//               [...]
//
// New nodes go to the end of their chain (a probe that misses has just walked there), so the collector, which
// takes the oldest, finds its victim first. When nodes outnumber buckets the array is replaced by one twice
// as large and every node is put into it anew, in one go: the stop-the-world rehash of the incident.
#pragma once

#include "guid.hpp"
#include "memory_source.hpp"
#include "node.hpp"
#include "primes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace standin {

template <class Value, class Hash>
class ChainedTable {
  public:
    using NodeType = Node<Value>;

    ChainedTable(CountingAllocator& memory, Hash hash) : memory_(memory), hash_(hash) {
        bucketCount_ = primeAtLeast(firstBuckets);
        buckets_ = newBuckets(bucketCount_);
    }
    ChainedTable(const ChainedTable&) = delete;
    ChainedTable& operator=(const ChainedTable&) = delete;
    ~ChainedTable() { releaseBuckets(buckets_, bucketCount_); }

    /// The pointer that leads to the node of this key, or the empty end of the chain where it would go. Valid
    /// until the next change of the table.
    NodeType** slotOf(const Guid& key) const {
        NodeType** slot = bucketOf(key);
        while (*slot != nullptr && (*slot)->key != key) {
            slot = &(*slot)->chainNext;
        }
        return slot;
    }

    /// `node` is in the table.
    void remove(const NodeType* node) {
        NodeType** slot = bucketOf(node->key);
        while (*slot != node) {
            slot = &(*slot)->chainNext;
        }
        *slot = node->chainNext;
    }

    std::uint64_t bucketCount() const { return bucketCount_; }

    /// Doubles the bucket array and chains every node anew, from the newest to the oldest. Throws
    /// std::bad_alloc with the table as it was.
    void grow(NodeType* newest) {
        const std::uint64_t newCount = primeAtLeast(2 * bucketCount_);
        NodeType** fresh = newBuckets(newCount);
        releaseBuckets(buckets_, bucketCount_);
        buckets_ = fresh;
        bucketCount_ = newCount;
        for (NodeType* node = newest; node != nullptr; node = node->older) {
            NodeType** bucket = bucketOf(node->key);
            node->chainNext = *bucket;
            *bucket = node;
        }
    }

    void forgetAll() { std::fill_n(buckets_, bucketCount_, nullptr); }

  private:
    // Doubling from here leads close to the incumbent's own large sizes (5.3, 10.6 and 21.2 million buckets),
    // so that both are as full as each other at 1, 6 and 20 million entries.
    static constexpr std::uint64_t firstBuckets = 83;

    NodeType** bucketOf(const Guid& key) const { return buckets_ + hash_(key) % bucketCount_; }

    NodeType** newBuckets(std::uint64_t count) {
        void* block = memory_.allocate(count * sizeof(NodeType*), alignof(NodeType*));
        auto** buckets = static_cast<NodeType**>(block);
        std::fill_n(buckets, count, nullptr);
        return buckets;
    }

    void releaseBuckets(NodeType** buckets, std::uint64_t count) {
        memory_.release(buckets, count * sizeof(NodeType*), alignof(NodeType*));
    }

    CountingAllocator& memory_;
    Hash hash_;
    NodeType** buckets_ = nullptr;
    std::uint64_t bucketCount_ = 0;
};

}  // namespace standin
