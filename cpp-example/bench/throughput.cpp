// Nanoseconds per message in the steady state. A message is a duplicate check, an insert, and the erase of
// the message a thousand before it; collection is part of it. The stand-in checks in a call of its own, as
// the incumbent's users must; queuecore's insert is the check.
//
// Singly, messages are kept apart: a dispatcher does other work between two of them, so their cache misses do
// not overlap. The overlapped rows are the same loop without that, for who wants to know. Engines take turns
// within every round.
#include "groups.hpp"
#include "progress.hpp"
#include "queuecore_engine.hpp"
#include "stand_in_engine.hpp"
#include "stream.hpp"

namespace bench {
namespace {

const char* const group = "Steady state, ns per message";

struct Rounds {
    std::vector<double> standInChecked;
    std::vector<double> standInUnchecked;
    std::vector<double> standInOverlapped;
    std::vector<double> single;
    std::vector<double> overlapped;
    std::vector<double> batch;
};

template <class Engine>
void requireSteady(Engine& engine, std::uint64_t entries) {
    const std::uint64_t slack = liveMessages + 2 * collectionInterval;
    if (engine.entries() + slack < entries || engine.entries() > entries + slack) {
        throw std::logic_error(std::string(Engine::name) + ": the history does not stay at its size");
    }
}

Rounds run(const Plan& plan, std::uint64_t entries, Report& report) {
    StandInEngine standIn(windowFor(entries));
    QueuecoreEngine queuecore(windowFor(entries));
    Stream<StandInEngine> standInStream(standIn);
    Stream<QueuecoreEngine> queuecoreStream(queuecore);
    settle(standInStream, entries);
    settle(queuecoreStream, entries);
    report.addValue("Bytes", "bytes per entry, steady", StandInEngine::name, entries, "B",
                    static_cast<double>(standIn.bytesInUse()) / static_cast<double>(standIn.entries()));
    report.addValue("Bytes", "bytes per entry, steady", QueuecoreEngine::name, entries, "B",
                    static_cast<double>(queuecore.bytesInUse()) / static_cast<double>(queuecore.entries()));
    const std::uint64_t count = plan.messagesPerRound;
    Rounds rounds;
    for (int round = 0; round < plan.rounds; ++round) {
        rounds.standInChecked.push_back(
            standInStream.timeSingly<Check::Separate, Messages::Separated>(count));
        rounds.single.push_back(queuecoreStream.timeSingly<Check::No, Messages::Separated>(count));
        rounds.batch.push_back(queuecoreStream.timeBatches(count));
        rounds.standInUnchecked.push_back(standInStream.timeSingly<Check::No, Messages::Separated>(count));
        rounds.standInOverlapped.push_back(
            standInStream.timeSingly<Check::Separate, Messages::Overlapped>(count));
        rounds.overlapped.push_back(queuecoreStream.timeSingly<Check::No, Messages::Overlapped>(count));
    }
    requireSteady(standIn, entries);
    requireSteady(queuecore, entries);
    return rounds;
}

}  // namespace

void measureThroughput(const Plan& plan, Report& report) {
    for (const std::uint64_t entries : plan.steadySizes()) {
        progress("steady state at " + std::to_string(entries) + " entries");
        const Rounds rounds = run(plan, entries, report);
        const auto add = [&](const char* what, const char* engine, const std::vector<double>& passes) {
            report.add({group, what, engine, entries, "ns", summarize(passes), {}});
        };
        add("with its separate check", StandInEngine::name, rounds.standInChecked);
        add("without a check", StandInEngine::name, rounds.standInUnchecked);
        add("with check, overlapped", StandInEngine::name, rounds.standInOverlapped);
        add("singly", QueuecoreEngine::name, rounds.single);
        add("singly, overlapped", QueuecoreEngine::name, rounds.overlapped);
        add("batches of 64", QueuecoreEngine::name, rounds.batch);
        const double single = medianRatio(rounds.single, rounds.standInChecked);
        const double batch = medianRatio(rounds.batch, rounds.standInChecked);
        report.addValue(group, "ratio, singly", "both", entries, "", single);
        report.addValue(group, "ratio, batches of 64", "both", entries, "", batch);
        if (entries == plan.bigEntries) {
            report.addGoal({"single_20m_ratio", 0.33, single});
            report.addGoal({"batch64_20m_ratio", 0.11, batch});
        } else if (entries == plan.mediumEntries) {
            report.addGoal({"single_1m_ratio", 0.70, single});
            report.addGoal({"batch64_1m_ratio", 0.40, batch});
        } else if (entries == plan.smallEntries) {
            report.addGoal({"single_100k_ratio", 0.70, single});
        }
    }
}

}  // namespace bench
