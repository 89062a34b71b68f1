// Allocator callbacks in the shape both engines take. Without them an engine uses its default memory.
#pragma once

#include <cstddef>

namespace bench {

struct MemoryHooks {
    void* (*allocate)(void* ctx, std::size_t size, std::size_t align) = nullptr;
    void (*release)(void* ctx, void* block, std::size_t size, std::size_t align) = nullptr;
    void* ctx = nullptr;
};

}  // namespace bench
