// bench-usage-cpp: one thread's messages on one of sixteen children of a parent at 48.5 % of 123 GB, the middle case of
// benches/usage, as a C++ broker would do it: with an atomic per meter, through the C ABI, and through queuecore.hpp.
// The engines take turns; a figure is the median of rounds, by the thread's processor time. A table goes to stdout,
// JSON to --out, for the usage bench to take over.
#include "atomic_meter.hpp"
#include "c_meter.hpp"
#include "tracker_meter.hpp"

#include "main_parts.hpp"
#include "summary.hpp"
#include "timer.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t limitBytes = 123'000'000'000;
constexpr std::uint64_t levelBytes = limitBytes / 1000 * 485;
constexpr std::uint64_t messageBytes = 1024;
constexpr int childCount = 16;

struct Plan {
    int rounds = 15;
    int sliceMs = 150;
};

/// Has the compiler believe that somebody looks at it.
template <typename T>
void keep(const T& value) {
#if defined(__GNUC__)
    asm volatile("" : : "r"(value) : "memory");
#else
    static volatile T sink;
    sink = value;
#endif
}

template <typename Meter>
class Tree {
  public:
    Tree() : parent_(limitBytes) {
        for (int child = 0; child < childCount; ++child) {
            children_.push_back(std::make_unique<Meter>(limitBytes, &parent_));
        }
        parent_.increase(levelBytes);
    }

    /// Millions of messages per second of processor time.
    double slice(std::chrono::milliseconds length) {
        Meter& child = *children_.front();
        const auto end = std::chrono::steady_clock::now() + length;
        const std::int64_t begin = bench::threadNs();
        std::int64_t messages = 0;
        while (std::chrono::steady_clock::now() < end) {
            for (int message = 0; message < batch; ++message) {
                child.increase(messageBytes);
                keep(child.isFull());
                keep(child.percent());
                keep(parent_.isFull());
                child.decrease(messageBytes);
            }
            messages += batch;
        }
        return static_cast<double>(messages) * 1e3 / static_cast<double>(bench::threadNs() - begin);
    }

    void check() const {
        if (parent_.usageBytes() != static_cast<std::int64_t>(levelBytes)) {
            throw std::runtime_error(std::string(Meter::engine) + " has lost count");
        }
    }

  private:
    static constexpr int batch = 4096;

    Meter parent_;
    std::vector<std::unique_ptr<Meter>> children_;
};

struct Engine {
    std::string name;
    std::function<double(std::chrono::milliseconds)> slice;
    std::function<void()> check;
    std::vector<double> rates;
};

template <typename Meter>
Engine engineOf() {
    auto tree = std::make_shared<Tree<Meter>>();
    return {Meter::engine, [tree](std::chrono::milliseconds length) { return tree->slice(length); },
            [tree] { tree->check(); },
            {}};
}

std::vector<Engine> measure(const Plan& plan) {
    std::vector<Engine> engines = {engineOf<bench::AtomicMeter>(), engineOf<bench::CMeter>(),
                                   engineOf<bench::TrackerMeter>()};
    const std::chrono::milliseconds length(plan.sliceMs);
    for (Engine& engine : engines) {
        engine.slice(length);  // what it learns of its load, it learns now
    }
    for (int round = 0; round < plan.rounds; ++round) {
        for (std::size_t at = 0; at < engines.size(); ++at) {
            Engine& engine = engines[(at + static_cast<std::size_t>(round)) % engines.size()];
            engine.rates.push_back(engine.slice(length));
        }
    }
    for (const Engine& engine : engines) {
        engine.check();
    }
    return engines;
}

nlohmann::json document(const std::vector<Engine>& engines) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Engine& engine : engines) {
        const bench::Summary rate = bench::summarize(engine.rates);
        rows.push_back({{"case", "cpp"},
                        {"group", "C++: the middle case through the shared library"},
                        {"what", "1 thread"},
                        {"engine", engine.name},
                        {"unit", "M ops/s"},
                        {"median", rate.median},
                        {"low", rate.low},
                        {"high", rate.high},
                        {"passes", rate.passes}});
    }
    const double ratio = bench::medianRatio(engines.back().rates, engines.front().rates);
    return {{"rows", rows}, {"cpp_1t_ratio", ratio}};
}

void print(const std::vector<Engine>& engines) {
    std::printf("C++, one thread, M operations/s\n");
    for (const Engine& engine : engines) {
        const bench::Summary rate = bench::summarize(engine.rates);
        std::printf("  %-24s %8.2f  %.2f .. %.2f, %.2f times %s\n", engine.name.c_str(), rate.median, rate.low,
                    rate.high, bench::medianRatio(engine.rates, engines.front().rates),
                    engines.front().name.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::string out;
    bool quick = bench::quickByEnvironment();
    CLI::App app("Measures a message on the usage tracker from C++ against one atomic per meter.");
    app.add_option("--out", out, "write the rows and the ratio to this file, as JSON, for the usage bench");
    app.add_flag("--quick", quick, "a second instead of ten (also: QUICK=1 in the environment)");
    CLI11_PARSE(app, argc, argv);
    try {
        const std::vector<Engine> engines = measure(quick ? Plan{5, 40} : Plan{});
        print(engines);
        if (!out.empty()) {
            bench::writeJson(out, document(engines));
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench-usage-cpp: %s\n", error.what());
        return 1;
    }
    return 0;
}
