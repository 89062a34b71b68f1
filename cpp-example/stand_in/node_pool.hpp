// The pool of nodes: memory comes in chunks, a freed node goes on a free list, and no chunk goes back before
// the pool dies.
//
// That is why the incumbent's memory stays at its peak after everything has been collected. A chunk is handed
// out from its start as nodes are asked for, so its pages are touched only when they are needed.
#pragma once

#include "memory_source.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace standin {

template <class T>
class NodePool {
  public:
    explicit NodePool(CountingAllocator& memory) : memory_(memory) {}
    NodePool(const NodePool&) = delete;
    NodePool& operator=(const NodePool&) = delete;

    /// The caller has destroyed every node it made.
    ~NodePool() {
        while (chunks_ != nullptr) {
            Chunk* next = chunks_->next;
            memory_.release(chunks_, chunkBytes(chunks_->capacity), alignof(Chunk));
            chunks_ = next;
        }
    }

    template <class... Args>
    T* make(Args&&... args) {
        if (free_ == nullptr && bump_ == bumpEnd_) {
            addChunk();
        }
        Slot* slot = free_;
        if (slot != nullptr) {
            free_ = slot->nextFree;
        } else {
            slot = bump_++;
        }
        return new (slot) T(std::forward<Args>(args)...);
    }

    void destroy(T* node) {
        node->~T();
        Slot* slot = reinterpret_cast<Slot*>(node);
        slot->nextFree = free_;
        free_ = slot;
    }

  private:
    union Slot {
        Slot* nextFree;
        alignas(T) unsigned char bytes[sizeof(T)];
    };

    struct alignas(Slot) Chunk {
        Chunk* next;
        std::size_t capacity;
        Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
    };

    static constexpr std::size_t firstCapacity = 16;
    static constexpr std::size_t lastCapacity = 16384;

    static std::size_t chunkBytes(std::size_t capacity) { return sizeof(Chunk) + capacity * sizeof(Slot); }

    void addChunk() {
        const std::size_t capacity =
            chunks_ == nullptr ? firstCapacity : std::min(chunks_->capacity * 2, lastCapacity);
        void* block = memory_.allocate(chunkBytes(capacity), alignof(Chunk));
        chunks_ = new (block) Chunk{chunks_, capacity};
        bump_ = chunks_->slots();
        bumpEnd_ = bump_ + capacity;
    }

    CountingAllocator& memory_;
    Chunk* chunks_ = nullptr;
    Slot* free_ = nullptr;
    Slot* bump_ = nullptr;
    Slot* bumpEnd_ = nullptr;
};

}  // namespace standin
