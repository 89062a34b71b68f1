// The slowest inserts in the steady state: each insert timed by itself, the minimum of a few identical
// passes, each from a fresh instance. The stand-in collects a thousand inside one insert in a thousand;
// queuecore a few in each.
#include "groups.hpp"
#include "op_times.hpp"
#include "progress.hpp"
#include "queuecore_engine.hpp"
#include "resident.hpp"
#include "stand_in_engine.hpp"
#include "stream.hpp"

namespace bench {
namespace {

const char* const group = "Inserts in the steady state (minimum of identical passes)";

std::uint64_t wholeBlocks(std::uint64_t count) { return (count + keyBlock - 1) / keyBlock * keyBlock; }

template <class Engine>
void runPass(std::uint64_t entries, std::uint64_t count, OpTimes& times) {
    Engine engine(windowFor(entries));
    Stream<Engine> stream(engine);
    settle(stream, entries);
    stream.timeInserts(count, [&](std::uint64_t ticks) { times.record(ticks); });
    times.finishPass();
}

}  // namespace

void measureInsertTails(const Plan& plan, Report& report) {
    for (const std::uint64_t entries : plan.steadySizes()) {
        progress("slowest inserts at " + std::to_string(entries) + " entries");
        const std::uint64_t count = wholeBlocks(plan.tailMessages);
        OpTimes standIn(count);
        OpTimes queuecore(count);
        for (int pass = 0; pass < plan.tailPasses; ++pass) {
            runPass<StandInEngine>(entries, count, standIn);
            trimHeap();
            runPass<QueuecoreEngine>(entries, count, queuecore);
            trimHeap();
        }
        report.addTails(group, "insert", StandInEngine::name, entries, standIn);
        report.addTails(group, "insert", QueuecoreEngine::name, entries, queuecore);
        if (entries == plan.bigEntries) {
            const Quantiles best = queuecore.best();
            report.addGoal({"insert_p999_20m_ns", 1500, best.p999});
            report.addGoal({"insert_p9999_20m_ns", 5000, best.p9999});
            report.addGoal({"insert_p9999_20m_ratio", 0.10, best.p9999 / standIn.best().p9999});
        }
    }
}

}  // namespace bench
