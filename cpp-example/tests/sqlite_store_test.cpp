// The SQLite store and its switches: what is committed, what a page has, and each way to misbehave. Nothing is timed.
#include "cursor/sqlite_store.hpp"
#include "cursor/store_faults.hpp"

#include "temporary_directory.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>

namespace replay {
namespace {

constexpr std::size_t bodyBytes = 100;
constexpr std::uint64_t noLimit = 1U << 30U;

class SqliteStoreTest : public testing::Test {
  protected:
    explicit SqliteStoreTest(unsigned batch = 5) : store_(file(), bodies_, batch) {}

    std::filesystem::path file() const { return directory_.path() / "queue.db"; }

    void append(std::uint64_t count) {
        std::byte body[bodyBytes]{};
        for (std::uint64_t message = 0; message < count; ++message) {
            writeBody(body, bodyBytes, store_.nextSequence());
            store_.append(body);
        }
    }

    /// The sequences of a page; its bodies are checked and given back.
    std::vector<std::uint64_t> fetched(PageSource& source, const PageRequest& request) {
        std::vector<PagedMessage> page;
        source.fetch(request, page);
        return sequences(page);
    }
    std::vector<std::uint64_t> fetched(const PageRequest& request) { return fetched(store_, request); }

    std::vector<std::uint64_t> sequences(const std::vector<PagedMessage>& page) {
        std::vector<std::uint64_t> numbers;
        for (const PagedMessage& message : page) {
            EXPECT_EQ(message.bytes, bodyBytes);
            numbers.push_back(message.sequence);
            bodies_.giveBack(message.body);
        }
        return numbers;
    }

