// An allocator that counts, given to an engine as its only source of memory: what the allocation table is made from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace replay {

struct MemoryCounts {
    std::uint64_t bytes = 0;
    std::uint64_t peakBytes = 0;
    std::uint64_t allocations = 0;
    std::uint64_t deallocations = 0;
};

/// Both callbacks take the meter's address as their context, so it stays where it is while an engine uses it.
class MemoryMeter {
  public:
    MemoryMeter() = default;
    MemoryMeter(const MemoryMeter&) = delete;
    MemoryMeter& operator=(const MemoryMeter&) = delete;

    const MemoryCounts& counts() const { return counts_; }

    static void* allocate(void* self, std::size_t size, std::size_t align) {
        void* block = align <= alignof(std::max_align_t)
                          ? std::malloc(size)
                          : std::aligned_alloc(align, (size + align - 1) / align * align);
        if (block != nullptr) {
            MemoryCounts& counts = static_cast<MemoryMeter*>(self)->counts_;
            counts.bytes += size;
            counts.peakBytes = std::max(counts.peakBytes, counts.bytes);
            ++counts.allocations;
        }
        return block;
    }

    static void release(void* self, void* block, std::size_t size, std::size_t /*align*/) {
        std::free(block);
        MemoryCounts& counts = static_cast<MemoryMeter*>(self)->counts_;
        counts.bytes -= size;
        ++counts.deallocations;
    }

  private:
    MemoryCounts counts_;
};

}  // namespace replay
