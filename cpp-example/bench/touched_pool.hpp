// Memory touched before: one region whose pages are all resident, handed out from its start, blocks recycled
// by size.
//
// The growth figures are about what the engines do, not about the kernel's page faults; so both draw from
// this pool, one after the other, through their allocator callbacks. One thread at a time.
#pragma once

#include "memory_hooks.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace bench {

class TouchedPool {
  public:
    /// Maps and touches `bytes`. Ordinary pages: a huge page would be a favour the default allocator does not
    /// do.
    explicit TouchedPool(std::size_t bytes);
    TouchedPool(const TouchedPool&) = delete;
    TouchedPool& operator=(const TouchedPool&) = delete;
    ~TouchedPool();

    /// Forgets every block. Nobody uses one any more.
    void reset();

    MemoryHooks hooks();

  private:
    struct FreeBlock {
        FreeBlock* next;
    };
    using Shape = std::pair<std::size_t, std::size_t>;  // size and alignment

    void* allocate(std::size_t size, std::size_t align);
    void release(void* block, std::size_t size, std::size_t align);

    unsigned char* region_;
    std::size_t bytes_;
    std::size_t used_ = 0;
    std::map<Shape, FreeBlock*> free_;
};

}  // namespace bench
