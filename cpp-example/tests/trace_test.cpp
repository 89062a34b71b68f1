// Reading and writing recorded brokers.
#include "trace.hpp"

#include "small_incident.hpp"
#include "temporary_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

namespace replay {
namespace {

const std::string header = "time_us,op,guid,size\n";
const std::string guid = "000102030405060708090a0b0c0d0e0f";

class TraceTest : public testing::Test {
  protected:
    std::string fileWith(const std::string& text) const {
        const std::string path = directory_.path() / "trace.csv";
        std::ofstream(path) << text;
        return path;
    }

    std::string errorOf(const std::string& text) const {
        try {
            readTrace(fileWith(text));
        } catch (const TraceError& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryDirectory directory_;
};

TEST_F(TraceTest, ReadsPutsAndAcks) {
    const Trace trace =
        readTrace(fileWith(header + "# a comment\n0,PUT," + guid + ",100\r\n\n 2500 , ack , " + guid + " , 0\n"));
    ASSERT_EQ(trace.events.size(), 2U);
    EXPECT_EQ(trace.puts, 1U);
    EXPECT_EQ(trace.events[0].kind, EventKind::Put);
    EXPECT_EQ(trace.events[1].kind, EventKind::Ack);
    EXPECT_EQ(trace.events[1].atNs, 2'500 * nsPerUs);
    EXPECT_EQ(toHex(trace.keys[0]), guid);
    EXPECT_EQ(trace.keys[0], trace.keys[1]);
    EXPECT_EQ(trace.lengthNs(), 2'500 * nsPerUs);
}

TEST_F(TraceTest, TakesTheColumnsInAnyOrder) {
    EXPECT_EQ(readTrace(fileWith("op,size,guid,time_us\nPUT,1," + guid + ",5\n")).events[0].atNs, 5 * nsPerUs);
}

TEST_F(TraceTest, NamesTheLineOfEveryMistake) {
    const std::string good = header + "10,PUT," + guid + ",1\n";
    const std::pair<std::string, std::string> mistakes[] = {
        {"11,DELETE," + guid + ",1\n", "'DELETE'"},
        {"11,PUT," + guid + "\n", ""},
        {"11,PUT," + guid + ",1,2\n", ""},
        {"11,PUT,0001,1\n", "'0001'"},
        {"11,PUT,x00102030405060708090a0b0c0d0e0f,1\n", "32 hex digits"},
        {"9,PUT," + guid + ",1\n", "in order"},
        {"soon,PUT," + guid + ",1\n", "'soon'"},
        {",PUT," + guid + ",1\n", "whole number"},
        {"-5,PUT," + guid + ",1\n", "-5"},
        {"99999999999999999999,PUT," + guid + ",1\n", "whole number"},
        {"9999999999999999,PUT," + guid + ",1\n", "between"},
        {"11,PUT," + guid + ",big\n", "'big'"},
        {"11,PUT," + guid + ",-1\n", "-1"},
    };
    for (const auto& [line, words] : mistakes) {
        const std::string error = errorOf(good + line);
        EXPECT_NE(error.find("line 3"), std::string::npos) << line << error;
        EXPECT_NE(error.find(words), std::string::npos) << line << error;
    }
}

TEST_F(TraceTest, RefusesAFileThatIsNone) {
    EXPECT_NE(errorOf("").find("eader"), std::string::npos);
    EXPECT_NE(errorOf("time,what\n1,2\n"), "no error");
    EXPECT_NE(errorOf(header).find("no PUT"), std::string::npos);
    EXPECT_THROW(readTrace((directory_.path() / "missing.csv").string()), TraceError);
}

TEST_F(TraceTest, WhatARunRecordsReplaysAsThatRun) {
    const std::string path = directory_.path() / "recorded.csv";
    Scenario scenario = small::scenario();
    scenario.start = Start::Cold;
    scenario.stalls.clear();
    scenario.durationNs = 3 * nsPerSecond;
    RunSettings settings = small::settings();
    TraceWriter writer(path);
    settings.traceWriter = &writer;
    const RunResult original = small::run(scenario, "scheduled-1000/stl", settings);
    writer.finish();

    const Trace trace = readTrace(path);
    settings.traceWriter = nullptr;
    settings.trace = &trace;
    const RunResult again = small::run(scenario, "scheduled-1000/stl", settings);
    EXPECT_GT(original.recording.totals.puts, 2'900U);
    EXPECT_EQ(again.recording.totals.puts, original.recording.totals.puts);
    EXPECT_EQ(again.recording.totals.acks, original.recording.totals.acks);
    EXPECT_EQ(again.recording.totals.unknownAcks, 0U);
    EXPECT_EQ(again.recording.endHistory, original.recording.endHistory);
}

TEST_F(TraceTest, DuplicatesAndStrayAcksAreCounted) {
    const Trace trace = readTrace(fileWith(header + "0,PUT," + guid + ",1\n1,PUT," + guid + ",1\n2,ACK," + guid +
                                           ",0\n3,PUT," + guid + ",1\n4,ACK," + guid + ",0\n"));
    Scenario scenario = small::scenario();
    scenario.start = Start::Cold;
    scenario.stalls.clear();
    scenario.durationNs = nsPerSecond;
    RunSettings settings = small::settings();
    settings.trace = &trace;
    const Totals totals = small::run(scenario, "steady/queuecore", settings).recording.totals;
    EXPECT_EQ(totals.puts, 1U);
    EXPECT_EQ(totals.duplicates, 2U);
    EXPECT_EQ(totals.acks, 1U);
    EXPECT_EQ(totals.unknownAcks, 1U);
}

}  // namespace
}  // namespace replay
