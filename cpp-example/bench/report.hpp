// What was measured: rows for people to read and machines to keep, and the goals. One report a run; every
// group of measurements adds to it.
#pragma once

#include "op_times.hpp"
#include "summary.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Row {
    std::string group;
    std::string what;
    std::string engine;
    std::uint64_t entries;
    std::string unit;
    Summary figure;
    std::optional<Summary> raw;  // of the passes the figure is the minimum of, operation by operation
};

/// `value` must not exceed `limit`.
struct Goal {
    std::string name;
    double limit;
    double value;
};

/// A figure of the stand-in beside the same figure of the incumbent, which was built and measured elsewhere.
struct Comparison {
    std::string what;
    std::uint64_t entries;
    double incumbent;
    double standIn;
    double allowed;  // the stand-in may be this many times the incumbent, not more
};

class Report {
  public:
    void add(Row row) { rows_.push_back(std::move(row)); }
    void addValue(const std::string& group, const std::string& what, const std::string& engine,
                  std::uint64_t entries, const std::string& unit, double value);
    /// The minima of all passes, and the raw passes beside.
    void addTails(const std::string& group, const std::string& what, const std::string& engine,
                  std::uint64_t entries, const OpTimes& times);
    void addGoal(Goal goal) { goals_.push_back(std::move(goal)); }
    void addComparison(Comparison comparison) { comparisons_.push_back(std::move(comparison)); }

    const std::vector<Row>& rows() const { return rows_; }

    void print() const;

    /// Throws std::runtime_error if the file cannot be written.
    void write(const std::string& path, bool quick, bool complete) const;

  private:
    void printRows() const;
    void printComparisons() const;
    void printGoals() const;

    std::vector<Row> rows_;
    std::vector<Goal> goals_;
    std::vector<Comparison> comparisons_;
};

}  // namespace bench
