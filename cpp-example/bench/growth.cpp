// The slowest inserts of a history that grows from empty: each insert timed by itself, the minimum of a few
// identical passes, each from a fresh instance. Once over memory that was touched before, which shows the
// engine alone; once from fresh memory, which is what a broker sees.
#include "groups.hpp"
#include "op_times.hpp"
#include "progress.hpp"
#include "queuecore_engine.hpp"
#include "resident.hpp"
#include "stand_in_engine.hpp"
#include "stream.hpp"
#include "touched_pool.hpp"

namespace bench {
namespace {

const char* const group = "Inserts while growing from empty (minimum of identical passes)";

/// Room for the stand-in, the larger of the two: its nodes, and every bucket array it ever had, since one of
/// them never fits where another was.
constexpr std::uint64_t poolBytesPerEntry = 100;

template <class Engine>
void runPass(std::uint64_t entries, const MemoryHooks& hooks, OpTimes& times) {
    Engine engine(windowFor(2 * entries), hooks);  // nothing expires
    Stream<Engine> stream(engine);
    stream.timeInserts(entries, [&](std::uint64_t ticks) { times.record(ticks); });
    times.finishPass();
}

struct Both {
    Quantiles standIn;
    Quantiles queuecore;
};

/// `prepare()` runs before each pass and returns the memory to use.
template <class Prepare>
Both run(const Plan& plan, const std::string& what, Report& report, Prepare prepare) {
    const std::uint64_t entries = (plan.growthEntries + keyBlock - 1) / keyBlock * keyBlock;
    OpTimes standIn(entries);
    OpTimes queuecore(entries);
    for (int pass = 0; pass < plan.tailPasses; ++pass) {
        progress(what + ", pass " + std::to_string(pass + 1));
        runPass<StandInEngine>(entries, prepare(), standIn);
        runPass<QueuecoreEngine>(entries, prepare(), queuecore);
    }
    report.addTails(group, what, StandInEngine::name, plan.growthEntries, standIn);
    report.addTails(group, what, QueuecoreEngine::name, plan.growthEntries, queuecore);
    return {standIn.best(), queuecore.best()};
}

Both overTouchedMemory(const Plan& plan, Report& report) {
    TouchedPool pool(plan.growthEntries * poolBytesPerEntry);
    return run(plan, "touched memory", report, [&] {
        pool.reset();
        return pool.hooks();
    });
}

Both fromFreshMemory(const Plan& plan, Report& report) {
    return run(plan, "fresh memory", report, [] {
        trimHeap();
        return MemoryHooks{};
    });
}

}  // namespace

void measureGrowth(const Plan& plan, Report& report) {
    const Both touched = overTouchedMemory(plan, report);
    report.addGoal({"growth_p999_ns", 2000, touched.queuecore.p999});
    report.addGoal({"growth_p9999_ns", 6000, touched.queuecore.p9999});
    const Both fresh = fromFreshMemory(plan, report);
    report.addGoal({"growth_fresh_p9999_ratio", 0.25, fresh.queuecore.p9999 / fresh.standIn.p9999});
}

}  // namespace bench
