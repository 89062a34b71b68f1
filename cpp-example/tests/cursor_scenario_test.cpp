// The scenario `cursor`: nothing about how fast, only that every message comes once and in order whatever the store does,
// what is counted, and what is told.
#include "cursor/backlog_run.hpp"
#include "cursor/cursor_figures.hpp"
#include "cursor/cursor_output.hpp"
#include "cursor/cursor_program.hpp"
#include "cursor/queue.hpp"
#include "cursor/starvation_run.hpp"

#include "temporary_directory.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace replay {
namespace {

constexpr std::uint64_t bodyBytes = 256;

/// About 2,200 messages fit below the mark.
BacklogCase small(Refill refill) {
    BacklogCase one;
    one.refill = refill;
    one.messages = 6'000;
    one.liveMessages = 600;
    one.messageBytes = bodyBytes;
    one.limitBytes = 800'000;
    one.batch = 50;
    return one;
}

CursorScenario smallScenario() {
    CursorScenario scenario;
    scenario.messages = 4'000;
    scenario.messageBytes = bodyBytes;
    scenario.limitBytes = 800'000;
    scenario.fetchDelayNs = 0;
    return scenario;
}

BacklogResult run(const BacklogCase& what) {
    const TemporaryDirectory directory;
    auto result = runBacklog(what, directory.path());
    EXPECT_TRUE(std::filesystem::is_empty(directory.path())) << "the store's files are gone";
    return std::move(*result);
}

class EveryRefill : public testing::TestWithParam<Refill> {};

TEST_P(EveryRefill, DeliversABacklogAndKeepsToTheBound) {
    for (const Deletion deletion : {Deletion::Each, Deletion::Range}) {
        BacklogCase what = small(GetParam());
        what.deletion = deletion;
        const BacklogResult result = run(what);
        EXPECT_EQ(result.messages, 6'600U);
        EXPECT_GT(result.cpuSeconds, 0.0);
        EXPECT_GT(result.pages, 0U);
        EXPECT_EQ(result.cacheOffTurns, 1U) << "the backlog is larger than the memory";
        EXPECT_GT(result.peakBytes, what.limitBytes / 2);
        EXPECT_LE(result.peakBytes, result.boundBytes);
        ASSERT_GT(result.samples.size(), 10U);
        EXPECT_EQ(result.samples.back().usageBytes, 0U);
        EXPECT_EQ(result.samples.back().acknowledged, result.messages);
        EXPECT_EQ(result.samples.back().pagedMessages, result.pagedMessages);
    }
}

TEST_P(EveryRefill, LosesNothingToAStoreThatMisbehaves) {
    for (const Fault fault : allFaults()) {
        BacklogCase what = small(GetParam());
        what.messages = 4'000;
        what.faults.faults = {fault};
        what.faults.every = 3;
        what.faults.blockNs = 1'000;
        const BacklogResult result = run(what);
        EXPECT_EQ(result.messages, 4'600U);
        EXPECT_GT(result.faults, 0U) << faultName(fault);
        if (fault == Fault::Fail || fault == Fault::TooMany) {
            EXPECT_EQ(result.refusedFetches, result.faults) << faultName(fault);
        } else if (fault == Fault::Block || fault == Fault::Short) {
            EXPECT_EQ(result.refusedFetches, 0U) << faultName(fault);
        }
        EXPECT_LE(result.peakBytes, result.boundBytes);
    }
}

TEST_P(EveryRefill, TheSameIsCountedEachTime) {
    const BacklogResult first = run(small(GetParam()));
    const BacklogResult second = run(small(GetParam()));
    EXPECT_EQ(first.pages, second.pages);
    EXPECT_EQ(first.pagedMessages, second.pagedMessages);
    EXPECT_EQ(first.peakBytes, second.peakBytes);
}

INSTANTIATE_TEST_SUITE_P(Cursor, EveryRefill, testing::ValuesIn(allRefills()),
                         [](const auto& refill) { return refillName(refill.param); });

TEST(CursorScenario, PagesAreWholeUnlessOneIsTakenAtATime) {
    EXPECT_EQ(run(small(Refill::OneByOne)).messagesPerPage(), 1.0);
    const BacklogResult classic = run(small(Refill::Classic));
    const BacklogResult hysteresis = run(small(Refill::Hysteresis));
    EXPECT_GE(hysteresis.messagesPerPage(), 0.9 * pageMessages);
    EXPECT_LE(hysteresis.pages, classic.pages);
}

TEST(CursorScenario, AtTheMarkTheClassicRuleTurnsTheCacheAllTheTime) {
    CursorScenario scenario = smallScenario();
    const BacklogResult classic = run(backlogOf(scenario, CursorPart::AtTheMark, Refill::Classic));
    const BacklogResult hysteresis = run(backlogOf(scenario, CursorPart::AtTheMark, Refill::Hysteresis));
    EXPECT_GT(classic.cacheOffTurns, scenario.messages / 2);
    EXPECT_LE(hysteresis.cacheOffTurns, 10U);
}

TEST(CursorScenario, AnIdleNeighbourStarvesAQueueWithoutAShare) {
    const TemporaryDirectory directory;
    StarvationCase what = starvationOf(smallScenario(), Neighbour::IdleClassic);
    what.patienceNs = 1'000;
    EXPECT_EQ(runStarvation(what, directory.path())->messages, 0U);
    what.neighbour = Neighbour::IdleWithShare;
    const StarvationResult shared = *runStarvation(what, directory.path());
    EXPECT_EQ(shared.messages, what.messages);
    EXPECT_EQ(shared.lentPages, what.messages / pageMessages);
    EXPECT_GE(shared.idlePercent, 70.0);
    what.neighbour = Neighbour::None;
    EXPECT_EQ(runStarvation(what, directory.path())->messages, what.messages);
}

/// A queue whose messages are only in the store, and somebody else who changes that behind its back.
class QueueBesideAnIntruder : public testing::Test {
  protected:
    QueueBesideAnIntruder()
        : usage_(queuecore::UsageOptions().limit_bytes(10'000)), queue_(settings(directory_), usage_) {
        queue_.produce();
        queue_.commit();
    }

    static QueueSettings settings(const TemporaryDirectory& directory) {
        QueueSettings settings;
        settings.file = directory.path() / "queue.db";
        settings.messageBytes = bodyBytes;
        settings.policy.use_cache(false);
        return settings;
    }

    void run(const char* sql) {
        sqlite3* intruder = nullptr;
        ASSERT_EQ(sqlite3_open(settings(directory_).file.c_str(), &intruder), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(intruder, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(intruder);
    }

    TemporaryDirectory directory_;
    queuecore::Tracker usage_;
    Queue queue_;
};

TEST_F(QueueBesideAnIntruder, AFailureThatNobodyAskedForIsNotExcused) {
    run("UPDATE message SET body = x'00'");
    EXPECT_THROW(queue_.receive(), StoreFailure);
}

TEST_F(QueueBesideAnIntruder, AnotherBodyIsFound) {
    run("UPDATE message SET body = zeroblob(256)");
    EXPECT_TRUE(queue_.receive());
    EXPECT_THROW(queue_.acknowledge(), DeliveryError);
}

TEST_F(QueueBesideAnIntruder, ALostMessageIsFound) {
    run("DELETE FROM message");
    EXPECT_FALSE(queue_.receive());
    EXPECT_THROW(queue_.checkDone(), DeliveryError);
}

TEST_F(QueueBesideAnIntruder, AMessageOutOfOrderIsFound) {
    queue_.produce();
    queue_.commit();
    run("DELETE FROM message WHERE sequence = 1");
    EXPECT_THROW(queue_.receive(), DeliveryError);
}

TEST(CursorScenario, RunsItsPartsInTurnsAndTellsWhatItFound) {
    const TemporaryDirectory directory;
    CursorScenario scenario = smallScenario();
    scenario.turns = 2;
    scenario.parts = {CursorPart::Backlog, CursorPart::SlowStore, CursorPart::Starvation};
    Progress progress(true);
    const auto store = directory.path() / "store";
    const CursorReport report = runCursor(scenario, store, progress);
    EXPECT_FALSE(std::filesystem::exists(store));
    ASSERT_EQ(report.backlogs.size(), 6U);
    ASSERT_EQ(report.starvations.size(), 3U);
    for (const BacklogRow& row : report.backlogs) {
        EXPECT_EQ(row.turns.size(), 2U);
    }
    std::ostringstream table;
    printCursor(report, table);
    for (const char* word : {"4,000 messages of 256 B", "one_by_one", "hysteresis", "messages per page", "Medians of 2",
                             "guaranteed share"}) {
        EXPECT_NE(table.str().find(word), std::string::npos) << word << " is not in\n" << table.str();
    }
    writeCursorFiles(report, directory.path());
    const auto json = nlohmann::json::parse(std::ifstream(directory.path() / "cursor.json"));
    EXPECT_EQ(json["goals"][0]["name"], "pages_vs_classic");
    EXPECT_LE(json["goals"][0]["value"], 1.0);
    EXPECT_EQ(json["rows"][0]["engine"], "one_by_one");
    EXPECT_EQ(json["rows"][0]["passes"], 2);
    std::ifstream csv(directory.path() / "cursor_timeseries.csv");
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "policy,t_s,usage_bytes,acknowledged,pages,paged_messages");
    std::getline(csv, line);
    EXPECT_EQ(line.rfind("one_by_one,-", 0), 0U) << "consumers come at 0: " << line;
}

/// Two turns of a policy that takes so long for what it does.
BacklogRow made(CursorPart part, Refill refill, double seconds, std::uint64_t pages, Ns fetchNs) {
    BacklogResult turn;
    turn.consumeSeconds = seconds;
    turn.messages = 1'000'000;
    turn.pages = pages;
    turn.pagedMessages = 900'000;
    turn.fetchNs = fetchNs;
    BacklogResult slower = turn;
    slower.consumeSeconds *= 2;
    slower.fetchNs *= 2;
    return {part, refill, {slower, turn}};
}

std::optional<double> valueOf(const std::vector<CursorGoal>& goals, const std::string& name) {
    const auto found =
        std::find_if(goals.begin(), goals.end(), [&](const CursorGoal& goal) { return goal.name == name; });
    EXPECT_NE(found, goals.end()) << name;
    return found->value;
}

TEST(CursorFigures, GoalsAreRatiosTurnByTurn) {
    CursorReport report;
    report.backlogs = {made(CursorPart::Backlog, Refill::OneByOne, 6, 900'000, 1'800 * nsPerMs),
                       made(CursorPart::Backlog, Refill::Classic, 4, 5'000, 400 * nsPerMs),
                       made(CursorPart::Backlog, Refill::Hysteresis, 3, 4'500, 300 * nsPerMs)};
    EXPECT_EQ(valueOf(timedGoals(report), "fetch_us_ratio"), 6.0);
    EXPECT_EQ(valueOf(timedGoals(report), "rate_ratio_sqlite"), 2.0);
    EXPECT_EQ(valueOf(timedGoals(report), "rate_ratio_slow_store"), std::nullopt);
    EXPECT_EQ(valueOf(timedGoals(report), "starved_rate_fraction"), std::nullopt);
    EXPECT_EQ(valueOf(countedGoals(report), "pages_vs_classic"), 0.9);
    EXPECT_EQ(valueOf(countedGoals(report), "messages_per_page_fraction"), 1.0);
    EXPECT_EQ(rateWithoutShare(report), std::nullopt);
    report.backlogs[1].turns[0].peakBytes = 7;
    EXPECT_EQ(valueOf(countedGoals(report), "peak_over_bound_bytes"), 7.0);
}

TEST(CursorFigures, ABusyMachineIsTold) {
    CursorReport report;
    report.backlogs = {made(CursorPart::Backlog, Refill::Classic, 4, 5'000, 400 * nsPerMs)};
    for (BacklogResult& turn : report.backlogs[0].turns) {
        turn.cpuSeconds = turn.consumeSeconds / 2;
    }
    std::ostringstream table;
    printCursor(report, table);
    EXPECT_NE(table.str().find("had 50 % of a processor"), std::string::npos) << table.str();
}

TEST(CursorFigures, AnInterruptedReportHasWhatItHas) {
    CursorReport report;
    report.interrupted = true;
    report.backlogs = {{CursorPart::Backlog, Refill::Classic, {}}};
    std::ostringstream table;
    printCursor(report, table);
    EXPECT_NE(table.str().find("Interrupted"), std::string::npos);
    EXPECT_EQ(table.str().find("busy"), std::string::npos);
    EXPECT_TRUE(cursorRows(report).empty());
    EXPECT_EQ(valueOf(countedGoals(report), "pages_vs_classic"), std::nullopt);
}

TEST(CursorScenario, TakesRoomOnTheDiskSeriously) {
    const TemporaryDirectory directory;
    CursorScenario scenario = smallScenario();
    scenario.messages = 1'000'000'000'000'000;
    Progress progress(true);
    EXPECT_THROW(runCursor(scenario, directory.path(), progress), StoreFailure);
}

}  // namespace
}  // namespace replay
