// Where the stand-in's memory comes from, and the books kept over it.
//
// `MemorySource` is the pair of callbacks a host may pass in (the same shape as the library's own allocator
// callbacks, so that one pool can serve both engines). `CountingAllocator` draws from it and counts every
// byte; only the stand-in's own files use it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace standin {

struct MemorySource {
    void* (*allocate)(void* ctx, std::size_t size, std::size_t align);
    void (*release)(void* ctx, void* block, std::size_t size, std::size_t align);
    void* ctx;
};

/// The process's own heap.
inline MemorySource defaultMemory() {
    return {[](void*, std::size_t size, std::size_t align) -> void* {
                if (align <= alignof(std::max_align_t)) {
                    return std::malloc(size);
                }
                return std::aligned_alloc(align, (size + align - 1) / align * align);
            },
            [](void*, void* block, std::size_t, std::size_t) { std::free(block); }, nullptr};
}

struct MemoryCounts {
    std::uint64_t bytesInUse = 0;
    std::uint64_t bytesPeak = 0;
    std::uint64_t allocations = 0;
    std::uint64_t deallocations = 0;
};

class CountingAllocator {
  public:
    explicit CountingAllocator(MemorySource source) : source_(source) {}

    /// Throws std::bad_alloc when the source has nothing left; nothing is counted then.
    void* allocate(std::size_t size, std::size_t align) {
        void* block = source_.allocate(source_.ctx, size, align);
        if (block == nullptr) {
            throw std::bad_alloc();
        }
        counts_.bytesInUse += size;
        counts_.bytesPeak = std::max(counts_.bytesPeak, counts_.bytesInUse);
        ++counts_.allocations;
        return block;
    }

    void release(void* block, std::size_t size, std::size_t align) {
        source_.release(source_.ctx, block, size, align);
        counts_.bytesInUse -= size;
        ++counts_.deallocations;
    }

    const MemoryCounts& counts() const { return counts_; }

  private:
    MemorySource source_;
    MemoryCounts counts_;
};

}  // namespace standin
