#include "policy.hpp"

namespace replay {

const std::vector<Policy>& allPolicies() {
    // `steady` keeps the host's tick for idle queues. The tick finds nothing to do while messages flow, and its batches
    // are those of the incident, so it never holds anybody up for longer than they did.
    static const std::vector<Policy> policies{
        {"scheduled-1000", "the incident: GC events of 1000 entries, each puts the next at the tail", 1000, true,
         InsertCollects::Nothing, 0},
        {"scheduled-1m", "alternative 1: the same with 1,000,000 entries per event", 1'000'000, true,
         InsertCollects::Nothing, 0},
        {"inline-1000", "alternative 2: a tick that leaves work makes every insert collect 1000", 1000, false,
         InsertCollects::OnDemand, 1000},
        {"steady", "queuecore: every insert collects up to 4 expired entries", 1000, true, InsertCollects::Always, 4},
    };
    return policies;
}

std::optional<Policy> policyNamed(const std::string& name) {
    for (const Policy& policy : allPolicies()) {
        if (policy.name == name) {
            return policy;
        }
    }
    return std::nullopt;
}

}  // namespace replay