    TemporaryDirectory directory_;
    BodyPool bodies_{bodyBytes};
    SqliteStore store_;
};

using Numbers = std::vector<std::uint64_t>;

TEST_F(SqliteStoreTest, ReadersSeeWhatIsCommitted) {
    append(4);
    EXPECT_EQ(fetched({0, 100, 10, noLimit}), Numbers{}) << "the batch is open";
    EXPECT_EQ(store_.committedSequence(), 0U);
    append(1);
    EXPECT_EQ(fetched({0, 100, 10, noLimit}), (Numbers{1, 2, 3, 4, 5})) << "five make a batch";
    append(1);
    store_.commit();
    EXPECT_EQ(store_.committedSequence(), 6U);
    EXPECT_EQ(fetched({4, 100, 10, noLimit}), (Numbers{5, 6}));
    EXPECT_EQ(store_.commits(), 2U);
}

TEST_F(SqliteStoreTest, APageKeepsToWhatWasAskedFor) {
    append(10);
    EXPECT_EQ(fetched({2, 7, 10, noLimit}), (Numbers{3, 4, 5, 6, 7}));
    EXPECT_EQ(fetched({2, 7, 3, noLimit}), (Numbers{3, 4, 5}));
    EXPECT_EQ(fetched({2, 7, 10, 2 * bodyBytes + 1}), (Numbers{3, 4}));
    EXPECT_EQ(fetched({2, 7, 10, 1}), Numbers{3}) << "the first whatever its size";
    EXPECT_EQ(fetched({7, 7, 10, noLimit}), Numbers{});
}

TEST_F(SqliteStoreTest, BodiesAreThoseOfTheirMessages) {
    append(5);
    std::vector<PagedMessage> page;
    store_.fetch({0, 5, 10, noLimit}, page);
    ASSERT_EQ(page.size(), 5U);
    EXPECT_EQ(bodies_.inUse(), 5U);
    for (const PagedMessage& message : page) {
        EXPECT_TRUE(isBodyOf(bodies_.at(message.body), bodyBytes, message.sequence));
        EXPECT_FALSE(isBodyOf(bodies_.at(message.body), bodyBytes, message.sequence + 1));
    }
    sequences(page);
    EXPECT_EQ(bodies_.inUse(), 0U);
}

TEST_F(SqliteStoreTest, DeletesOneByOneAndByRange) {
    append(10);
    store_.remove(2);
    EXPECT_EQ(fetched({0, 3, 10, noLimit}), (Numbers{1, 2, 3})) << "deletes are committed with their batch";
    store_.commit();
    EXPECT_EQ(fetched({0, 3, 10, noLimit}), (Numbers{1, 3}));
    EXPECT_EQ(store_.removeUpTo(7), 6U);
    EXPECT_EQ(fetched({0, 100, 10, noLimit}), (Numbers{8, 9, 10}));
    const StoredSummary summary = store_.summary();
    EXPECT_EQ(summary.messages, 3U);
    EXPECT_EQ(summary.bytes, 3 * bodyBytes);
    EXPECT_EQ(summary.lastSequence, 10U);
}

TEST_F(SqliteStoreTest, AFailedCommitCanBeRepeated) {
    append(3);
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "CREATE TRIGGER no BEFORE INSERT ON message BEGIN SELECT raise(ABORT, 'no'); END",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    EXPECT_THROW(store_.commit(), StoreFailure);
    EXPECT_EQ(store_.committedSequence(), 0U);
    ASSERT_EQ(sqlite3_exec(other, "DROP TRIGGER no", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    store_.commit();
    EXPECT_EQ(fetched({0, 100, 10, noLimit}), (Numbers{1, 2, 3}));
}

TEST_F(SqliteStoreTest, IsThereAfterARestart) {
    append(7);
    store_.commit();
    store_.removeUpTo(2);
    SqliteStore again(file(), bodies_, 5);
    EXPECT_EQ(again.committedSequence(), 7U);
    EXPECT_EQ(again.summary().messages, 5U);
    EXPECT_EQ(again.nextSequence(), 8U);
    EXPECT_EQ(fetched(again, {0, 100, 10, noLimit}), (Numbers{3, 4, 5, 6, 7}));
}

TEST_F(SqliteStoreTest, AForeignBodyIsAFailureThatLeavesNothing) {
    append(5);
    BodyPool others(64);
    SqliteStore same(file(), others, 5);
    std::vector<PagedMessage> page;
    EXPECT_THROW(same.fetch({0, 5, 10, noLimit}, page), StoreFailure);
    EXPECT_TRUE(page.empty());
    EXPECT_EQ(others.inUse(), 0U);
}

TEST_F(SqliteStoreTest, AFileThatCannotBeOpenedIsNamed) {
    const auto nowhere = directory_.path() / "no" / "such.db";
    try {
        SqliteStore none(nowhere, bodies_, 5);
        FAIL() << "it was opened";
    } catch (const StoreFailure& failure) {
        EXPECT_NE(std::string(failure.what()).find("such.db"), std::string::npos) << failure.what();
    }
}

class FaultyPagesTest : public SqliteStoreTest {
  protected:
    FaultyPagesTest() : faulty_(store_, bodies_) { append(10); }

    FaultyPages faulty_;
};

constexpr PageRequest four{0, 10, 4, noLimit};

TEST_F(FaultyPagesTest, FailsOnceAndLeavesNothing) {
    faulty_.misbehaveNext(Fault::Fail);
    std::vector<PagedMessage> page;
    EXPECT_THROW(faulty_.fetch(four, page), StoreFailure);
    EXPECT_EQ(bodies_.inUse(), 0U);
    EXPECT_EQ(fetched(faulty_, four), (Numbers{1, 2, 3, 4}));
    EXPECT_EQ(faulty_.faults(), 1U);
}

TEST_F(FaultyPagesTest, ReturnsShort) {
    faulty_.misbehaveNext(Fault::Short);
    EXPECT_EQ(fetched(faulty_, four), (Numbers{1, 2}));
    faulty_.misbehaveNext(Fault::Short);
    EXPECT_EQ(fetched(faulty_, {0, 10, 1, noLimit}), Numbers{1}) << "never nothing of something";
    EXPECT_EQ(bodies_.inUse(), 0U);
}

TEST_F(FaultyPagesTest, ReturnsTooMany) {
    faulty_.misbehaveNext(Fault::TooMany);
    EXPECT_EQ(fetched(faulty_, four).size(), 5U);
    faulty_.misbehaveNext(Fault::TooMany);
    EXPECT_EQ(fetched(faulty_, {9, 10, 4, noLimit}).size(), 5U) << "also at the end of what there is";
    EXPECT_EQ(bodies_.inUse(), 0U);
}

TEST_F(FaultyPagesTest, ReturnsOutOfOrder) {
    faulty_.misbehaveNext(Fault::Disorder);
    EXPECT_EQ(fetched(faulty_, four), (Numbers{4, 1, 2, 3}));
}

TEST_F(FaultyPagesTest, BlocksUntilSomebodyEndsThat) {
    FaultyPages blocking(store_, bodies_, {{}, 0, never, 0});
    blocking.misbehaveNext(Fault::Block);
    std::thread reader([&] { EXPECT_EQ(fetched(blocking, four), (Numbers{1, 2, 3, 4})); });
    while (!blocking.isBlocked()) {
        std::this_thread::yield();
    }
    append(5);  // the writer is not blocked with it
    EXPECT_TRUE(blocking.isBlocked());
    blocking.unblock();
    reader.join();
    EXPECT_FALSE(blocking.isBlocked());
}

TEST_F(FaultyPagesTest, DelaysEachFetch) {
    faulty_.setDelay(2 * nsPerMs);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(fetched(faulty_, four), (Numbers{1, 2, 3, 4}));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2)) << "less would be no delay";
}

TEST_F(FaultyPagesTest, APlanTakesTurns) {
    FaultyPages planned(store_, bodies_, {{Fault::Fail, Fault::Short}, 2, 0, 0});
    std::vector<PagedMessage> page;
    EXPECT_EQ(fetched(planned, four).size(), 4U);
    EXPECT_THROW(planned.fetch(four, page), StoreFailure);
    EXPECT_EQ(fetched(planned, four).size(), 4U);
    EXPECT_EQ(fetched(planned, four).size(), 2U);
    EXPECT_EQ(fetched(planned, four).size(), 4U);
    EXPECT_THROW(planned.fetch(four, page), StoreFailure);
    EXPECT_EQ(planned.faults(), 3U);
}

TEST(Faults, HaveNames) {
    for (const Fault fault : allFaults()) {
        EXPECT_EQ(faultNamed(faultName(fault)), fault);
        EXPECT_FALSE(faultSummary(fault).empty());
    }
    EXPECT_EQ(faultNamed("lose"), std::nullopt);
}

}  // namespace
}  // namespace replay
