#include "presets.hpp"

#include <tuple>

namespace replay {
namespace {

Scenario seedScenario() {
    Scenario scenario;
    scenario.ratePerS = 80'000;
    scenario.windowNs = 300 * nsPerSecond;
    scenario.durationNs = 300 * nsPerSecond;
    scenario.start = Start::Cold;
    return scenario;
}

auto fieldsOf(const Span& span) { return std::tie(span.startNs, span.durationNs); }

bool sameSpans(const std::vector<Span>& a, const std::vector<Span>& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (fieldsOf(a[i]) != fieldsOf(b[i])) {
            return false;
        }
    }
    return true;
}

auto plainFieldsOf(const Scenario& s) {
    return std::tie(s.ratePerS, s.capacityPerS, s.windowNs, s.durationNs, s.ackDelayNs, s.ttlNs, s.gcIntervalNs,
                    s.queueLimit, s.idleGc, s.start, s.sampleNs);
}

}  // namespace

bool operator==(const Scenario& a, const Scenario& b) {
    return plainFieldsOf(a) == plainFieldsOf(b) && sameSpans(a.stalls, b.stalls) && !a.ackOutage && !b.ackOutage;
}

const std::vector<Preset>& allPresets() {
    static const std::vector<Preset> presets{
        {"incident", "100k PUT/s, capacity 100k/s, window 60 s, pre-filled, stall of 100 ms at 10 s, 240 s",
         Scenario{}},
        {"seed", "80k PUT/s, window 300 s, from empty, 300 s: at its end nothing has expired yet", seedScenario()},
    };
    return presets;
}

std::optional<Preset> presetNamed(const std::string& name) {
    for (const Preset& preset : allPresets()) {
        if (preset.name == name) {
            return preset;
        }
    }
    return std::nullopt;
}

std::vector<Contender> usualContenders() {
    return {*contenderNamed("scheduled-1000/stl"), *contenderNamed("scheduled-1m/stl"),
            *contenderNamed("inline-1000/stl"), *contenderNamed("steady/queuecore")};
}

std::vector<Contender> capacityContenders() {
    return {*contenderNamed("scheduled-1000/stl"), *contenderNamed("inline-1000/stl"),
            *contenderNamed("steady/queuecore")};
}

std::optional<Contender> contenderNamed(const std::string& name) {
    for (const Policy& policy : allPolicies()) {
        for (const EngineKind engine : {EngineKind::Stl, EngineKind::Queuecore}) {
            const Contender contender{policy, engine};
            if (contender.name() == name) {
                return contender;
            }
        }
    }
    return std::nullopt;
}

}  // namespace replay
