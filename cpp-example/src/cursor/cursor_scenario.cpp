#include "cursor/cursor_scenario.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace replay {
namespace {

struct DescribedPart {
    CursorPart part;
    const char* name;
    const char* summary;
};

constexpr std::array<DescribedPart, 6> described{{
    {CursorPart::Backlog, "backlog", "SQLite, acks range-deleted per 200"},
    {CursorPart::EachAck, "each", "SQLite, a delete for each ack"},
    {CursorPart::SlowStore, "slow", "a store that takes 100 us longer for each fetch, a tenth of the size"},
    {CursorPart::AtTheMark, "mark", "usage at the mark: one message comes for each that is acknowledged"},
    {CursorPart::Faults, "faults", "a store that misbehaves on the way"},
    {CursorPart::Starvation, "starvation", "a second queue while the first, without consumers, holds 70 % of the memory"},
}};

const DescribedPart& descriptionOf(CursorPart part) {
    return *std::find_if(described.begin(), described.end(), [&](const auto& one) { return one.part == part; });
}

}  // namespace

const std::vector<CursorPart>& allCursorParts() {
    static const std::vector<CursorPart> all = [] {
        std::vector<CursorPart> parts;
        for (const DescribedPart& one : described) {
            parts.push_back(one.part);
        }
        return parts;
    }();
    return all;
}

std::string cursorPartName(CursorPart part) { return descriptionOf(part).name; }
std::string cursorPartSummary(CursorPart part) { return descriptionOf(part).summary; }

std::optional<CursorPart> cursorPartNamed(const std::string& name) {
    const auto found =
        std::find_if(described.begin(), described.end(), [&](const auto& one) { return one.name == name; });
    return found != described.end() ? std::optional(found->part) : std::nullopt;
}

BacklogCase backlogOf(const CursorScenario& scenario, CursorPart part, Refill refill) {
    BacklogCase one;
    one.refill = refill;
    one.messages = scenario.messages;
    one.liveMessages = scenario.messages / 10;
    one.messageBytes = scenario.messageBytes;
    one.limitBytes = scenario.limitBytes;
    one.prefetch = scenario.prefetch;
    switch (part) {
        case CursorPart::Backlog: break;
        case CursorPart::EachAck: one.deletion = Deletion::Each; break;
        case CursorPart::SlowStore:
            one.messages = std::max<std::uint64_t>(scenario.messages / 10, 1);
            one.liveMessages = one.messages / 10;
            one.limitBytes = std::max(scenario.limitBytes / 10, scenario.messageBytes);
            one.faults.delayNs = scenario.fetchDelayNs;
            break;
        case CursorPart::AtTheMark:
            one.messages = scenario.limitBytes / 100 * highPercent / scenario.messageBytes + 1;
            one.liveMessages = scenario.messages;
            one.liveEvery = 1;
            break;
        case CursorPart::Faults:
            one.faults.faults = scenario.faults;
            one.faults.every = scenario.faultEvery;
            break;
        case CursorPart::Starvation: throw std::logic_error("starvation is no backlog");
    }
    return one;
}

StarvationCase starvationOf(const CursorScenario& scenario, Neighbour neighbour) {
    StarvationCase one;
    one.neighbour = neighbour;
    one.messages = scenario.messages;
    one.messageBytes = scenario.messageBytes;
    one.limitBytes = scenario.limitBytes;
    return one;
}

std::vector<Refill> refillsOf(const CursorScenario& scenario, CursorPart part) {
    std::vector<Refill> refills = scenario.refills;
    // One at a time, a store whose fetches block now and then would block for minutes; at the mark it is no contender.
    if (part == CursorPart::Faults || part == CursorPart::AtTheMark) {
        refills.erase(std::remove(refills.begin(), refills.end(), Refill::OneByOne), refills.end());
    }
    return refills;
}

}  // namespace replay
