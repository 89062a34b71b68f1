// The incumbent's own figures, as they were taken on the reference machine from its own code (-O3), and the
// stand-in's rows beside them. A stand-in that is slower than the incumbent would flatter queuecore: where it
// is more than 1.15 times as slow, or takes more than 1.1 times the bytes, no ratio of this run counts.
#include "groups.hpp"
#include "stand_in_engine.hpp"

namespace bench {
namespace {

struct Cell {
    const char* label;
    const char* what;  // as the row is called
    std::uint64_t entries;
    double incumbent;
    double allowed;
};

constexpr double slower = 1.15;
constexpr double larger = 1.1;

constexpr Cell cells[] = {
    {"ns per message, no check", "without a check", 100'000, 102, slower},
    {"ns per message, no check", "without a check", 1'000'000, 332, slower},
    {"ns per message, no check", "without a check", 6'000'000, 380, slower},
    {"ns per message, no check", "without a check", 20'000'000, 508, slower},
    {"ns per message, separate check", "with its separate check", 100'000, 160, slower},
    {"ns per message, separate check", "with its separate check", 1'000'000, 420, slower},
    {"ns per message, separate check", "with its separate check", 6'000'000, 502, slower},
    {"ns per message, separate check", "with its separate check", 20'000'000, 686, slower},
    {"insert p99.9, ns", "insert p99.9", 100'000, 4'100, slower},
    {"insert p99.9, ns", "insert p99.9", 1'000'000, 8'500, slower},
    {"insert p99.9, ns", "insert p99.9", 6'000'000, 9'400, slower},
    {"insert p99.9, ns", "insert p99.9", 20'000'000, 20'600, slower},
    {"insert p99.99, ns", "insert p99.99", 100'000, 35'000, slower},
    {"insert p99.99, ns", "insert p99.99", 1'000'000, 43'000, slower},
    {"insert p99.99, ns", "insert p99.99", 6'000'000, 49'000, slower},
    {"insert p99.99, ns", "insert p99.99", 20'000'000, 51'000, slower},
    {"bytes per entry", "bytes per entry, steady", 100'000, 162, larger},
    {"bytes per entry", "bytes per entry, steady", 1'000'000, 132, larger},
    {"bytes per entry", "bytes per entry, steady", 6'000'000, 216, larger},
    {"bytes per entry", "bytes per entry, steady", 20'000'000, 133, larger},
    {"lookup miss, ns", "miss, singly", 20'000'000, 96, slower},
    {"lookup hit, ns", "hit, singly", 20'000'000, 107, slower},
    {"collection, ns per entry", "the oldest of many", 20'000'000, 47, slower},
};

}  // namespace

void compareWithIncumbent(Report& report) {
    std::vector<Comparison> found;
    for (const Cell& cell : cells) {
        for (const Row& row : report.rows()) {
            if (row.engine == StandInEngine::name && row.what == cell.what && row.entries == cell.entries) {
                found.push_back({cell.label, cell.entries, cell.incumbent, row.figure.median, cell.allowed});
            }
        }
    }
    for (Comparison& comparison : found) {
        report.addComparison(std::move(comparison));
    }
}

}  // namespace bench
