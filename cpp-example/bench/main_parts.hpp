// What the mains of all benches do alike: whether a quick look is wanted, and where the figures go.
#pragma once

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace bench {

/// Whether QUICK is set in the environment, to anything but 0.
inline bool quickByEnvironment() {
    const char* value = std::getenv("QUICK");
    return value != nullptr && *value != '\0' && std::string(value) != "0";
}

/// Writes a JSON document for machines. Throws, naming the file, if it could not be written.
template <class Json>
void writeJson(const std::string& path, const Json& document) {
    std::ofstream file(path);
    file << document.dump(2) << '\n';
    file.close();
    if (!file) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace bench
