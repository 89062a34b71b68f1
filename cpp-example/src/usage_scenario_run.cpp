#include "usage_scenario_run.hpp"

#include "interrupt.hpp"
#include "usage_scenario_meters.hpp"
#include "usage_scenario_ring.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

namespace replay {
namespace {

using Clock = std::chrono::steady_clock;

Ns nsSince(Clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - then).count();
}

/// Work that takes as long as was asked for, in steps that the compiler cannot leave out.
std::uint64_t spin(std::uint64_t steps, std::uint64_t value) {
    for (; steps > 0; --steps) {
        value = value * 6364136223846793005U + 1442695040888963407U;
    }
    return value;
}

volatile std::uint64_t spinSink;

/// Steps of `spin` that take a nanosecond: the best of several looks, since others may use the processor.
double stepsPerNs() {
    static const double steps = [] {
        constexpr std::uint64_t sample = 200'000;
        double best = 0;
        for (int look = 0; look < 10; ++look) {
            const auto begin = Clock::now();
            spinSink = spin(sample, sample);
            best = std::max(best, static_cast<double>(sample) / static_cast<double>(std::max<Ns>(nsSince(begin), 1)));
        }
        return best;
    }();
    return steps;
}

/// Counts what the process has used so far.
struct Used {
    double cpuSeconds;
    std::uint64_t switches;

    static Used now() {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
        };
        return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_nvcsw)};
    }
};

struct Producer {
    explicit Producer(std::size_t room) : ring(room) {}

    SizeRing ring;
    std::uint64_t waits = 0;
    Ns blockedNs = 0;
    Ns longestNs = 0;
    std::int64_t peakBytes = 0;
};

class Turn {
  public:
    Turn(MeterKind kind, const UsageScenario& scenario, bool checks)
        : scenario_(scenario),
          checks_(checks),
          steps_(static_cast<std::uint64_t>(stepsPerNs() * static_cast<double>(scenario.workNs))),
          meter_(makeMeter(kind, scenario)),
          consumed_(scenario.consumers) {
        // A limit of the smallest messages, and what all producers together may have on top of it.
        const std::uint64_t room = scenario.limitBytes / scenario.leastBytes + scenario.producers + 1;
        for (unsigned producer = 0; producer < scenario.producers; ++producer) {
            producers_.push_back(std::make_unique<Producer>(std::min(room, mostMessages)));
        }
        producersLeft_ = scenario.producers;
    }

    UsageTurn run(Ns lengthNs) {
        const Used before = Used::now();
        begin_ = Clock::now();
        std::vector<std::thread> threads;
        for (unsigned consumer = 0; consumer < scenario_.consumers; ++consumer) {
            threads.emplace_back([this, consumer] { consume(consumer); });
        }
        for (unsigned producer = 0; producer < scenario_.producers; ++producer) {
            threads.emplace_back([this, producer] { produce(producer); });
        }
        for (Ns leftNs = lengthNs; leftNs > 0 && !interrupted(); leftNs = lengthNs - nsSince(begin_)) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(leftNs, 50 * nsPerMs)));
        }
        UsageTurn turn;
        endNs_ = nsSince(begin_);
        stopping_ = true;
        turn.seconds = toSeconds(endNs_);
        const Used after = Used::now();
        meter_->stop();
        for (std::thread& thread : threads) {
            thread.join();
        }
        turn.cpuSeconds = after.cpuSeconds - before.cpuSeconds;
        turn.switches = after.switches - before.switches;
        turn.wakeUps = meter_->wakeUps();
        addUp(turn);
        if (meter_->usageBytes() != 0) {
            throw std::runtime_error("the meter counts " + std::to_string(meter_->usageBytes()) +
                                     " bytes after every message was given back");
        }
        return turn;
    }

  private:
    struct alignas(64) Consumed {
        std::uint64_t messages = 0;
        std::uint64_t result = 0;
    };

    void produce(unsigned number) {
        Producer& me = *producers_[number];
        std::mt19937_64 random(scenario_.seed * 1000 + number);
        std::uniform_int_distribution<std::uint32_t> size(static_cast<std::uint32_t>(scenario_.leastBytes),
                                                          static_cast<std::uint32_t>(scenario_.mostBytes));
        while (!stopping_.load(std::memory_order_relaxed)) {
            const std::uint32_t bytes = size(random);
            if (!meter_->takeAtOnce(bytes) && !wait(me, bytes)) {
                break;
            }
            if (checks_) {
                me.peakBytes = std::max(me.peakBytes, level_.fetch_add(bytes) + bytes);
            }
            while (!me.ring.push(bytes)) {
                std::this_thread::yield();
            }
        }
        producersLeft_.fetch_sub(1);
    }

    bool wait(Producer& me, std::uint32_t bytes) {
        const Ns fromNs = nsSince(begin_);
        const bool taken = meter_->takeWaiting(bytes);
        // What lies behind the end of the turn was waiting for a processor.
        const Ns waitedNs = std::max<Ns>(0, std::min(nsSince(begin_), endNs_.load()) - fromNs);
        ++me.waits;
        me.blockedNs += waitedNs;
        me.longestNs = std::max(me.longestNs, waitedNs);
        return taken;
    }

    /// Takes turns at the FIFOs of its producers, until those have ended and left nothing.
    void consume(unsigned number) {
        Consumed& me = consumed_[number];
        for (bool last = false; !last;) {
            last = producersLeft_.load() == 0;
            bool found = false;
            for (unsigned producer = number; producer < scenario_.producers; producer += scenario_.consumers) {
                if (const auto bytes = producers_[producer]->ring.pop()) {
                    handle(*bytes, me);
                    found = true;
                }
            }
            if (found) {
                last = false;
            } else if (!last) {
                std::this_thread::yield();
            }
        }
    }

    void handle(std::uint32_t bytes, Consumed& me) {
        const bool counts = !stopping_.load(std::memory_order_relaxed);
        me.result = spin(counts ? steps_ : 0, me.result);
        if (checks_) {
            level_.fetch_sub(bytes);
        }
        meter_->giveBack(bytes);
        me.messages += counts ? 1 : 0;
    }

    void addUp(UsageTurn& turn) const {
        for (const auto& producer : producers_) {
            turn.waits += producer->waits;
            turn.blockedNs += producer->blockedNs;
            turn.longestWaitNs = std::max(turn.longestWaitNs, producer->longestNs);
            turn.peakBytes = std::max(turn.peakBytes, producer->peakBytes);
        }
        for (const Consumed& consumed : consumed_) {
            turn.messages += consumed.messages;
            spinSink = consumed.result;
        }
    }

    const UsageScenario& scenario_;
    const bool checks_;
    const std::uint64_t steps_;
    std::unique_ptr<SpaceMeter> meter_;
    std::vector<std::unique_ptr<Producer>> producers_;
    std::vector<Consumed> consumed_;
    Clock::time_point begin_;
    std::atomic<Ns> endNs_{never};
    std::atomic<bool> stopping_{false};
    std::atomic<unsigned> producersLeft_{0};
    alignas(64) std::atomic<std::int64_t> level_{0};
};

