// How the broker collects its history: what a GC tick starts, and what an insert does by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace replay {

enum class InsertCollects : std::uint8_t {
    Nothing,   // only GC events collect
    OnDemand,  // once a GC stopped with more to do, every insert collects a batch until nothing is left
    Always,    // every insert collects a few, if there are any
};

struct Policy {
    std::string name;
    std::string summary;    // one line for --help
    std::uint64_t gcBatch;  // most entries that one GC event collects
    bool requeue;           // a GC event that leaves work puts the next one at the tail
    InsertCollects insertCollects;
    std::uint64_t insertBatch;  // most entries that one insert collects
};

/// All policies, in the order in which the incident tells of them.
const std::vector<Policy>& allPolicies();

std::optional<Policy> policyNamed(const std::string& name);

}  // namespace replay
