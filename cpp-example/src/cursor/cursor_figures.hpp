// Figures and goals out of what the scenario `cursor` measured: medians of the turns, and ratios turn by turn, so that what
// else the machine did in a turn falls out.
#pragma once

#include "cursor/cursor_scenario.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace replay {

/// The turns of one figure.
struct TurnSpread {
    double median = 0;
    double low = 0;
    double high = 0;
    std::size_t passes = 0;
};

/// None without a turn.
std::optional<TurnSpread> spreadOf(std::vector<double> turns);

/// One figure of one contender in one part.
struct CursorFigure {
    CursorPart part;
    std::string engine;
    std::string name;   // for a column
    std::string words;  // for people
    std::string unit;   // empty for a count or a ratio
    TurnSpread turns;
};

/// In the order of parts, figures, contenders.
std::vector<CursorFigure> cursorFigures(const CursorReport& report);

struct CursorGoal {
    std::string name;
    bool isAtLeast;
    double limit;
    std::optional<double> value;  // none if its part did not run

    const char* op() const { return isAtLeast ? ">=" : "<="; }
};

/// What is counted, and so the same on any machine.
std::vector<CursorGoal> countedGoals(const CursorReport& report);
/// What is timed.
std::vector<CursorGoal> timedGoals(const CursorReport& report);

/// Messages per second of the starved queue without a guaranteed share; none if that did not run.
std::optional<double> rateWithoutShare(const CursorReport& report);

}  // namespace replay
