// Lookups and collection in a large history. Lookups follow one another without a pause, as do the expired
// entries of one collection; the engines take turns within every round.
#include "groups.hpp"
#include "progress.hpp"
#include "queuecore_engine.hpp"
#include "stand_in_engine.hpp"
#include "stream.hpp"

namespace bench {
namespace {

const char* const lookupGroup = "Lookups, ns";
const char* const collectGroup = "Collection, ns per expired entry";

constexpr std::uint64_t collectAtOnce = 1000;

template <class Engine>
class Subject {
  public:
    explicit Subject(std::uint64_t entries)
        : entries_(entries), engine_(windowFor(entries)), stream_(engine_) {
        settle(stream_, entries);
    }

    void timeMisses(std::uint64_t count) {
        misses_.push_back(stream_.timeLookups(
            count, 0, [&](std::uint64_t) { return absent_++; },
            [&](const auto* keys) { return knownSingly(keys); }));
    }

    void timeBatchMisses(std::uint64_t count) {
        batchMisses_.push_back(stream_.timeLookups(
            count, 0, [&](std::uint64_t) { return absent_++; },
            [&](const auto* keys) { return knownInBatches(keys); }));
    }

    /// Historical keys, spread over all ages.
    void timeHits(std::uint64_t count) {
        const std::uint64_t youngest = stream_.sent() - 2 * liveMessages;
        const std::uint64_t range = entries_ - 4 * liveMessages;
        hits_.push_back(stream_.timeLookups(
            count, 1, [&](std::uint64_t i) { return youngest - mix(i + 1) % range; },
            [&](const auto* keys) { return knownSingly(keys); }));
    }

    /// Lets the oldest `count` expire, collects them, and fills up again.
    void timeCollection(std::uint64_t count) {
        stream_.wait(windowFor(count));
        collections_.push_back(collectAll());
        stream_.sendAtOnce(count);
    }

    /// Lets all expire.
    double timeDraining() {
        stream_.eraseLive();
        stream_.wait(windowFor(2 * stream_.sent()));
        return collectAll();
    }

    void report(Report& report) const {
        report.add({lookupGroup, "miss, singly", Engine::name, entries_, "ns", summarize(misses_), {}});
        report.add({lookupGroup, "hit, singly", Engine::name, entries_, "ns", summarize(hits_), {}});
        if (!batchMisses_.empty()) {
            report.add({lookupGroup,
                        "miss, batches of 64",
                        Engine::name,
                        entries_,
                        "ns",
                        summarize(batchMisses_),
                        {}});
        }
    }

    void reportCollection(Report& report, double draining) const {
        report.add(
            {collectGroup, "the oldest of many", Engine::name, entries_, "ns", summarize(collections_), {}});
        report.addValue(collectGroup, "all, down to none", Engine::name, entries_, "ns", draining);
    }

    double missNs() const { return summarize(misses_).median; }
    double batchMissNs() const { return summarize(batchMisses_).median; }
    double collectionNs() const { return summarize(collections_).median; }

  private:
    template <class Key>
    std::uint64_t knownSingly(const Key* keys) {
        std::uint64_t known = 0;
        for (std::size_t i = 0; i < keyBlock; ++i) {
            known += engine_.isKnown(keys[i], stream_.nowNs()) ? 1U : 0U;
        }
        return known;
    }

    template <class Key>
    std::uint64_t knownInBatches(const Key* keys) {
        std::uint64_t known = 0;
        for (std::size_t at = 0; at < keyBlock; at += Engine::batchSize) {
            known += engine_.countKnown(keys + at, stream_.nowNs());
        }
        return known;
    }

    double collectAll() {
        const std::uint64_t before = engine_.entries();
        const std::int64_t beginNs = threadNs();
        while (engine_.collect(stream_.nowNs(), collectAtOnce)) {
        }
        const std::int64_t spentNs = threadNs() - beginNs;
        const std::uint64_t collected = before - engine_.entries();
        if (collected == 0) {
            throw std::logic_error(std::string(Engine::name) + ": nothing was collected");
        }
        return static_cast<double>(spentNs) / static_cast<double>(collected);
    }

    std::uint64_t entries_;
    Engine engine_;
    Stream<Engine> stream_;
    std::uint64_t absent_ = firstAbsent;
    std::vector<double> misses_;
    std::vector<double> batchMisses_;
    std::vector<double> hits_;
    std::vector<double> collections_;
};

}  // namespace

void measureAtRest(const Plan& plan, Report& report) {
    progress("lookups and collection at " + std::to_string(plan.bigEntries) + " entries");
    Subject<StandInEngine> standIn(plan.bigEntries);
    Subject<QueuecoreEngine> queuecore(plan.bigEntries);
    const std::uint64_t count = plan.messagesPerRound;
    for (int round = 0; round < plan.rounds; ++round) {
        standIn.timeMisses(count);
        queuecore.timeMisses(count);
        queuecore.timeBatchMisses(count);
        standIn.timeHits(count);
        queuecore.timeHits(count);
    }
    for (int round = 0; round < plan.rounds; ++round) {
        standIn.timeCollection(count);
        queuecore.timeCollection(count);
    }
    standIn.report(report);
    queuecore.report(report);
    standIn.reportCollection(report, standIn.timeDraining());
    queuecore.reportCollection(report, queuecore.timeDraining());
    report.addGoal({"gc_ns_per_entry_20m", 20, queuecore.collectionNs()});
    report.addGoal({"miss_ns_20m", 50, queuecore.missNs()});
    report.addGoal({"miss_batch64_ns_20m", 22, queuecore.batchMissNs()});
}

}  // namespace bench
