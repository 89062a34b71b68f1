// The stream of messages, driven at both engines: a thousand live, the history at its size, keys that never
// repeat.
#include "keys.hpp"
#include "queuecore_engine.hpp"
#include "stand_in_engine.hpp"
#include "stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace bench {
namespace {

constexpr std::uint64_t entries = 20'000;

template <class Engine>
class StreamTest : public testing::Test {
  protected:
    void expectFull() {
        EXPECT_GE(engine.entries() + liveMessages, entries);
        EXPECT_LE(engine.entries(), entries + collectionInterval + liveMessages);
    }

    Engine engine{windowFor(entries)};
    Stream<Engine> stream{engine};
};

using Engines = testing::Types<StandInEngine, QueuecoreEngine>;
TYPED_TEST_SUITE(StreamTest, Engines);

TYPED_TEST(StreamTest, HistoryStaysAtItsSize) {
    settle(this->stream, entries);
    this->expectFull();
    EXPECT_GT((this->stream.template timeSingly<Check::Separate, Messages::Separated>(2 * entries)), 0);
    this->expectFull();
}

TYPED_TEST(StreamTest, EachInsertIsRecordedOnce) {
    std::uint64_t recorded = 0;
    this->stream.timeInserts(2 * keyBlock, [&](std::uint64_t) { ++recorded; });
    EXPECT_EQ(recorded, 2 * keyBlock);
    EXPECT_EQ(this->engine.entries(), 2 * keyBlock);
}

TYPED_TEST(StreamTest, DrainsToNothing) {
    this->stream.send(entries / 2);
    this->stream.eraseLive();
    this->stream.wait(windowFor(2 * entries));
    while (this->engine.collect(this->stream.nowNs(), 1000)) {
    }
    EXPECT_EQ(this->engine.entries(), 0U);
}

TYPED_TEST(StreamTest, SentAtOnceLetsNothingFallDue) {
    settle(this->stream, entries);
    const std::int64_t before = this->stream.nowNs();
    this->stream.sendAtOnce(keyBlock);
    EXPECT_EQ(this->stream.nowNs(), before);
    EXPECT_GE(this->engine.entries(), entries + keyBlock - liveMessages);
}

TYPED_TEST(StreamTest, AWrongAnswerOfALookupIsAnError) {
    this->stream.send(entries / 2);
    const auto lookUp = [&](const auto* keys) {
        std::uint64_t known = 0;
        for (std::size_t i = 0; i < keyBlock; ++i) {
            known += this->engine.isKnown(keys[i], this->stream.nowNs()) ? 1U : 0U;
        }
        return known;
    };
    const auto absent = [](std::uint64_t i) { return firstAbsent + i; };
    EXPECT_NO_THROW(this->stream.timeLookups(keyBlock, 0, absent, lookUp));
    EXPECT_THROW(this->stream.timeLookups(keyBlock, 1, absent, lookUp), std::logic_error);
}

TEST(StreamOfBatches, HistoryStaysAtItsSize) {
    QueuecoreEngine engine(windowFor(entries));
    Stream<QueuecoreEngine> stream(engine);
    settle(stream, entries);
    EXPECT_GT(stream.timeBatches(2 * entries), 0);
    EXPECT_GE(engine.entries() + liveMessages, entries);
    EXPECT_LE(engine.entries(), entries + 2 * liveMessages);
}

TEST(Keys, DoNotRepeat) {
    std::set<std::string> seen;
    for (std::uint64_t number = 0; number < 100'000; ++number) {
        qc_key key;
        makeKey(number, key);
        seen.insert(std::string(reinterpret_cast<const char*>(key.bytes), sizeof key.bytes));
    }
    EXPECT_EQ(seen.size(), 100'000U);
}

}  // namespace
}  // namespace bench
