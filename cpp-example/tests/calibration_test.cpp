// The broker's other work: what is left of 1/capacity.
#include "calibration.hpp"

#include "small_incident.hpp"

#include <gtest/gtest.h>

#include <string>

namespace replay {
namespace {

TEST(OtherWork, IsWhatTheStandInLeaves) {
    EXPECT_EQ(otherWorkNs({400.0, 60.0, 47.0, 47.0}, 100'000), 9'493);
    EXPECT_EQ(otherWorkNs({400.4, 60.0, 47.0, 47.2}, 1'000'000), 492);
}

TEST(OtherWork, ACapacityThatTheStandInAloneUsesUpIsRefusedInWords) {
    try {
        otherWorkNs({400.0, 60.0, 47.0, 47.0}, 2'000'000);
        FAIL() << "507 ns do not fit into 500";
    } catch (const CalibrationError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("507 ns"), std::string::npos) << text;
        EXPECT_NE(text.find("500 ns"), std::string::npos) << text;
    }
}

TEST(SteadyCosts, AreThePriceListWhenNothingIsMeasured) {
    const CostSettings costs = small::settings().costs;
    const SteadyCosts found =
        measureSteadyCosts(small::scenario(), small::contender("scheduled-1000/stl"), costs, [](double) {});
    EXPECT_DOUBLE_EQ(found.putNs, 40'000.0);
    EXPECT_DOUBLE_EQ(found.ackNs, 6'000.0);
    EXPECT_DOUBLE_EQ(found.collectNs, 4'700.0);
    EXPECT_NEAR(found.collectPerMessageNs, 4'700.0, 47.0);  // as much is collected as comes in, but for the edges
}

TEST(SteadyCosts, OfSteadyHaveTheCollectionInThePut) {
    const CostSettings costs = small::settings().costs;
    const SteadyCosts found =
        measureSteadyCosts(small::scenario(), small::contender("steady/stl"), costs, [](double) {});
    EXPECT_NEAR(found.putNs, 40'000.0 + 4'700.0, 47.0);
    EXPECT_LT(found.collectPerMessageNs, 5.0);  // a tick finds the entry or two that expired since the last insert
}

TEST(SteadyCosts, DoNotSeeTheStallOrTheOutage) {
    Scenario scenario = small::scenario();
    scenario.stalls = {{nsPerSecond, 5 * nsPerSecond}};
    scenario.ackOutage = Span{0, 100 * nsPerSecond};
    const SteadyCosts found =
        measureSteadyCosts(scenario, small::contender("scheduled-1000/stl"), small::settings().costs, [](double) {});
    EXPECT_DOUBLE_EQ(found.ackNs, 6'000.0);
}

}  // namespace
}  // namespace replay
