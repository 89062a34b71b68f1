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
    EXPECT_EQ(chargedCostNs(500, 300), 500);
    EXPECT_EQ(chargedCostNs(2'000, 1), 2'000);
}

TEST(ChargedCost, AHiccupIsCappedAtTwoMicrosecondsAboveTheShortestPass) {
    EXPECT_EQ(chargedCostNs(3'000'000, 400), 2'400);
}

TEST(ChargedCost, WhatEveryPassTookStands) { EXPECT_EQ(chargedCostNs(1'200'000'000, 1'199'999'000), 1'200'000'000); }

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

std::vector<std::unique_ptr<Engine>> threePasses(Ns lastOnesWindowNs) {
    std::vector<std::unique_ptr<Engine>> passes;
    for (const Ns window : {windowNs, windowNs, lastOnesWindowNs}) {
        passes.push_back(makeEngine(EngineKind::Stl, steadyStl.policy, window, 1));
    }
    return passes;
}

TEST(MeasuredHistory, AnswersWithTheFirstPass) {
    auto passes = threePasses(windowNs);
    const Engine* first = passes.front().get();
    MeasuredHistory history(std::move(passes));
    const KeySource keys;
    EXPECT_TRUE(history.put(keys.keyOf(1), 0).answer.added);
    EXPECT_FALSE(history.put(keys.keyOf(1), 0).answer.added);
    EXPECT_TRUE(history.ack(keys.keyOf(1), 1).answer);
    EXPECT_EQ(history.gc(windowNs, 10).answer.collected, 1U);
    EXPECT_EQ(&history.engine(), first);
    EXPECT_EQ(first->entries(), 0U);
}

TEST(MeasuredHistory, PassesThatDisagreeAreAnError) {
    MeasuredHistory history(threePasses(2 * windowNs));
    const KeySource keys;
    history.put(keys.keyOf(1), 0);
    history.ack(keys.keyOf(1), 0);
    const auto goOn = [&] {
        for (int i = 0; i < 10'000; ++i) {  // at the latest when the ring is full
            history.gc(windowNs, 10);
        }
    };
    EXPECT_THROW(goOn(), EngineError);
}

TEST(ShadowPass, RepeatsEveryCallInOrderAndTellsItsTime) {
    std::vector<std::unique_ptr<Engine>> engines = threePasses(windowNs);
    std::vector<const Engine*> watched;
    for (const auto& engine : engines) {
        watched.push_back(engine.get());
    }
    ShadowPass shadow(std::move(engines));
    const KeySource keys;
    std::uint64_t number = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {  // several times round the ring
        number = shadow.repeat({CallKind::Put, true, true, keys.keyOf(i), 0, 0, 0});
        ASSERT_EQ(number, i);
    }
    EXPECT_GT(shadow.shortestNs(number), 0);
    for (const Engine* engine : watched) {
        EXPECT_EQ(engine->entries(), 20'000U);
    }
}

TEST(ShadowPass, HandsAnEnginesErrorOn) {
    ShadowPass shadow(threePasses(windowNs));
    const std::uint64_t number = shadow.repeat({CallKind::Ack, true, false, {}, 0, 0, 0});  // nothing is live
    EXPECT_THROW(shadow.shortestNs(number), EngineError);
}

}  // namespace
}  // namespace replay
