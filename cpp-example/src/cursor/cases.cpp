#include "cursor/cases.hpp"

#include <algorithm>
#include <stdexcept>

namespace replay {
namespace {

struct DescribedRefill {
    Refill refill;
    const char* name;
    const char* summary;
};

constexpr std::array<DescribedRefill, 3> refills{{
    {Refill::OneByOne, "one_by_one", "refill whenever a byte is free: each ack lets one message in"},
    {Refill::Classic, "classic", "whole pages whenever the usage is below 70 %"},
    {Refill::Hysteresis, "hysteresis", "whole pages up to 70 %, once the usage was below 50 %"},
}};

const DescribedRefill& descriptionOf(Refill refill) {
    return *std::find_if(refills.begin(), refills.end(), [&](const auto& one) { return one.refill == refill; });
}

}  // namespace

const std::vector<Refill>& allRefills() {
    static const std::vector<Refill> all{Refill::OneByOne, Refill::Classic, Refill::Hysteresis};
    return all;
}

std::string refillName(Refill refill) { return descriptionOf(refill).name; }
std::string refillSummary(Refill refill) { return descriptionOf(refill).summary; }

std::optional<Refill> refillNamed(const std::string& name) {
    const auto found = std::find_if(refills.begin(), refills.end(), [&](const auto& one) { return one.name == name; });
    return found != refills.end() ? std::optional(found->refill) : std::nullopt;
}

const std::vector<Neighbour>& allNeighbours() {
    static const std::vector<Neighbour> all{Neighbour::None, Neighbour::IdleClassic, Neighbour::IdleWithShare};
    return all;
}

std::string neighbourName(Neighbour neighbour) {
    switch (neighbour) {
        case Neighbour::None: return "alone";
        case Neighbour::IdleClassic: return "classic";
        case Neighbour::IdleWithShare: return "guaranteed share";
    }
    throw std::logic_error("no such neighbour");
}

}  // namespace replay
