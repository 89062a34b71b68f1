#include "machine.hpp"

#include <queuecore.h>
#include <sys/utsname.h>

#include <fstream>
#include <sstream>
#include <thread>

namespace replay {
namespace {

// Per entry just past a rehash or a split, when there is most air in the table.
constexpr std::uint64_t stlEntryBytes = 125;
constexpr std::uint64_t queuecoreEntryBytes = 40;

/// The text after "name :" in one of the files of /proc.
std::optional<std::string> procField(const char* path, const std::string& name) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && line.compare(0, name.size(), name) == 0) {
            const std::size_t text = line.find_first_not_of(" \t", colon + 1);
            return text == std::string::npos ? "" : line.substr(text);
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> memoryField(const std::string& name) {
    const auto text = procField("/proc/meminfo", name);
    std::uint64_t kib = 0;
    if (!text || !(std::istringstream(*text) >> kib)) {
        return std::nullopt;
    }
    return kib * 1024;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machineFacts() {
    std::vector<std::pair<std::string, std::string>> facts;
    if (const auto processor = procField("/proc/cpuinfo", "model name")) {
        facts.emplace_back("cpu", *processor);
    }
    facts.emplace_back("cores", std::to_string(std::thread::hardware_concurrency()));
    if (const auto bytes = memoryField("MemTotal")) {
        facts.emplace_back("memory", std::to_string(*bytes >> 20U) + " MiB");
    }
    utsname system{};
    if (uname(&system) == 0) {
        facts.emplace_back("os", std::string(system.sysname) + " " + system.release + " " + system.machine);
    }
    facts.emplace_back("compiler", std::string("C++ ") + __VERSION__);
    facts.emplace_back("queuecore", qc_version_string());
    return facts;
}

std::optional<std::uint64_t> availableMemoryBytes() { return memoryField("MemAvailable"); }

std::uint64_t expectedBytes(const Scenario& scenario, const Contender& contender) {
    // Where only GC events collect, the history may take in the whole run.
    const bool bounded = contender.policy.insertCollects != InsertCollects::Nothing;
    const double spanS =
        toSeconds(scenario.windowNs) + toSeconds(bounded ? scenario.gcIntervalNs : scenario.durationNs);
    const auto entries = static_cast<std::uint64_t>(static_cast<double>(scenario.ratePerS) * spanS);
    return entries * (contender.engine == EngineKind::Stl ? stlEntryBytes : queuecoreEntryBytes);
}

}  // namespace replay
