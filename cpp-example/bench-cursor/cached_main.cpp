// bench-cursor-cached: prints what a message costs on a cursor when all is cached, and writes it as JSON for the cursor
// bench to take over.
#include "cached_cost.hpp"
#include "main_parts.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <stdexcept>

namespace {

void print(const std::vector<bench::CachedCost>& costs) {
    std::printf("push + pull + ack with everything cached, through the C ABI, ns per message\n");
    for (const bench::CachedCost& cost : costs) {
        std::printf("  %-30s depth %5zu %8.1f  %.1f .. %.1f\n", cost.form.c_str(), cost.depth,
                    cost.nsPerMessage.median, cost.nsPerMessage.low, cost.nsPerMessage.high);
    }
}

void write(const std::string& path, const std::vector<bench::CachedCost>& costs) {
    nlohmann::json rows = nlohmann::json::array();
    for (const bench::CachedCost& cost : costs) {
        rows.push_back({{"what", cost.form},
                        {"depth", cost.depth},
                        {"unit", "ns"},
                        {"median", cost.nsPerMessage.median},
                        {"low", cost.nsPerMessage.low},
                        {"high", cost.nsPerMessage.high},
                        {"passes", cost.nsPerMessage.passes}});
    }
    bench::writeJson(path,
                     nlohmann::json{{"rows", rows}, {"cached_ns_per_message", costs.front().nsPerMessage.median}});
}

}  // namespace

int main(int argc, char** argv) {
    std::string out;
    bool quick = bench::quickByEnvironment();
    CLI::App app("Measures push, pull and ack on a cursor that caches everything.");
    app.add_option("--out", out, "write the rows and the figure to this file, as JSON, for the cursor bench");
    app.add_flag("--quick", quick, "fewer rounds (also: QUICK=1 in the environment)");
    CLI11_PARSE(app, argc, argv);
    try {
        const auto costs = bench::measureCached(quick ? bench::CachedPlan{5, 50'000} : bench::CachedPlan{});
        print(costs);
        if (!out.empty()) {
            write(out, costs);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench-cursor-cached: %s\n", error.what());
        return 1;
    }
    return 0;
}
