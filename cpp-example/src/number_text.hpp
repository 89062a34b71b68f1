// Numbers and durations as people read them; and durations as people type them.
#pragma once

#include "units.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace replay {

/// 1234567 -> "1,234,567".
std::string grouped(std::uint64_t number);
std::string groupedSigned(std::int64_t number);

/// Three significant digits and the unit that suits: "812 ns", "1.26 s".
std::string durationText(double us);

/// `digits` after the point.
std::string decimal(double number, int digits);

/// "100ms", "2.5s", "5m", "250us"; a bare number means seconds. None if it is none of these, negative, or beyond a
/// year.
std::optional<Ns> parseDuration(const std::string& text);

}  // namespace replay
