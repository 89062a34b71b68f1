// What a call is charged.
#include "costed_history.hpp"

#include "model_engine.hpp"
#include "presets.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace replay {
namespace {

const Contender steadyStl = *contenderNamed("steady/stl");
constexpr Ns windowNs = 10 * nsPerMs;

TEST(ChargedCost, SmallCostsStayAsTheyAre) {
    EXPECT_EQ(chargedCostNs(500, 300, 20), 480);
    EXPECT_EQ(chargedCostNs(20'000, 1, 0), 20'000);
}

TEST(ChargedCost, AHiccupIsCappedAtTwentyMicrosecondsAboveTheShortestPass) {
    EXPECT_EQ(chargedCostNs(3'000'000, 400, 0), 20'400);
    EXPECT_EQ(chargedCostNs(3'000'000, 400, 25), 20'375);
}

TEST(ChargedCost, WhatEveryPassTookStands) { EXPECT_EQ(chargedCostNs(1'200'000'000, 1'199'990'000, 0), 1'200'000'000); }

TEST(ChargedCost, IsNeverNegative) { EXPECT_EQ(chargedCostNs(10, 10, 25), 0); }

TEST(FixedCosts, FollowThePriceListAndTheEntriesCollected) {
    FixedCostHistory history(std::make_unique<ModelEngine>(policyNamed("steady").value(), windowNs), {100, 10, 7.0});
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(history.put({}, i).costNs, 100);
    }
    EXPECT_EQ(history.ack({}, 6).costNs, 10);
    EXPECT_EQ(history.put({}, windowNs + 10).costNs, 100 + 4 * 7);  // steady: four per insert
    EXPECT_EQ(history.gc(windowNs + 10, 100).costNs, 2 * 7);
    EXPECT_EQ(history.gc(windowNs + 10, 100).costNs, 0);
}

TEST(MeasuredHistory, AsksEveryPassAndAnswersWithTheFirst) {
    std::vector<std::unique_ptr<Engine>> passes;
    std::vector<const Engine*> engines;
    for (int i = 0; i < 3; ++i) {
        passes.push_back(makeEngine(EngineKind::Stl, steadyStl.policy, windowNs, 1));
        engines.push_back(passes.back().get());
    }
    MeasuredHistory history(std::move(passes));
    const KeySource keys;
    EXPECT_TRUE(history.put(keys.keyOf(1), 0).answer.added);
    EXPECT_FALSE(history.put(keys.keyOf(1), 0).answer.added);
    EXPECT_TRUE(history.ack(keys.keyOf(1), 1).answer);
    for (const Engine* engine : engines) {
        EXPECT_EQ(engine->entries(), 1U);
    }
    EXPECT_EQ(&history.engine(), engines.front());
}

TEST(MeasuredHistory, PassesThatDisagreeAreAnError) {
    std::vector<std::unique_ptr<Engine>> passes;
    passes.push_back(makeEngine(EngineKind::Stl, steadyStl.policy, windowNs, 1));
    passes.push_back(makeEngine(EngineKind::Stl, steadyStl.policy, 2 * windowNs, 1));
    MeasuredHistory history(std::move(passes));
    const KeySource keys;
    history.put(keys.keyOf(1), 0);
    history.ack(keys.keyOf(1), 0);
    EXPECT_THROW(history.gc(windowNs, 10), EngineError);
}

}  // namespace
}  // namespace replay
