// Every engine under every policy answers alike: what the comparison rests on.
#include "engine.hpp"

#include "presets.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace replay {
namespace {

constexpr Ns windowNs = nsPerSecond;

class EngineTest : public testing::TestWithParam<std::tuple<std::string, EngineKind>> {
  protected:
    std::unique_ptr<Engine> make() const {
        return makeEngine(std::get<1>(GetParam()), *policyNamed(std::get<0>(GetParam())), windowNs, 1);
    }
    const KeySource keys_;
};

TEST_P(EngineTest, RefusesALiveAndAHistoricalDuplicate) {
    const auto engine = make();
    EXPECT_TRUE(engine->put(keys_.keyOf(1), 0).added);
    EXPECT_FALSE(engine->put(keys_.keyOf(1), 1).added);
    EXPECT_TRUE(engine->ack(keys_.keyOf(1), 2));
    EXPECT_FALSE(engine->put(keys_.keyOf(1), 3).added);
    EXPECT_EQ(engine->entries(), 1U);
}

TEST_P(EngineTest, DoesNotKnowWhatIsNotLive) {
    const auto engine = make();
    EXPECT_FALSE(engine->ack(keys_.keyOf(1), 0));
    engine->put(keys_.keyOf(1), 0);
    EXPECT_TRUE(engine->ack(keys_.keyOf(1), 1));
    EXPECT_FALSE(engine->ack(keys_.keyOf(1), 2));
}

TEST_P(EngineTest, CollectsWhatExpiredInBatches) {
    const auto engine = make();
    for (std::uint64_t i = 0; i < 100; ++i) {
        engine->put(keys_.keyOf(i), static_cast<Ns>(i));
        engine->ack(keys_.keyOf(i), static_cast<Ns>(i));
    }
    const GcAnswer none = engine->gc(windowNs - 1, 1000);
    EXPECT_EQ(none.collected, 0U);
    EXPECT_FALSE(none.more);
    const GcAnswer some = engine->gc(windowNs + 99, 60);
    EXPECT_EQ(some.collected, 60U);
    EXPECT_TRUE(some.more);
    EXPECT_EQ(engine->entries(), 40U);
    const GcAnswer rest = engine->gc(windowNs + 99, 60);
    EXPECT_EQ(rest.collected, 40U);
    EXPECT_FALSE(rest.more);
    EXPECT_EQ(engine->entries(), 0U);
    EXPECT_EQ(engine->collectedTotal(), 100U);
}

TEST_P(EngineTest, InsertsCollectAsThePolicySays) {
    const auto engine = make();
    for (std::uint64_t i = 0; i < 3000; ++i) {
        engine->put(keys_.keyOf(i), 0);
        engine->ack(keys_.keyOf(i), 0);
    }
    engine->put(keys_.keyOf(10'000), windowNs);
    const InsertCollects collects = policyNamed(std::get<0>(GetParam()))->insertCollects;
    EXPECT_EQ(engine->collectedTotal(), collects == InsertCollects::Always ? 4U : 0U);
    const std::uint64_t before = engine->collectedTotal();
    EXPECT_TRUE(engine->gc(windowNs, 500).more);
    engine->put(keys_.keyOf(10'001), windowNs);
    const std::uint64_t byInsert = engine->collectedTotal() - before - 500;
    EXPECT_EQ(byInsert, collects == InsertCollects::Always ? 4U : collects == InsertCollects::OnDemand ? 1000U : 0U);
}

TEST_P(EngineTest, CountsEveryByteOfItsMemory) {
    const auto engine = make();
    const std::uint64_t empty = engine->memory().bytes;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        engine->put(keys_.keyOf(i), 0);
    }
    EXPECT_GT(engine->memory().bytes, empty + 10'000 * 16);  // the keys alone
    EXPECT_GE(engine->memory().peakBytes, engine->memory().bytes);
    EXPECT_GT(engine->memory().allocations, engine->memory().deallocations);
}

std::string testName(const testing::TestParamInfo<std::tuple<std::string, EngineKind>>& info) {
    std::string name = std::get<0>(info.param) + (std::get<1>(info.param) == EngineKind::Stl ? "_stl" : "_queuecore");
    for (char& letter : name) {
        letter = letter == '-' ? '_' : letter;
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, EngineTest,
                         testing::Combine(testing::Values("scheduled-1000", "scheduled-1m", "inline-1000", "steady"),
                                          testing::Values(EngineKind::Stl, EngineKind::Queuecore)),
                         testName);

}  // namespace
}  // namespace replay
