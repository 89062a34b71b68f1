#include "number_text.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace replay {

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t end = text.size(); end > 3; end -= 3) {
        text.insert(end - 3, ",");
    }
    return text;
}

std::string groupedSigned(std::int64_t number) {
    return number < 0 ? "-" + grouped(static_cast<std::uint64_t>(-number))
                      : grouped(static_cast<std::uint64_t>(number));
}

std::string decimal(double number, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, number);
    return text;
}

std::string durationText(double us) {
    struct Unit {
        double us;
        const char* name;
    };
    static const Unit units[] = {{1e6, " s"}, {1e3, " ms"}, {1.0, " us"}};
    for (const Unit& unit : units) {
        if (us >= unit.us) {
            const double value = us / unit.us;
            return decimal(value, value < 10.0 ? 2 : value < 100.0 ? 1 : 0) + unit.name;
        }
    }
    return decimal(us * 1e3, 0) + " ns";
}

std::optional<Ns> parseDuration(const std::string& text) {
    static const std::map<std::string, double> unitsNs{{"", 1e9},  {"ns", 1.0}, {"us", 1e3},   {"ms", 1e6},
                                                       {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
    constexpr double yearNs = 365.0 * 24 * 3600e9;
    // The number must begin at once: strtod would also take blanks, signs, "inf" and hexadecimals.
    const std::size_t numberEnd = text.find_first_not_of("0123456789.");
    const std::string number = text.substr(0, numberEnd);
    const std::string unit = numberEnd == std::string::npos ? "" : text.substr(numberEnd);
    char* stopped = nullptr;
    const double value = std::strtod(number.c_str(), &stopped);
    const auto found = unitsNs.find(unit);
    if (number.empty() || *stopped != '\0' || number == "." || found == unitsNs.end() ||
        value * found->second > yearNs) {
        return std::nullopt;
    }
    return static_cast<Ns>(std::llround(value * found->second));
}

}  // namespace replay
