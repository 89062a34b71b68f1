// Where a cursor's pages come from: one call, to read a stretch of messages. The SQLite store is one, and one that
// misbehaves on purpose stands in front of it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace replay {

/// Which messages to read.
struct PageRequest {
    std::uint64_t after = 0;        // only sequences above this
    std::uint64_t upTo = 0;         // only sequences up to this
    std::uint32_t maxMessages = 0;
    std::uint64_t maxBytes = 0;     // all together, but the first message whatever its size
};

/// A message of a page. Its body is in memory.
struct PagedMessage {
    std::uint64_t sequence = 0;
    std::uint64_t body = 0;  // its slot in the pool of bodies
    std::uint32_t bytes = 0;
};

/// What went wrong in a store, in its own words.
class StoreFailure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class PageSource {
  public:
    PageSource() = default;
    PageSource(const PageSource&) = delete;
    PageSource& operator=(const PageSource&) = delete;
    virtual ~PageSource() = default;

    /// Writes what is there of the stretch to `page`, in order; the bodies are the caller's from then on. Throws
    /// StoreFailure, and then nothing is in memory that was not before.
    virtual void fetch(const PageRequest& request, std::vector<PagedMessage>& page) = 0;
};

}  // namespace replay
