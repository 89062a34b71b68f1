#include "cursor/cursor_program.hpp"

#include "cursor/backlog_run.hpp"
#include "cursor/starvation_run.hpp"
#include "interrupt.hpp"
#include "number_text.hpp"

#include <algorithm>
#include <system_error>

namespace replay {
namespace {

/// What a store's file and its log take at most, over the bodies in it.
constexpr std::uint64_t fileOverBodies = 3;

void checkRoom(const CursorScenario& scenario, const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    std::error_code unknown;
    const auto space = std::filesystem::space(directory, unknown);
    const std::uint64_t needed = scenario.messages * scenario.messageBytes * fileOverBodies;
    if (!unknown && space.available < needed) {
        throw StoreFailure(directory.string() + " has " + grouped(space.available >> 20U) +
                           " MiB free, and a store of " + grouped(scenario.messages) + " messages may take " +
                           grouped(needed >> 20U) + " MiB; choose a smaller --backlog or another --store");
    }
}

class CursorExecution {
  public:
    CursorExecution(const CursorScenario& scenario, const std::filesystem::path& directory, Progress& progress)
        : scenario_(scenario), directory_(directory), progress_(progress) {
        report_.scenario = scenario;
        for (const CursorPart part : scenario.parts) {
            steps_ += scenario.turns * rowsOf(part);
        }
    }

    CursorReport run() {
        for (const CursorPart part : scenario_.parts) {
            if (part == CursorPart::Starvation) {
                starve();
            } else {
                compare(part);
            }
        }
        report_.interrupted = interrupted();
        return std::move(report_);
    }

  private:
    std::size_t rowsOf(CursorPart part) const {
        return part == CursorPart::Starvation ? allNeighbours().size() : refillsOf(scenario_, part).size();
    }

    CursorProgress step(const std::string& what) {
        progress_.step(what, static_cast<double>(done_) / static_cast<double>(steps_),
                       static_cast<double>(done_ + 1) / static_cast<double>(steps_));
        ++done_;
        return [this](double part) { progress_.update(part); };
    }

    /// Runs each of the rows once a turn, beginning with another one each time.
    template <typename Row, typename RunRow>
    void inTurns(std::vector<Row>& rows, std::size_t first, const RunRow& runRow) {
        const std::size_t count = rows.size() - first;
        for (unsigned turn = 0; turn < scenario_.turns; ++turn) {
            for (std::size_t at = 0; at < count && !interrupted(); ++at) {
                Row& row = rows[first + (at + turn) % count];
                if (auto came = runRow(row)) {
                    row.turns.push_back(std::move(*came));
                }
            }
        }
    }

    void compare(CursorPart part) {
        const std::size_t first = report_.backlogs.size();
        for (const Refill refill : refillsOf(scenario_, part)) {
            report_.backlogs.push_back({part, refill, {}});
        }
        inTurns(report_.backlogs, first, [&](const BacklogRow& row) {
            const CursorProgress progress = step(cursorPartName(part) + ", " + refillName(row.refill));
            return runBacklog(backlogOf(scenario_, part, row.refill), directory_, progress);
        });
    }

    void starve() {
        for (const Neighbour neighbour : allNeighbours()) {
            report_.starvations.push_back({neighbour, {}});
        }
        inTurns(report_.starvations, 0, [&](const StarvationRow& row) {
            const CursorProgress progress = step("starvation, " + neighbourName(row.neighbour));
            return runStarvation(starvationOf(scenario_, row.neighbour), directory_, progress);
        });
    }

    const CursorScenario& scenario_;
    const std::filesystem::path& directory_;
    Progress& progress_;
    CursorReport report_;
    std::size_t steps_ = 0;
    std::size_t done_ = 0;
};

}  // namespace

CursorReport runCursor(const CursorScenario& scenario, const std::filesystem::path& directory, Progress& progress) {
    checkRoom(scenario, directory);
    CursorReport report = CursorExecution(scenario, directory, progress).run();
    std::error_code isInUse;
    std::filesystem::remove(directory, isInUse);  // only if nothing else is in it
    return report;
}

}  // namespace replay
