// What the stand-in does with memory: counts, values held until collected, nothing given back, a source that
// runs out.
#include "testing.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace standin_tests {
namespace {

/// A source that counts what is outstanding by itself and can be told to refuse.
struct Ledger {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    bool refuse = false;

    standin::MemorySource source() {
        return {[](void* ctx, std::size_t size, std::size_t align) -> void* {
                    auto* self = static_cast<Ledger*>(ctx);
                    if (self->refuse) {
                        return nullptr;
                    }
                    self->bytes += size;
                    ++self->blocks;
                    return ::operator new(size, std::align_val_t(align));
                },
                [](void* ctx, void* block, std::size_t size, std::size_t align) {
                    auto* self = static_cast<Ledger*>(ctx);
                    self->bytes -= size;
                    --self->blocks;
                    ::operator delete(block, std::align_val_t(align));
                },
                this};
    }
};

TEST(Memory, BooksAgreeWithTheSourceAndEverythingGoesBackAtTheEnd) {
    Ledger ledger;
    standin::Options counted = options();
    counted.memory = ledger.source();
    {
        standin::History<int> history(counted);
        for (std::uint64_t number = 0; number < 10'000; ++number) {
            history.erase(history.insert(guid(number), 0, 0).handle, 0);
        }
        EXPECT_EQ(history.bytesInUse(), ledger.bytes);
        EXPECT_EQ(history.allocations() - history.deallocations(), ledger.blocks);
        EXPECT_GE(history.bytesPeak(), history.bytesInUse());
    }
    EXPECT_EQ(ledger.bytes, 0U);
    EXPECT_EQ(ledger.blocks, 0U);
}

TEST(Memory, NothingIsGivenBackWhenAllIsCollectedAndItIsUsedAgain) {
    standin::History<int> history(options());
    const auto fill = [&](std::uint64_t first, std::int64_t atNs) {
        for (std::uint64_t number = first; number < first + 1000; ++number) {
            history.erase(history.insert(guid(number), 0, atNs).handle, atNs);
        }
    };
    fill(0, 0);
    const std::uint64_t full = history.bytesInUse();
    EXPECT_EQ(history.gc(windowNs, 1000), 1000);
    EXPECT_EQ(history.bytesInUse(), full);
    fill(1000, windowNs);
    EXPECT_EQ(history.bytesInUse(), full);
    history.clear();
    EXPECT_EQ(history.bytesInUse(), full);
}

TEST(Memory, AValueIsHeldUntilItsNodeIsCollected) {
    const auto watched = std::make_shared<int>(1);
    {
        standin::History<std::shared_ptr<int>> history(options());
        const auto entry = history.insert(guid(1), watched, 0);
        history.insert(guid(2), watched, 0);
        EXPECT_EQ(watched.use_count(), 3);
        history.erase(entry.handle, 10);
        EXPECT_EQ(watched.use_count(), 3);
        EXPECT_EQ(history.gc(windowNs, 10), 2);
        EXPECT_EQ(watched.use_count(), 2);
    }
    EXPECT_EQ(watched.use_count(), 1);
}

TEST(Memory, ARefusedBlockThrowsAndLeavesTheMapAsItWas) {
    Ledger ledger;
    standin::Options counted = options();
    counted.memory = ledger.source();
    standin::History<int> history(counted);
    std::uint64_t added = 0;
    ledger.refuse = true;
    EXPECT_THROW(history.insert(guid(0), 0, 0), std::bad_alloc);
    EXPECT_EQ(history.find(guid(0)), nullptr);
    for (int round = 0; round < 12; ++round) {
        ledger.refuse = false;
        const std::uint64_t blocks = history.allocations();
        while (history.allocations() == blocks) {
            history.insert(guid(added++), 0, 0);
        }
        ledger.refuse = true;
        std::uint64_t more = added;
        const auto insertUntilRefused = [&] {
            for (;;) {
                history.insert(guid(more), 0, 0);
                ++more;
            }
        };
        EXPECT_THROW(insertUntilRefused(), std::bad_alloc);
        EXPECT_EQ(history.find(guid(more)), nullptr);
        EXPECT_EQ(history.size(), more);
        added = more;
    }
    EXPECT_EQ(history.bytesInUse(), ledger.bytes);
}

}  // namespace
}  // namespace standin_tests
