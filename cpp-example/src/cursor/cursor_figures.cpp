#include "cursor/cursor_figures.hpp"

#include <algorithm>
#include <numeric>

namespace replay {
namespace {

using OfBacklog = std::function<double(const BacklogResult&)>;
using OfStarvation = std::function<double(const StarvationResult&)>;

template <typename OfTurn>
struct Told {
    const char* name;
    const char* words;
    const char* unit;
    OfTurn value;
};

double ofConsumption(double ns, const BacklogResult& turn) { return 100 * ns / (turn.consumeSeconds * 1e9); }

const std::vector<Told<OfBacklog>>& toldOfBacklogs() {
    static const std::vector<Told<OfBacklog>> told{
        {"messages_per_s", "consumed", "messages/s", [](const BacklogResult& t) { return t.perSecond(); }},
        {"fetch_us_per_message", "inside fetch, per message paged in", "us",
         [](const BacklogResult& t) { return t.fetchUsPerMessage(); }},
        {"fetch_percent", "consumers' time inside fetch", "%",
         [](const BacklogResult& t) { return ofConsumption(static_cast<double>(t.fetchNs), t); }},
        {"blocked_percent", "consumers' time blocked by the mark", "%",
         [](const BacklogResult& t) { return ofConsumption(static_cast<double>(t.blockedNs[0]), t); }},
        {"busy_percent", "consumers' time on a processor", "%",
         [](const BacklogResult& t) { return 100 * t.cpuSeconds / t.consumeSeconds; }},
        {"pages", "pages", "", [](const BacklogResult& t) { return static_cast<double>(t.pages); }},
        {"messages_per_page", "messages per page", "", [](const BacklogResult& t) { return t.messagesPerPage(); }},
        {"turns_per_million", "cache on and off, per million messages", "",
         [](const BacklogResult& t) { return t.turnsPerMillion(); }},
        {"peak_percent", "peak usage, of the limit", "%",
         [](const BacklogResult& t) { return 100 * static_cast<double>(t.peakBytes) / static_cast<double>(t.limitBytes); }},
        {"faults", "fetches that misbehaved", "", [](const BacklogResult& t) { return static_cast<double>(t.faults); }},
        {"refused", "fetches that the cursor refused", "",
         [](const BacklogResult& t) { return static_cast<double>(t.refusedFetches); }},
    };
    return told;
}

const std::vector<Told<OfStarvation>>& toldOfStarvation() {
    static const std::vector<Told<OfStarvation>> told{
        {"messages_per_s", "consumed of the second queue", "messages/s",
         [](const StarvationResult& t) { return t.perSecond(); }},
        {"idle_percent", "of the limit held by the idle queue", "%",
         [](const StarvationResult& t) { return t.idlePercent; }},
        {"lent_pages", "pages lent", "", [](const StarvationResult& t) { return static_cast<double>(t.lentPages); }},
    };
    return told;
}

template <typename Turn, typename OfTurn>
std::vector<double> each(const std::vector<Turn>& turns, const OfTurn& value) {
    std::vector<double> values;
    std::transform(turns.begin(), turns.end(), std::back_inserter(values), value);
    return values;
}

const BacklogRow* rowOf(const CursorReport& report, CursorPart part, Refill refill) {
    const auto found = std::find_if(report.backlogs.begin(), report.backlogs.end(), [&](const BacklogRow& row) {
        return row.part == part && row.refill == refill && !row.turns.empty();
    });
    return found != report.backlogs.end() ? &*found : nullptr;
}

const StarvationRow* rowOf(const CursorReport& report, Neighbour neighbour) {
    const auto found = std::find_if(report.starvations.begin(), report.starvations.end(), [&](const StarvationRow& row) {
        return row.neighbour == neighbour && !row.turns.empty();
    });
    return found != report.starvations.end() ? &*found : nullptr;
}

/// Turn by turn; none if one of the two did not run.
template <typename Row, typename OfTurn>
std::optional<double> ratio(const Row* over, const Row* under, const OfTurn& value) {
    if (over == nullptr || under == nullptr) {
        return std::nullopt;
    }
    std::vector<double> ratios;
    for (std::size_t turn = 0; turn < std::min(over->turns.size(), under->turns.size()); ++turn) {
        ratios.push_back(value(over->turns[turn]) / value(under->turns[turn]));
    }
    const auto spread = spreadOf(std::move(ratios));
    return spread ? std::optional(spread->median) : std::nullopt;
}

std::optional<double> fasterThanOneByOne(const CursorReport& report, CursorPart part) {
    return ratio(rowOf(report, part, Refill::Hysteresis), rowOf(report, part, Refill::OneByOne),
                 [](const BacklogResult& turn) { return turn.perSecond(); });
}

/// The larger of the two parts where whole pages are compared; pages and turns of the cache together.
std::optional<double> pagesVsClassic(const CursorReport& report) {
    std::optional<double> most;
    for (const CursorPart part : {CursorPart::Backlog, CursorPart::AtTheMark}) {
        const auto value = ratio(rowOf(report, part, Refill::Hysteresis), rowOf(report, part, Refill::Classic),
                                 [](const BacklogResult& t) { return t.pagesPerMillion() + t.turnsPerMillion(); });
        if (value) {
            most = std::max(most.value_or(0), *value);
        }
    }
    return most;
}

std::optional<double> perPageFraction(const CursorReport& report) {
    const BacklogRow* row = rowOf(report, CursorPart::Backlog, Refill::Hysteresis);
    if (row == nullptr) {
        return std::nullopt;
    }
    return spreadOf(each(row->turns, [](const BacklogResult& t) { return t.messagesPerPage() / pageMessages; }))->median;
}

/// The highest level above what the peak may be, of all runs.
std::optional<double> overBound(const CursorReport& report) {
    std::optional<double> most;
    for (const BacklogRow& row : report.backlogs) {
        for (const BacklogResult& turn : row.turns) {
            const double over = turn.peakBytes > turn.boundBytes ? static_cast<double>(turn.peakBytes - turn.boundBytes) : 0;
            most = std::max(most.value_or(0), over);
        }
    }
    return most;
}

}  // namespace

std::optional<TurnSpread> spreadOf(std::vector<double> turns) {
    if (turns.empty()) {
        return std::nullopt;
    }
    std::sort(turns.begin(), turns.end());
    const std::size_t half = turns.size() / 2;
    const double median = turns.size() % 2 == 1 ? turns[half] : (turns[half - 1] + turns[half]) / 2;
    return TurnSpread{median, turns.front(), turns.back(), turns.size()};
}

std::vector<CursorFigure> cursorFigures(const CursorReport& report) {
    std::vector<CursorFigure> figures;
    for (const CursorPart part : report.scenario.parts) {
        for (const auto& told : toldOfBacklogs()) {
            for (const BacklogRow& row : report.backlogs) {
                const auto spread = row.part == part ? spreadOf(each(row.turns, told.value)) : std::nullopt;
                if (spread && (spread->high > 0 || part == CursorPart::Faults)) {
                    figures.push_back({part, refillName(row.refill), told.name, told.words, told.unit, *spread});
                }
            }
        }
        for (const auto& told : toldOfStarvation()) {
            for (const StarvationRow& row : report.starvations) {
                const auto spread = part == CursorPart::Starvation ? spreadOf(each(row.turns, told.value)) : std::nullopt;
                if (spread) {
                    figures.push_back({part, neighbourName(row.neighbour), told.name, told.words, told.unit, *spread});
                }
            }
        }
    }
    return figures;
}

std::vector<CursorGoal> countedGoals(const CursorReport& report) {
    return {{"pages_vs_classic", false, 1, pagesVsClassic(report)},
            {"messages_per_page_fraction", true, 0.9, perPageFraction(report)},
            {"peak_over_bound_bytes", false, 0, overBound(report)}};
}

std::vector<CursorGoal> timedGoals(const CursorReport& report) {
    const auto fetchUs = [](const BacklogResult& turn) { return turn.fetchUsPerMessage(); };
    const auto perSecond = [](const StarvationResult& turn) { return turn.perSecond(); };
    return {{"fetch_us_ratio", true, 4,
             ratio(rowOf(report, CursorPart::Backlog, Refill::OneByOne),
                   rowOf(report, CursorPart::Backlog, Refill::Hysteresis), fetchUs)},
            {"rate_ratio_sqlite", true, 1.3, fasterThanOneByOne(report, CursorPart::Backlog)},
            {"rate_ratio_slow_store", true, 15, fasterThanOneByOne(report, CursorPart::SlowStore)},
            {"starved_rate_fraction", true, 0.8,
             ratio(rowOf(report, Neighbour::IdleWithShare), rowOf(report, Neighbour::None), perSecond)}};
}

std::optional<double> rateWithoutShare(const CursorReport& report) {
    const StarvationRow* row = rowOf(report, Neighbour::IdleClassic);
    if (row == nullptr) {
        return std::nullopt;
    }
    return spreadOf(each(row->turns, [](const StarvationResult& turn) { return turn.perSecond(); }))->median;
}

}  // namespace replay
