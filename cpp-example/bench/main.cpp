// bench-history: measures queuecore's history against the stand-in for the broker it comes from, both through
// what a user would call, and says which goals are reached. A table goes to stdout, progress to stderr, JSON
// to --out.
#include "groups.hpp"
#include "main_parts.hpp"
#include "plan.hpp"
#include "progress.hpp"
#include "report.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

namespace {

using Group = void (*)(const bench::Plan&, bench::Report&);

// In this order: the life cycle wants a clean heap.
const std::vector<std::pair<std::string, Group>> groups = {
    {"life", bench::measureLifeCycle},    {"steady", bench::measureThroughput},
    {"tails", bench::measureInsertTails}, {"growth", bench::measureGrowth},
    {"rest", bench::measureAtRest},       {"small", bench::measureSmall},
};

struct Arguments {
    std::string out;
    bool quick = false;
    std::vector<std::string> only;
};

int run(const Arguments& arguments) {
    const bool quick = arguments.quick || bench::quickByEnvironment();
    const bench::Plan plan = quick ? bench::Plan::small() : bench::Plan::full();
    bench::Report report;
    for (const auto& [name, measure] : groups) {
        const auto& only = arguments.only;
        if (only.empty() || std::find(only.begin(), only.end(), name) != only.end()) {
            measure(plan, report);
        }
    }
    bench::compareWithIncumbent(report);
    bench::progress("done");
    report.print();
    if (quick) {
        std::printf(
            "\nA quick run: smaller sizes under the same names. The goals are meant for the full one.\n");
    }
    if (!arguments.out.empty()) {
        report.write(arguments.out, quick, arguments.only.empty());
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    std::vector<std::string> names;
    for (const auto& group : groups) {
        names.push_back(group.first);
    }
    CLI::App app(
        "Measures queuecore's history against the stand-in for the incumbent.\n"
        "The full run takes about a quarter of an hour and 6 GB of memory; a busy machine spoils it.");
    app.add_option("--out", arguments.out, "write the rows and goals to this file, as JSON");
    app.add_flag("--quick", arguments.quick,
                 "smaller sizes, under a minute (also: QUICK=1 in the environment)");
    app.add_option("--only", arguments.only, "only these groups of measurements; may be given more than once")
        ->check(CLI::IsMember(names));
    CLI11_PARSE(app, argc, argv);
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench-history: %s\n", error.what());
        return 1;
    }
}
