// What `--scenario cursor` runs, and what came of it. Plain data.
#pragma once

#include "cursor/cases.hpp"

#include <optional>
#include <string>
#include <vector>

namespace replay {

/// What the scenario consists of.
enum class CursorPart : std::uint8_t { Backlog, EachAck, SlowStore, AtTheMark, Faults, Starvation };

const std::vector<CursorPart>& allCursorParts();
std::string cursorPartName(CursorPart part);
std::optional<CursorPart> cursorPartNamed(const std::string& name);
/// One line for --help and the headings.
std::string cursorPartSummary(CursorPart part);

struct CursorScenario {
    std::uint64_t messages = 200'000;
    std::uint64_t messageBytes = 1 << 10;
    std::uint64_t limitBytes = std::uint64_t{64} << 20;
    std::uint64_t prefetch = 100'000;
    Ns fetchDelayNs = 100 * nsPerUs;
    std::vector<Fault> faults = allFaults();
    std::uint64_t faultEvery = 7;
    unsigned turns = 1;
    std::vector<Refill> refills = allRefills();
    std::vector<CursorPart> parts = allCursorParts();
};

/// The backlog of a part; not of the one about starvation. That of a slow store is a tenth as large and has a tenth of the
/// memory, because one message at a time is what takes so long there.
BacklogCase backlogOf(const CursorScenario& scenario, CursorPart part, Refill refill);
StarvationCase starvationOf(const CursorScenario& scenario, Neighbour neighbour);
/// The policies that a part compares.
std::vector<Refill> refillsOf(const CursorScenario& scenario, CursorPart part);

/// What came of one policy in one part, turn by turn.
struct BacklogRow {
    CursorPart part;
    Refill refill;
    std::vector<BacklogResult> turns;
};

struct StarvationRow {
    Neighbour neighbour;
    std::vector<StarvationResult> turns;
};

struct CursorReport {
    CursorScenario scenario;
    std::string command;
    bool interrupted = false;
    std::vector<BacklogRow> backlogs;
    std::vector<StarvationRow> starvations;
};

}  // namespace replay
