// The resident set of this process, as the kernel counts it.
#pragma once

#include <cstdint>

namespace bench {

std::uint64_t residentBytes();

/// Hands freed heap memory back to the system, so that the next instance starts from fresh pages. For between
/// measurements only: what an engine gives back by itself is measured without it.
void trimHeap();

}  // namespace bench
