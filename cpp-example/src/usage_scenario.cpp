#include "usage_scenario.hpp"

#include <algorithm>
#include <array>

namespace replay {
namespace {

struct Meter {
    MeterKind kind;
    const char* name;
    const char* summary;
};

constexpr std::array<Meter, 4> meters{{
    {MeterKind::Lock, "lock", "a read-write lock around counting, asking and waiting, as in the broker"},
    {MeterKind::Atomic, "atomic", "one atomic and a published percent; a lock and a condition to wait"},
    {MeterKind::Queuecore, "queuecore", "a Tracker: is_full, wait_for_space, increase"},
    {MeterKind::QueuecoreReserve, "queuecore-reserve", "a Tracker: reserve, reserve_wait; never above the limit"},
}};

const Meter& meterOf(MeterKind kind) {
    return *std::find_if(meters.begin(), meters.end(), [&](const Meter& meter) { return meter.kind == kind; });
}

}  // namespace

const std::vector<MeterKind>& allMeters() {
    static const std::vector<MeterKind> all = [] {
        std::vector<MeterKind> kinds;
        for (const Meter& meter : meters) {
            kinds.push_back(meter.kind);
        }
        return kinds;
    }();
    return all;
}

std::string meterName(MeterKind kind) { return meterOf(kind).name; }
std::string meterSummary(MeterKind kind) { return meterOf(kind).summary; }

std::optional<MeterKind> meterNamed(const std::string& name) {
    const auto found =
        std::find_if(meters.begin(), meters.end(), [&](const Meter& meter) { return meter.name == name; });
    return found != meters.end() ? std::optional(found->kind) : std::nullopt;
}

}  // namespace replay
