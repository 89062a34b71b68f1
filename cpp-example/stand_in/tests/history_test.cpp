// What the stand-in answers: insert, find, erase, the window, collection in batches, require-GC.
#include "testing.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace standin_tests {
namespace {

using History = standin::History<int>;

void insertAndErase(History& history, std::uint64_t first, std::uint64_t count, std::int64_t atNs) {
    for (std::uint64_t number = first; number < first + count; ++number) {
        history.erase(history.insert(guid(number), 0, atNs).handle, atNs);
    }
}

TEST(History, InsertAddsAndSecondInsertFindsTheLiveOne) {
    History history(options());
    const auto first = history.insert(guid(1), 10, 0);
    const auto second = history.insert(guid(1), 20, 5);
    EXPECT_TRUE(first.added);
    EXPECT_FALSE(second.added);
    EXPECT_EQ(second.handle, first.handle);
    EXPECT_EQ(first.handle->value, 10);
    EXPECT_EQ(first.handle->insertedAtNs, 0);
    EXPECT_EQ(history.size(), 1U);
}

TEST(History, ErasedInsideItsWindowIsHistoricalAndNoLongerFound) {
    History history(options());
    const auto inserted = history.insert(guid(1), 0, 0);
    EXPECT_EQ(history.find(guid(1)), inserted.handle);
    EXPECT_FALSE(history.isInHistory(guid(1)));
    history.erase(inserted.handle, windowNs - 1);
    EXPECT_EQ(history.find(guid(1)), nullptr);
    EXPECT_TRUE(history.isInHistory(guid(1)));
    EXPECT_FALSE(history.isInHistory(guid(2)));
    EXPECT_EQ(history.size(), 0U);
    EXPECT_EQ(history.historySize(), 1U);
}

TEST(History, ErasedAtExpiryIsGoneAtOnce) {
    History history(options());
    history.erase(history.insert(guid(1), 0, 0).handle, windowNs);
    EXPECT_FALSE(history.isInHistory(guid(1)));
    EXPECT_EQ(history.historySize(), 0U);
}

TEST(History, WindowRunsFromInsertNotFromErase) {
    History history(options());
    const auto inserted = history.insert(guid(1), 0, 100);
    history.erase(inserted.handle, 900);
    EXPECT_EQ(history.gc(100 + windowNs - 1, 10), 0);
    EXPECT_TRUE(history.isInHistory(guid(1)));
    EXPECT_EQ(history.gc(100 + windowNs, 10), 1);
    EXPECT_FALSE(history.isInHistory(guid(1)));
}

TEST(History, WindowOfZeroKeepsNoHistory) {
    standin::Options none = options();
    none.windowNs = 0;
    History history(none);
    history.erase(history.insert(guid(1), 0, 7).handle, 7);
    EXPECT_EQ(history.historySize(), 0U);
    EXPECT_TRUE(history.insert(guid(1), 0, 8).added);
}

TEST(History, GcIsNegativeAtItsLimitAndPositiveWhenDone) {
    History history(options());
    insertAndErase(history, 0, 25, 0);
    EXPECT_EQ(history.gc(windowNs, 10), -10);
    EXPECT_EQ(history.gc(windowNs, 10), -10);
    EXPECT_EQ(history.gc(windowNs, 10), 5);
    EXPECT_EQ(history.gc(windowNs, 10), 0);
    EXPECT_EQ(history.historySize(), 0U);
}

TEST(History, GcThatEndsExactlyAtItsLimitIsDone) {
    History history(options());
    insertAndErase(history, 0, 10, 0);
    EXPECT_EQ(history.gc(windowNs, 10), 10);
}

TEST(History, GcStopsAtTheFirstUnexpiredEntry) {
    History history(options());
    insertAndErase(history, 0, 3, 0);
    insertAndErase(history, 3, 3, 500);
    EXPECT_EQ(history.gc(windowNs, 100), 3);
    EXPECT_FALSE(history.isInHistory(guid(2)));
    EXPECT_TRUE(history.isInHistory(guid(3)));
}

TEST(History, ALiveHeadCostsOneVisitAndDoesNotBlock) {
    History history(options());
    const auto head = history.insert(guid(100), 0, 0);
    insertAndErase(history, 0, 5, 0);
    EXPECT_EQ(history.gc(windowNs, 1), -1);
    EXPECT_EQ(history.find(guid(100)), head.handle);
    EXPECT_EQ(history.gc(windowNs, 100), 5);
    EXPECT_EQ(history.gc(windowNs, 100), 0);
    EXPECT_EQ(history.find(guid(100)), head.handle);
    history.erase(head.handle, windowNs);
    EXPECT_EQ(history.size() + history.historySize(), 0U);
}

TEST(History, ALiveEntryTheCollectorHasPassedIsGoneWhenErased) {
    History history(options());
    const auto entry = history.insert(guid(1), 0, 0);
    EXPECT_EQ(history.gc(windowNs, 10), 1);
    history.erase(entry.handle,
                  windowNs - 1);  // a clock that ran backwards must not leave it behind the collector
    EXPECT_FALSE(history.isInHistory(guid(1)));
}

TEST(History, EraseOfTheEntryTheCollectorIsAtMovesTheCollector) {
    History history(options());
    const auto first = history.insert(guid(1), 0, 0);
    insertAndErase(history, 2, 1, 0);
    history.erase(first.handle, windowNs);
    EXPECT_EQ(history.gc(windowNs, 10), 1);
    EXPECT_EQ(history.historySize(), 0U);
}

TEST(History, AHistoricalKeyComesBackLiveAndNewest) {
    History history(options());
    insertAndErase(history, 1, 2, 0);
    const auto again = history.insert(guid(1), 7, 600);
    EXPECT_TRUE(again.added);
    EXPECT_EQ(again.handle->value, 7);
    EXPECT_EQ(history.size(), 1U);
    EXPECT_EQ(history.historySize(), 1U);
    EXPECT_EQ(history.gc(windowNs, 10), 1) << "only the other one is expired";
    history.erase(again.handle, windowNs);
    EXPECT_TRUE(history.isInHistory(guid(1)));
    EXPECT_EQ(history.gc(600 + windowNs, 10), 1);
}

TEST(History, InsertCollectsNothingByDefault) {
    History history(options());
    insertAndErase(history, 0, 5, 0);
    EXPECT_EQ(history.gc(windowNs, 2), -2);
    history.insert(guid(9), 0, windowNs);
    EXPECT_EQ(history.historySize(), 3U);
}

TEST(History, WithRequireGcEachInsertCollectsABatchUntilNoneIsLeft) {
    standin::Options inlineGc = options();
    inlineGc.gcOnInsert = true;
    inlineGc.insertBatch = 3;
    History history(inlineGc);
    insertAndErase(history, 0, 9, 0);
    history.insert(guid(100), 0, windowNs);
    EXPECT_EQ(history.historySize(), 9U) << "no gc has asked for more yet";
    EXPECT_EQ(history.gc(windowNs, 2), -2);
    history.insert(guid(101), 0, windowNs);
    EXPECT_EQ(history.historySize(), 4U);
    history.insert(guid(102), 0, windowNs);
    EXPECT_EQ(history.historySize(), 1U);
    history.insert(guid(103), 0, windowNs);
    EXPECT_EQ(history.historySize(), 0U);
    insertAndErase(history, 50, 1, windowNs);
    history.insert(guid(104), 0, 2 * windowNs);
    EXPECT_EQ(history.historySize(), 1U) << "the flag is down again";
    history.requireGc();
    history.insert(guid(105), 0, 2 * windowNs);
    EXPECT_EQ(history.historySize(), 1U) << "the batch went on three of the four live ones ahead";
    history.insert(guid(106), 0, 2 * windowNs);
    EXPECT_EQ(history.historySize(), 0U);
}

TEST(History, EveryKeyIsFoundAcrossRehashes) {
    History history(options());
    std::vector<History::Handle> handles;
    for (std::uint64_t number = 0; number < 5000; ++number) {
        handles.push_back(history.insert(guid(number), static_cast<int>(number), 0).handle);
    }
    for (std::uint64_t number = 0; number < 5000; ++number) {
        ASSERT_EQ(history.find(guid(number)), handles[number]);
        ASSERT_EQ(handles[number]->value, static_cast<int>(number));
    }
    EXPECT_EQ(history.find(guid(5000)), nullptr);
}

struct SameHash {
    std::uint64_t operator()(const standin::Guid&) const { return 42; }
};

TEST(History, KeysThatAllCollideStayApart) {
    standin::History<int, SameHash> history(options());
    for (std::uint64_t number = 0; number < 300; ++number) {
        const auto handle = history.insert(guid(number), 0, static_cast<std::int64_t>(number)).handle;
        if (number % 2 == 0) {
            history.erase(handle, windowNs - 1);
        }
    }
    EXPECT_EQ(history.gc(windowNs + 99, 1000), 100);
    for (std::uint64_t number = 0; number < 300; ++number) {
        EXPECT_EQ(history.find(guid(number)) != nullptr, number % 2 == 1);
        EXPECT_EQ(history.isInHistory(guid(number)), number % 2 == 0 && number >= 100);
    }
}

TEST(History, ClearForgetsEverything) {
    History history(options());
    history.insert(guid(1), 0, 0);
    insertAndErase(history, 2, 100, 0);
    history.clear();
    EXPECT_EQ(history.size() + history.historySize(), 0U);
    EXPECT_EQ(history.find(guid(1)), nullptr);
    EXPECT_FALSE(history.isInHistory(guid(2)));
    EXPECT_EQ(history.gc(windowNs, 10), 0);
    EXPECT_TRUE(history.insert(guid(2), 0, 0).added);
}

}  // namespace
}  // namespace standin_tests
