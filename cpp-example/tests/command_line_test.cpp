// Flags: what they set, and in which words wrong ones are refused.
#include "command_line.hpp"

#include "presets.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace replay {
namespace {

std::variant<Command, Exit> parse(std::initializer_list<const char*> flags) {
    std::vector<const char*> argv{"queuecore-replay"};
    argv.insert(argv.end(), flags);
    return parseCommandLine(static_cast<int>(argv.size()), argv.data());
}

Command accepted(std::initializer_list<const char*> flags) {
    const auto parsed = parse(flags);
    EXPECT_TRUE(std::holds_alternative<Command>(parsed));
    return std::holds_alternative<Command>(parsed) ? std::get<Command>(parsed) : Command{};
}

std::string refusal(std::initializer_list<const char*> flags) {
    testing::internal::CaptureStderr();
    const auto parsed = parse(flags);
    const std::string text = testing::internal::GetCapturedStderr();
    const Exit* exit = std::get_if<Exit>(&parsed);
    return exit != nullptr && exit->code == 2 ? text : "accepted";
}

TEST(CommandLine, WithoutFlagsIsTheIncidentAsSpecified) {
    const Command command = accepted({});
    EXPECT_TRUE(command.asSpecified);
    EXPECT_EQ(command.preset, "incident");
    EXPECT_TRUE(command.scenario == Scenario{});
    ASSERT_EQ(command.contenders.size(), 4U);
    EXPECT_EQ(command.contenders.front().name(), "scheduled-1000/stl");
    EXPECT_EQ(command.contenders.back().name(), "steady/queuecore");
    EXPECT_EQ(command.starts, std::vector<Start>{Start::Prefilled});
    EXPECT_EQ(command.costs.passes, 3U);
}

TEST(CommandLine, AFlagChangesThePresetAndItsName) {
    const Command command = accepted({"--preset", "seed", "--rate", "70000", "--stall", "5,1s", "--stall", "9s,20ms"});
    EXPECT_FALSE(command.asSpecified);
    EXPECT_EQ(command.preset, "custom");
    EXPECT_EQ(command.scenario.ratePerS, 70'000U);
    EXPECT_EQ(command.scenario.windowNs, 300 * nsPerSecond);
    ASSERT_EQ(command.scenario.stalls.size(), 2U);
    EXPECT_EQ(command.scenario.stalls[0].durationNs, nsPerSecond);
    EXPECT_EQ(command.scenario.stalls[1].startNs, 9 * nsPerSecond);
    EXPECT_EQ(command.starts, std::vector<Start>{Start::Cold});
}

TEST(CommandLine, FixedCostsAreNotWhatTheGoalsAreMeantFor) {
    EXPECT_FALSE(accepted({"--cost", "fixed"}).asSpecified);
    EXPECT_EQ(accepted({"--cost", "fixed"}).preset, "incident");
    EXPECT_FALSE(accepted({"--clock", "real"}).asSpecified);
}

TEST(CommandLine, TheChoiceOfContenders) {
    const auto names = [](const Command& command) {
        std::string text;
        for (const Contender& contender : command.contenders) {
            text += contender.name() + " ";
        }
        return text;
    };
    EXPECT_EQ(names(accepted({"--run", "steady/stl,inline-1000/queuecore"})), "steady/stl inline-1000/queuecore ");
    EXPECT_EQ(names(accepted({"--policy", "steady"})), "steady/stl steady/queuecore ");
    EXPECT_EQ(names(accepted({"--policy", "steady,scheduled-1m", "--engine", "stl"})), "scheduled-1m/stl steady/stl ");
    EXPECT_EQ(accepted({"--engine", "queuecore"}).contenders.size(), allPolicies().size());
}

TEST(CommandLine, StartsAsAsked) {
    EXPECT_EQ(accepted({"--cold"}).starts, std::vector<Start>{Start::Cold});
    EXPECT_EQ(accepted({"--start", "both"}).starts, (std::vector<Start>{Start::Prefilled, Start::Cold}));
    EXPECT_EQ(accepted({"--preset", "seed", "--start", "prefilled"}).starts, std::vector<Start>{Start::Prefilled});
}

TEST(CommandLine, KeepsWhatWasTypedButNotWhereItGoes) {
    EXPECT_EQ(accepted({"--out", "somewhere", "--rate", "5"}).typed, "queuecore-replay --rate 5");
    EXPECT_EQ(accepted({"--out=else where", "--record", "a b.csv", "--run", "steady/stl"}).typed,
              "queuecore-replay --record 'a b.csv' --run steady/stl");
}

TEST(CommandLine, RefusesNonsenseInWords) {
    const std::pair<std::vector<const char*>, const char*> wrong[] = {
        {{"--rate", "0"}, "--rate"},
        {{"--rate", "-5"}, "--rate"},
        {{"--rate", "many"}, "--rate"},
        {{"--window", "60 parsecs"}, "60 parsecs"},
        {{"--window", "0"}, "--window"},
        {{"--duration", "400h"}, "--duration"},
        {{"--stall", "10s"}, "START,DURATION"},
        {{"--stall", "300s,100ms"}, "end of the run"},
        {{"--stall", "1,1", "--no-stall"}, "--no-stall"},
        {{"--ack-outage", "x,5"}, "'x'"},
        {{"--queue-limit", "0"}, "--queue-limit"},
        {{"--passes", "0"}, "--passes"},
        {{"--seed", "0"}, "--seed"},
        {{"--preset", "fire"}, "fire"},
        {{"--policy", "lazy"}, "lazy"},
        {{"--run", "steady"}, "POLICY/ENGINE"},
        {{"--engine", "boost"}, "boost"},
        {{"--clock", "real", "--cost", "fixed"}, "--cost fixed"},
        {{"--clock", "real", "--find-capacity"}, "--find-capacity"},
        {{"--clock", "real", "--predict-capacity"}, "--predict-capacity"},
        {{"--record", "x.csv"}, "--run"},
        {{"--trace", "/nonexistent.csv"}, "nonexistent"},
        {{"--rate", "10000000", "--window", "1h"}, "million entries"},
        {{"--sample", "300s"}, "--sample"},
        {{"--cold", "--start", "both"}, "--start"},
        {{"--frobnicate"}, "frobnicate"},
        {{"--scenario", "fire"}, "fire"},
        {{"--scenario", "usage", "--rate", "5"}, "belongs to --scenario dispatcher"},
        {{"--consumers", "3"}, "belongs to --scenario usage"},
        {{"--scenario", "usage", "--limit", "many"}, "--limit"},
        {{"--scenario", "usage", "--limit", "8KiB"}, "never fits"},
        {{"--scenario", "usage", "--message-size", "5KiB,1KiB"}, "--message-size"},
        {{"--scenario", "usage", "--message-size", "1", "--limit", "1GiB"}, "smallest messages"},
        {{"--scenario", "usage", "--work", "long"}, "--work"},
        {{"--scenario", "usage", "--resume-below", "101"}, "--resume-below"},
        {{"--scenario", "usage", "--meter", "sundial"}, "sundial"},
        {{"--scenario", "usage", "--backlog", "5"}, "belongs to --scenario cursor"},
        {{"--scenario", "cursor", "--consumers", "5"}, "belongs to --scenario usage"},
        {{"--scenario", "cursor", "--seed", "5"}, "belongs to --scenario dispatcher"},
        {{"--limit", "5MiB"}, "belongs to --scenario usage"},
        {{"--scenario", "cursor", "--message-size", "1KiB,2KiB"}, "one size"},
        {{"--scenario", "cursor", "--message-size", "15"}, "between 16 B"},
        {{"--scenario", "cursor", "--limit", "10KiB"}, "fewer than ten"},
        {{"--scenario", "cursor", "--prefetch", "5"}, "--prefetch"},
        {{"--scenario", "cursor", "--backlog", "5"}, "fits into memory"},
        {{"--scenario", "cursor", "--part", "sundial"}, "sundial"},
        {{"--scenario", "cursor", "--refill", "sundial"}, "sundial"},
        {{"--scenario", "cursor", "--fault", "sundial"}, "sundial"},
        {{"--scenario", "cursor", "--fault-every", "1"}, "--fault-every"},
        {{"--scenario", "cursor", "--fetch-delay", "2s"}, "--fetch-delay"},
        {{"--scenario", "cursor", "--turns", "0"}, "--turns"},
    };
    for (const auto& [flags, words] : wrong) {
        std::vector<const char*> argv{"queuecore-replay"};
        argv.insert(argv.end(), flags.begin(), flags.end());
        testing::internal::CaptureStderr();
        const auto parsed = parseCommandLine(static_cast<int>(argv.size()), argv.data());
        const std::string text = testing::internal::GetCapturedStderr();
        const Exit* exit = std::get_if<Exit>(&parsed);
        ASSERT_NE(exit, nullptr) << flags.front();
        EXPECT_EQ(exit->code, 2) << flags.front();
        EXPECT_NE(text.find(words), std::string::npos) << flags.front() << ": " << text;
    }
}

TEST(CommandLine, TheScenarioUsage) {
    EXPECT_FALSE(accepted({}).usage.has_value());
    const Command usual = accepted({"--scenario", "usage"});
    ASSERT_TRUE(usual.usage.has_value());
    EXPECT_EQ(usual.usage->producers, 16U);
    EXPECT_EQ(usual.usage->limitBytes, 67'108'864U);
    EXPECT_EQ(usual.usage->meters, allMeters());
    const Command other = accepted({"--scenario", "usage", "--producers", "3", "--consumers", "2", "--limit", "1MiB",
                                    "--message-size", "2KiB", "--duration", "2", "--work", "250ns", "--resume-below",
                                    "90", "--meter", "queuecore,lock", "--seed", "7", "--quiet", "--out", "x"});
    ASSERT_TRUE(other.usage.has_value());
    EXPECT_EQ(other.usage->producers, 3U);
    EXPECT_EQ(other.usage->consumers, 2U);
    EXPECT_EQ(other.usage->limitBytes, 1'048'576U);
    EXPECT_EQ(other.usage->leastBytes, 2'048U);
    EXPECT_EQ(other.usage->mostBytes, 2'048U);
    EXPECT_EQ(other.usage->durationNs, 2 * nsPerSecond);
    EXPECT_EQ(other.usage->workNs, 250);
    EXPECT_EQ(other.usage->resumeBelowPercent, 90);
    EXPECT_EQ(other.usage->meters, (std::vector<MeterKind>{MeterKind::Queuecore, MeterKind::Lock}));
    EXPECT_EQ(other.outDirectory, "x");
}

TEST(CommandLine, TheScenarioCursor) {
    EXPECT_FALSE(accepted({}).cursor.has_value());
    const Command usual = accepted({"--scenario", "cursor"});
    ASSERT_TRUE(usual.cursor.has_value());
    EXPECT_FALSE(usual.usage.has_value());
    EXPECT_EQ(usual.cursor->messages, 200'000U);
    EXPECT_EQ(usual.cursor->parts, allCursorParts());
    EXPECT_EQ(usual.cursor->refills, allRefills());
    EXPECT_EQ(usual.storeDirectory, "target/replay/store");
    const Command other =
        accepted({"--scenario", "cursor", "--backlog", "9000", "--limit", "1MiB", "--message-size", "512", "--prefetch",
                  "5000", "--part", "slow,starvation", "--refill", "hysteresis", "--fault", "fail,short", "--fault-every",
                  "3", "--fetch-delay", "50us", "--turns", "5", "--store", "y", "--out", "x"});
    ASSERT_TRUE(other.cursor.has_value());
    EXPECT_EQ(other.cursor->messages, 9'000U);
    EXPECT_EQ(other.cursor->limitBytes, 1'048'576U);
    EXPECT_EQ(other.cursor->messageBytes, 512U);
    EXPECT_EQ(other.cursor->prefetch, 5'000U);
    EXPECT_EQ(other.cursor->parts, (std::vector<CursorPart>{CursorPart::SlowStore, CursorPart::Starvation}));
    EXPECT_EQ(other.cursor->refills, (std::vector<Refill>{Refill::Hysteresis}));
    EXPECT_EQ(other.cursor->faults, (std::vector<Fault>{Fault::Fail, Fault::Short}));
    EXPECT_EQ(other.cursor->faultEvery, 3U);
    EXPECT_EQ(other.cursor->fetchDelayNs, 50 * nsPerUs);
    EXPECT_EQ(other.cursor->turns, 5U);
    EXPECT_EQ(other.storeDirectory, "y");
}

TEST(CommandLine, TracesGoTheirOwnWay) {
    // Any file that exists will do here.
    EXPECT_EQ(accepted({"--trace", "/proc/self/cmdline"}).starts, std::vector<Start>{Start::Cold});
    EXPECT_NE(refusal({"--trace", "/proc/self/cmdline", "--rate", "5"}), "accepted");
    EXPECT_NE(refusal({"--trace", "/proc/self/cmdline", "--find-capacity"}), "accepted");
    EXPECT_NE(refusal({"--trace", "/proc/self/cmdline", "--clock", "real"}), "accepted");
}

TEST(CommandLine, HelpTeachesAndEndsWell) {
    testing::internal::CaptureStdout();
    const auto parsed = parse({"--help"});
    const std::string text = testing::internal::GetCapturedStdout();
    ASSERT_TRUE(std::holds_alternative<Exit>(parsed));
    EXPECT_EQ(std::get<Exit>(parsed).code, 0);
    for (const char* word : {"--find-capacity", "--trace", "--ack-outage", "Examples", "scheduled-1000", "no slack", "--scenario",
                             "queuecore-reserve"}) {
        EXPECT_NE(text.find(word), std::string::npos) << word;
    }
}

}  // namespace
}  // namespace replay
