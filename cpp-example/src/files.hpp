// The files of a run, for the report tool and for whoever wants to plot. Their format is described in
// cpp-example/README.md.
#pragma once

#include "report.hpp"

#include <filesystem>
#include <functional>
#include <ostream>
#include <stdexcept>

namespace replay {

class FileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Makes the directory and finds out whether files can be written there, before hours of work depend on it.
void checkWritable(const std::filesystem::path& directory);

/// Writes one file. Throws FileError naming it if it could not be written.
void writeFile(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// The files of a report. Throws FileError naming the file that could not be written.
void writeFiles(const Report& report, const std::filesystem::path& directory);

}  // namespace replay
