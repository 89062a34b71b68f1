// Small instances: what a history takes that is empty, or holds a few messages, all bytes counted; and collection over
// many histories of one thread, of which hardly any has something to collect.
#include "groups.hpp"
#include "keys.hpp"
#include "progress.hpp"
#include "queuecore_engine.hpp"
#include "timer.hpp"

#include <queuecore.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {
namespace {

const char* const sizeGroup = "Small instances, bytes of all kinds, 16-byte values";
const char* const groupGroup = "Collection over 10,000 histories in a group";
constexpr std::uint64_t histories = 10'000;
constexpr std::int64_t windowNs = 1'000'000'000;
constexpr int rounds = 201;

std::uint64_t bytesWith(std::uint64_t messages, bool drained) {
    QueuecoreEngine engine(windowNs);
    std::vector<QueuecoreEngine::Handle> handles;
    for (std::uint64_t number = 0; number < messages; ++number) {
        QueuecoreEngine::Key key;
        makeKey(number, key);
        handles.push_back(engine.insert(key, number, 0));
    }
    if (drained) {
        for (const QueuecoreEngine::Handle handle : handles) {
            engine.erase(handle, 0);
        }
        while (engine.collect(windowNs, 1000)) {
        }
    }
    return engine.bytesInUse();
}

void require(qc_status status) {
    if (status != QC_OK) {
        throw std::runtime_error(std::string("queuecore: ") + qc_status_string(status) + ": " +
                                 qc_last_error());
    }
}

/// Histories of one thread.
class Members {
  public:
    Members() {
        qc_history_group_options options;
        require(qc_history_group_options_init(&options, sizeof options));
        require(qc_history_group_create(&options, &group_));
        qc_history_options settings;
        require(qc_history_options_init(&settings, sizeof settings));
        settings.window_ns = windowNs;
        settings.group = group_;
        members_.resize(histories);
        for (qc_history*& member : members_) {
            require(qc_history_create(&settings, &member));
        }
    }
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;
    ~Members() {
        for (qc_history* member : members_) {
            qc_history_destroy(member);
        }
        qc_history_group_destroy(group_);
    }

    /// One message each, live from now on.
    void fill(std::int64_t nowNs) {
        for (qc_history* member : members_) {
            qc_key key;
            makeKey(sent_++, key);
            qc_insert_result result;
            require(qc_history_insert(member, &key, nullptr, 0, nowNs, nowNs, &result));
        }
    }

    /// Microseconds of one collection that finds nothing to collect.
    Summary timeNothing(std::int64_t nowNs) {
        std::vector<double> passes;
        for (int round = 0; round < rounds; ++round) {
            qc_gc_result result;
            const std::uint64_t begin = startTicks();
            require(qc_history_group_gc_many(group_, nowNs, histories, &result));
            const std::uint64_t spent = stopTicks() - begin;
            if (result.collected != 0 || result.more != 0) {
                throw std::logic_error("gc_many found something in empty histories");
            }
            const std::uint64_t cost = std::min(spent, timerCostTicks());
            passes.push_back(static_cast<double>(spent - cost) * nsPerTick() / 1000);
        }
        return summarize(std::move(passes));
    }

  private:
    qc_history_group* group_ = nullptr;
    std::vector<qc_history*> members_;
    std::uint64_t sent_ = 0;
};

}  // namespace

void measureSmall(const Plan&, Report& report) {
    progress("small instances");
    const struct {
        const char* what;
        const char* goal;
        double limit;
        std::uint64_t messages;
        bool drained;
    } sizes[] = {{"empty", "empty_bytes", 512, 0, false},
                 {"10 messages", "queue10_bytes", 1536, 10, false},
                 {"100 messages", "queue100_bytes", 6144, 100, false},
                 {"100 messages, drained", "drained_small_bytes", 768, 100, true}};
    for (const auto& size : sizes) {
        const auto bytes = static_cast<double>(bytesWith(size.messages, size.drained));
        report.addValue(sizeGroup, size.what, QueuecoreEngine::name, size.messages, "B", bytes);
        report.addGoal({size.goal, size.limit, bytes});
    }
    Members members;
    const Summary empty = members.timeNothing(0);
    report.add({groupGroup, "all empty", QueuecoreEngine::name, histories, "us", empty, {}});
    report.addGoal({"gc_many_10k_us", 150, empty.median});
    members.fill(0);
    const Summary idle = members.timeNothing(windowNs / 2);
    report.add({groupGroup, "one message each, none expired", QueuecoreEngine::name, histories, "us", idle, {}});
}

}  // namespace bench
