#include "resident.hpp"

#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace bench {

std::uint64_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    if (!(file >> total >> resident)) {
        throw std::runtime_error("cannot read /proc/self/statm");
    }
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void trimHeap() { malloc_trim(0); }

}  // namespace bench
