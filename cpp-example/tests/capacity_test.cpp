// The search for the highest sustained rate: the search itself, the verdicts, and both together on the small incident.
#include "capacity.hpp"

#include "rate_search.hpp"
#include "small_incident.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace replay {
namespace {

struct Found {
    std::uint64_t capacity;
    std::uint64_t failing;
    int tries;
};

Found search(std::uint64_t guess, std::uint64_t highest) {
    RateSearch search(guess, 0.005);
    int tries = 0;
    while (const auto rate = search.next()) {
        search.tried(*rate, *rate <= highest);
        ++tries;
    }
    return {search.highestThatHolds().value_or(0), search.lowestThatFails().value_or(0), tries};
}

TEST(RateSearch, FindsTheRateToHalfAPercentFromAnyGuess) {
    for (const std::uint64_t guess : {1'000U, 50'000U, 89'000U, 90'000U, 91'000U, 400'000U}) {
        const Found found = search(guess, 90'000);
        EXPECT_LE(found.capacity, 90'000U) << guess;
        EXPECT_GT(found.failing, 90'000U) << guess;
        EXPECT_LE(static_cast<double>(found.failing - 1) / static_cast<double>(found.capacity), 1.005) << guess;
    }
}

TEST(RateSearch, AGoodGuessTakesTwoTries) {
    EXPECT_EQ(search(90'000, 90'100).tries, 2);
    EXPECT_EQ(search(90'400, 90'100).tries, 2);
}

TEST(RateSearch, EndsWhenNothingHolds) {
    const Found found = search(1'000, 0);
    EXPECT_EQ(found.capacity, 0U);
    EXPECT_EQ(found.failing, 1U);
}

RunResult runWithHistory(std::uint64_t at210s, std::uint64_t at240s, std::uint64_t nacks) {
    RunResult run{*contenderNamed("steady/queuecore"), Start::Prefilled, Stopped::AtEnd, {}};
    for (const auto& [second, history] :
         {std::pair<Ns, std::uint64_t>{209, 0}, {210, at210s}, {225, 1}, {240, at240s}}) {
        Sample sample{};
        sample.atNs = second * nsPerSecond;
        sample.history = history;
        run.recording.samples.push_back(sample);
    }
    run.recording.totals.nacks = nacks;
    return run;
}

Verdict verdictOf(std::uint64_t at210s, std::uint64_t at240s, std::uint64_t nacks) {
    return judge(runWithHistory(at210s, at240s, nacks), Scenario{}, CapacityPlan{}).verdict;
}

TEST(Verdicts, FollowTheThreeRules) {
    EXPECT_EQ(verdictOf(6'000'000, 6'000'000, 0), Verdict::Sustained);
    EXPECT_EQ(verdictOf(6'000'000, 6'000'000, 1), Verdict::Nack);
    EXPECT_EQ(verdictOf(6'900'000, 6'900'000, 0), Verdict::Sustained);  // 1.15
    EXPECT_EQ(verdictOf(6'900'100, 6'900'100, 0), Verdict::History);
    EXPECT_EQ(verdictOf(6'000'000, 6'149'000, 0), Verdict::Sustained);
    EXPECT_EQ(verdictOf(6'000'000, 6'150'000, 0), Verdict::Growth);  // 5000 a second over 30 s
}

TEST(CapacityScenario, StallsASecondEveryHalfMinute) {
    Scenario base;
    base.ackOutage = Span{0, nsPerSecond};
    const Scenario scenario = capacityScenario(base, CapacityPlan{}, 90'000);
    EXPECT_EQ(scenario.ratePerS, 90'000U);
    EXPECT_EQ(scenario.durationNs, 240 * nsPerSecond);
    EXPECT_EQ(scenario.start, Start::Prefilled);
    EXPECT_FALSE(scenario.ackOutage);
    ASSERT_EQ(scenario.stalls.size(), 7U);
    EXPECT_EQ(scenario.stalls.front().startNs, 30 * nsPerSecond);
    EXPECT_EQ(scenario.stalls.back().startNs, 210 * nsPerSecond);
    EXPECT_EQ(scenario.stalls.back().durationNs, nsPerSecond);
}

SteadyCosts steadyCosts(EngineKind engine) {
    const FixedCosts costs = small::costs(engine);
    return {static_cast<double>(costs.putNs), static_cast<double>(costs.ackNs), costs.collectNs, costs.collectNs};
}

std::uint64_t capacityOf(const std::string& name) {
    CapacityPlan plan;
    plan.growthLimitPerS /= small::scale;
    const Contender contender = small::contender(name);
    const CapacityFinder finder(small::scenario(), small::settings(), plan, [](const std::string&, double) {});
    const CapacityResult found = finder.find(contender, steadyCosts(contender.engine));
    const auto held = std::count_if(found.probes.begin(), found.probes.end(), [&](const CapacityProbe& probe) {
        return probe.measured && probe.verdict == Verdict::Sustained && probe.ratePerS == found.capacityPerS;
    });
    EXPECT_EQ(held, 1) << name << ": the capacity is a rate that was measured and held";
    return found.capacityPerS.value_or(0);
}

TEST(CapacityFinder, RanksTheIncidentItsAlternativeAndTheLibrary) {
    const std::uint64_t scheduled = capacityOf("scheduled-1000/stl");
    const std::uint64_t inlined = capacityOf("inline-1000/stl");
    const std::uint64_t steady = capacityOf("steady/queuecore");
    EXPECT_LT(scheduled, inlined);
    EXPECT_LT(inlined, steady);
    // What the stand-in can do, less the thirtieth that is stalled, plus what may wait in the queue at the end.
    EXPECT_NEAR(static_cast<double>(inlined), 970.0, 20.0);
}

}  // namespace
}  // namespace replay
