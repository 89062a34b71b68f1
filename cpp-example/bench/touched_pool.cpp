#include "touched_pool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace bench {

TouchedPool::TouchedPool(std::size_t bytes) : bytes_(bytes) {
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(mapped, bytes, MADV_NOHUGEPAGE);
    region_ = static_cast<unsigned char*>(mapped);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (std::size_t at = 0; at < bytes; at += page) {
        static_cast<volatile unsigned char*>(region_)[at] = 1;
    }
}

TouchedPool::~TouchedPool() { munmap(region_, bytes_); }

void TouchedPool::reset() {
    used_ = 0;
    free_.clear();
}

MemoryHooks TouchedPool::hooks() {
    return {[](void* ctx, std::size_t size, std::size_t align) {
                return static_cast<TouchedPool*>(ctx)->allocate(size, align);
            },
            [](void* ctx, void* block, std::size_t size, std::size_t align) {
                static_cast<TouchedPool*>(ctx)->release(block, size, align);
            },
            this};
}

/// Null when the region is used up: memory from elsewhere would not be touched, and the figures would lie.
void* TouchedPool::allocate(std::size_t size, std::size_t align) {
    const auto known = free_.find({size, align});
    if (known != free_.end() && known->second != nullptr) {
        FreeBlock* block = known->second;
        known->second = block->next;
        return block;
    }
    const std::size_t room = std::max(size, sizeof(FreeBlock));
    const std::size_t step = std::max(align, alignof(FreeBlock));
    const std::size_t start = (used_ + step - 1) / step * step;
    if (start > bytes_ || room > bytes_ - start) {
        return nullptr;
    }
    used_ = start + room;
    return region_ + start;
}

void TouchedPool::release(void* block, std::size_t size, std::size_t align) {
    FreeBlock*& head = free_[{size, align}];
    head = new (block) FreeBlock{head};
}

}  // namespace bench
