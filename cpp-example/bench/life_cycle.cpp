// One instance, default memory, growing from nothing to its largest and draining to nothing: bytes per entry
// at every size on the way, the most entries one call ever moved, and what memory is left at the end, in the
// engine's own books and in the process's resident set.
#include "groups.hpp"
#include "progress.hpp"
#include "queuecore_engine.hpp"
#include "resident.hpp"
#include "stand_in_engine.hpp"
#include "stream.hpp"

#include <algorithm>

namespace bench {
namespace {

const char* const bytesGroup = "Bytes";
const char* const lifeGroup = "Growing from empty and draining";

constexpr std::uint64_t collectAtOnce = 1000;

/// The worst bytes per entry over the sizes looked at, and where it was.
class Worst {
  public:
    template <class Engine>
    void look(Engine& engine, std::uint64_t fromEntries) {
        const std::uint64_t entries = engine.entries();
        if (entries < fromEntries) {
            return;
        }
        const double bytes = static_cast<double>(engine.bytesInUse()) / static_cast<double>(entries);
        if (bytes > bytesPerEntry_) {
            bytesPerEntry_ = bytes;
            entries_ = entries;
        }
    }

    void report(Report& report, const char* what, const char* engine) const {
        report.addValue(bytesGroup, what, engine, entries_, "B", bytesPerEntry_);
    }

    double bytesPerEntry() const { return bytesPerEntry_; }

  private:
    double bytesPerEntry_ = 0;
    std::uint64_t entries_ = 0;
};

struct Life {
    Worst growing;
    Worst draining;
    double bytesLeft = 0;     // share of the peak
    double residentLeft = 0;  // share of what the process had grown by at the peak
};

double growthShare(std::uint64_t before, std::uint64_t peak, std::uint64_t after) {
    if (peak <= before) {
        throw std::logic_error("the resident set did not grow");
    }
    return after <= before ? 0.0 : static_cast<double>(after - before) / static_cast<double>(peak - before);
}

template <class Engine>
void drain(Engine& engine, Stream<Engine>& stream, std::uint64_t fromEntries, Worst& worst) {
    stream.eraseLive();
    stream.wait(stream.nowNs() + windowFor(2 * stream.sent()));
    while (engine.collect(stream.nowNs(), collectAtOnce)) {
        worst.look(engine, fromEntries);
    }
    if (engine.entries() != 0) {
        throw std::logic_error(std::string(Engine::name) + ": something is left after all has expired");
    }
}

/// `afterBlock()` runs after each thousand messages.
template <class Engine, class AfterBlock>
Life live(Engine& engine, std::uint64_t entries, std::uint64_t fromEntries, std::uint64_t residentBefore,
          AfterBlock afterBlock) {
    Life life;
    Stream<Engine> stream(engine);
    stream.send(entries, [&] {
        life.growing.look(engine, fromEntries);
        afterBlock();
    });
    const std::uint64_t residentPeak = residentBytes();
    drain(engine, stream, fromEntries, life.draining);
    life.bytesLeft = static_cast<double>(engine.bytesInUse()) / static_cast<double>(engine.bytesPeak());
    life.residentLeft = growthShare(residentBefore, residentPeak, residentBytes());
    return life;
}

void reportLife(Report& report, const Life& life, const char* engine, std::uint64_t entries) {
    life.growing.report(report, "bytes per entry, worst growing", engine);
    life.draining.report(report, "bytes per entry, worst draining", engine);
    report.addValue(lifeGroup, "bytes left after draining / peak", engine, entries, "", life.bytesLeft);
    report.addValue(lifeGroup, "resident left / peak", engine, entries, "", life.residentLeft);
}

void liveQueuecore(const Plan& plan, Report& report) {
    const std::uint64_t before = residentBytes();
    QueuecoreEngine engine(windowFor(2 * plan.growthEntries));
    std::vector<std::uint64_t> stops{10'000, plan.smallEntries, plan.mediumEntries, plan.bigEntries};
    std::uint64_t sent = 0;
    const Life life = live(engine, plan.growthEntries, plan.bytesFromEntries, before, [&] {
        sent += keyBlock;
        if (!stops.empty() && sent >= stops.front()) {
            report.addValue(lifeGroup, "most entries moved by one call", QueuecoreEngine::name, stops.front(),
                            "", static_cast<double>(engine.maxEntriesMoved()));
            stops.erase(stops.begin());
        }
    });
    const auto moved = static_cast<double>(engine.maxEntriesMoved());
    report.addValue(lifeGroup, "most entries moved by one call", QueuecoreEngine::name, plan.growthEntries,
                    "", moved);
    reportLife(report, life, QueuecoreEngine::name, plan.growthEntries);
    report.addGoal({"growth_max_entries_moved", 256, moved});
    report.addGoal({"bytes_per_entry_worst", 32, life.growing.bytesPerEntry()});
    report.addGoal({"drained_bytes_ratio", 0.02, life.bytesLeft});
    report.addGoal({"drained_rss_ratio", 0.02, life.residentLeft});
}

void liveStandIn(const Plan& plan, Report& report) {
    const std::uint64_t before = residentBytes();
    StandInEngine engine(windowFor(2 * plan.bigEntries));
    const Life life = live(engine, plan.bigEntries, plan.bytesFromEntries, before, [] {});
    reportLife(report, life, StandInEngine::name, plan.bigEntries);
}

}  // namespace

void measureLifeCycle(const Plan& plan, Report& report) {
    progress("growing from empty and draining: queuecore");
    liveQueuecore(plan, report);
    progress("growing from empty and draining: stand-in");
    liveStandIn(plan, report);
    trimHeap();
}

}  // namespace bench
