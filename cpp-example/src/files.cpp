#include "files.hpp"
#include "json_summary.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <ostream>

namespace replay {

namespace fs = std::filesystem;

void writeFile(const fs::path& path, const std::function<void(std::ostream&)>& write) {
    std::ofstream file(path, std::ios::trunc);
    write(file);
    file.flush();
    if (!file) {
        throw FileError(path.string() + ": could not be written");
    }
}

namespace {

constexpr std::array<double, 18> percentiles{0,    10,    25,    50,     75,     90,      95,      99,       99.5,
                                             99.9, 99.95, 99.99, 99.995, 99.999, 99.9995, 99.9999, 99.99995, 100};

std::string cell(double number) {
    if (std::isnan(number)) {
        return "nan";
    }
    char text[64];
    std::snprintf(text, sizeof text, "%.3f", number);
    return text;
}

std::string cell(const SampleStats& stats) {
    return cell(stats.middleUs) + ',' + cell(stats.tailUs) + ',' + cell(stats.longestUs);
}

std::string runCells(const RunResult& run) {
    return run.contender.name() + ',' + run.contender.policy.name + ',' + run.contender.engineName() + ',' +
           startName(run.start);
}

std::string longestPause(const Sample& sample) {
    Ns longestNs = -1;
    for (const Pauses& pauses : sample.pauses) {
        longestNs = pauses.count > 0 ? std::max(longestNs, pauses.longestNs) : longestNs;
    }
    return longestNs < 0 ? "nan" : cell(toMicros(static_cast<double>(longestNs)));
}

void writeTimeseries(const Report& report, std::ostream& out) {
    const IdealHistory ideal(report.scenario, report.settings.trace);
    out << "run,policy,engine,start,t_s,history,ideal,bytes,backlog,put_latency_p50_us,put_latency_p99_us,"
           "put_latency_max_us,put_history_p50_us,put_history_p999_us,put_history_max_us,gc_pause_max_us,collected,"
           "nacks\n";
    for (const RunResult& run : report.runs) {
        for (const Sample& sample : run.recording.samples) {
            out << runCells(run) << ',' << cell(toSeconds(sample.atNs)) << ',' << sample.history << ','
                << ideal.at(sample.atNs) << ',' << sample.bytes << ',' << sample.backlog << ',' << cell(sample.latency)
                << ',' << cell(sample.putHistory) << ',' << longestPause(sample) << ',' << sample.totals.collected
                << ',' << sample.totals.nacks << '\n';
        }
    }
}

void writePercentiles(const Report& report, std::ostream& out) {
    out << "run,policy,engine,start,metric,percentile,value_us,count\n";
    for (const RunResult& run : report.runs) {
        const std::pair<const char*, const DurationHistogram*> metrics[] = {
            {"put_latency", &run.recording.putLatency},
            {"put_history", &run.recording.putHistory},
            {"gc_pause", &run.recording.gcPauses},
        };
        for (const auto& [name, durations] : metrics) {
            for (const double percentile : percentiles) {
                if (durations->count() > 0) {
                    char percentText[32];
                    std::snprintf(percentText, sizeof percentText, "%.10g", percentile);
                    out << runCells(run) << ',' << name << ',' << percentText << ','
                        << cell(toMicros(durations->percentileNs(percentile))) << ',' << durations->count() << '\n';
                }
            }
        }
    }
}

void writeGcPauses(const Report& report, std::ostream& out) {
    static const std::array<const char*, pauseKinds> kinds{"event", "inline", "idle"};
    out << "run,policy,engine,start,t_s,kind,count,max_us,total_us\n";
    for (const RunResult& run : report.runs) {
        for (const Sample& sample : run.recording.samples) {
            for (std::size_t kind = 0; kind < pauseKinds; ++kind) {
                const Pauses& pauses = sample.pauses[kind];
                if (pauses.count > 0) {
                    out << runCells(run) << ',' << cell(toSeconds(sample.atNs)) << ',' << kinds[kind] << ','
                        << pauses.count << ',' << cell(toMicros(static_cast<double>(pauses.longestNs))) << ','
                        << cell(toMicros(static_cast<double>(pauses.totalNs))) << '\n';
                }
            }
        }
    }
}

void writeCapacity(const Report& report, std::ostream& out) {
    out << "run,rate_per_s,source,sustained,reason,nacks,end_ratio,growth_per_s,at_s\n";
    for (const CapacityResult& capacity : report.capacities) {
        for (const CapacityProbe& probe : capacity.probes) {
            out << capacity.contender.name() << ',' << probe.ratePerS << ','
                << (probe.measured ? "measured" : "predicted") << ',' << (probe.verdict == Verdict::Sustained ? 1 : 0)
                << ',' << verdictName(probe.verdict) << ',' << probe.nacks << ',' << cell(probe.endRatio) << ','
                << cell(probe.growthPerS) << ',' << cell(toSeconds(probe.stoppedAtNs)) << '\n';
        }
    }
}

}  // namespace

void checkWritable(const fs::path& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) {
        throw FileError(directory.string() + ": " + error.message());
    }
    const fs::path probe = directory / ".writable";
    writeFile(probe, [](std::ostream& out) { out << "yes\n"; });
    fs::remove(probe);
}

void writeFiles(const Report& report, const fs::path& directory) {
    writeFile(directory / "timeseries.csv", [&](std::ostream& out) { writeTimeseries(report, out); });
    writeFile(directory / "percentiles.csv", [&](std::ostream& out) { writePercentiles(report, out); });
    writeFile(directory / "gc_pauses.csv", [&](std::ostream& out) { writeGcPauses(report, out); });
    if (report.capacities.empty()) {
        fs::remove(directory / "capacity.csv");  // one of an earlier run would pass for this one's
    } else {
        writeFile(directory / "capacity.csv", [&](std::ostream& out) { writeCapacity(report, out); });
    }
    writeFile(directory / "summary.json", [&](std::ostream& out) { writeSummary(report, out); });
}

}  // namespace replay
