// The pool of touched memory: alignment, recycling by size, and no memory from elsewhere.
#include "resident.hpp"
#include "touched_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace bench {
namespace {

TEST(TouchedPool, IsResidentFromTheStart) {
    const std::uint64_t before = residentBytes();
    const TouchedPool pool(64 << 20);
    EXPECT_GE(residentBytes(), before + (60 << 20));
}

TEST(TouchedPool, AlignsAndKeepsBlocksApart) {
    TouchedPool pool(1 << 20);
    const MemoryHooks hooks = pool.hooks();
    auto* first = static_cast<unsigned char*>(hooks.allocate(hooks.ctx, 3, 1));
    auto* second = static_cast<unsigned char*>(hooks.allocate(hooks.ctx, 100, 64));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second) % 64, 0U);
    EXPECT_GE(second, first + 3);
}

TEST(TouchedPool, RecyclesABlockForTheSameSizeOnly) {
    TouchedPool pool(1 << 20);
    const MemoryHooks hooks = pool.hooks();
    void* block = hooks.allocate(hooks.ctx, 128, 8);
    hooks.release(hooks.ctx, block, 128, 8);
    EXPECT_NE(hooks.allocate(hooks.ctx, 256, 8), block);
    EXPECT_EQ(hooks.allocate(hooks.ctx, 128, 8), block);
    EXPECT_NE(hooks.allocate(hooks.ctx, 128, 8), block);
}

TEST(TouchedPool, SaysNoWhenItIsUsedUpAndStartsAgainAfterReset) {
    TouchedPool pool(4096);
    const MemoryHooks hooks = pool.hooks();
    void* all = hooks.allocate(hooks.ctx, 4096, 8);
    EXPECT_NE(all, nullptr);
    EXPECT_EQ(hooks.allocate(hooks.ctx, 8, 8), nullptr);
    pool.reset();
    EXPECT_EQ(hooks.allocate(hooks.ctx, 4096, 8), all);
}

}  // namespace
}  // namespace bench