double lineNs(unsigned threads) {
    constexpr Ns lengthNs = 20 * nsPerMs;
    constexpr int batch = 1024;
    alignas(64) std::atomic<std::uint64_t> line{0};
    std::atomic<unsigned> ready{0};
    std::atomic<bool> stopping{false};
    std::vector<std::thread> all;
    for (unsigned thread = 0; thread < threads; ++thread) {
        all.emplace_back([&] {
            ready.fetch_add(1);
            while (!stopping.load(std::memory_order_relaxed)) {
                for (int addition = 0; addition < batch; ++addition) {
                    line.fetch_add(1, std::memory_order_acq_rel);
                }
            }
        });
    }
    while (ready.load() < threads) {
        std::this_thread::yield();
    }
    const std::uint64_t first = line.load();
    const auto begin = Clock::now();
    std::this_thread::sleep_for(std::chrono::nanoseconds(lengthNs));
    const std::uint64_t additions = line.load() - first;
    const Ns tookNs = nsSince(begin);
    stopping = true;
    for (std::thread& thread : all) {
        thread.join();
    }
    return static_cast<double>(tookNs) / static_cast<double>(std::max<std::uint64_t>(additions, 1));
}

}  // namespace

UsageTurn runUsageTurn(MeterKind kind, const UsageScenario& scenario, Ns lengthNs, bool checks) {
    return Turn(kind, scenario, checks).run(lengthNs);
}

UsageReport runUsage(const UsageScenario& scenario, Progress& progress) {
    UsageReport report;
    report.scenario = scenario;
    progress.step("cost of a shared line", 0.0, 0.02);
    report.line = measureLine();
    for (const MeterKind kind : scenario.meters) {
        report.rows.push_back({kind, {}, std::nullopt});
    }
    const Ns turnNs = std::max<Ns>(scenario.durationNs / usageTurns, 1);
    const double parts = static_cast<double>(usageTurns + 1) * static_cast<double>(scenario.meters.size());
    double done = 0;
    for (unsigned turn = 0; turn <= usageTurns; ++turn) {
        for (std::size_t at = 0; at < report.rows.size(); ++at) {
            UsageRow& row = report.rows[(at + turn) % report.rows.size()];
            const bool checks = turn == usageTurns;
            progress.step(meterName(row.kind) + (checks ? ", checked" : ""), 0.02 + 0.98 * done / parts,
                          0.02 + 0.98 * (done + 1) / parts);
            const UsageTurn came = runUsageTurn(row.kind, scenario, turnNs, checks);
            if (interrupted()) {
                report.interrupted = true;
                return report;
            }
            if (checks) {
                row.check = came;
            } else {
                row.turns.push_back(came);
            }
            ++done;
            progress.update(1.0);
        }
    }
    return report;
}

std::vector<LineCost> measureLine() {
    std::vector<unsigned> counts{1, 2, std::max(1U, std::thread::hardware_concurrency())};
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    std::vector<LineCost> costs;
    for (const unsigned threads : counts) {
        std::array<double, 7> looks{};
        std::generate(looks.begin(), looks.end(), [&] { return lineNs(threads); });
        std::sort(looks.begin(), looks.end());
        // Alone, whatever disturbs makes it longer. Together it goes both ways: a thread that is off its processor
        // leaves the line to the others.
        costs.push_back({threads, threads == 1 ? looks.front() : looks[looks.size() / 2]});
    }
    return costs;
}

}  // namespace replay
