// The small types of the cursor: messages, what a pull answers, figures.

#ifndef QUEUECORE_CURSOR_TYPES_HPP
#define QUEUECORE_CURSOR_TYPES_HPP

#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace queuecore {

/// A message that the broker has handed to its store: token, sequence, user, size_bytes, priority, write. Make one with
/// committed_message or open_message.
using Message = ::qc_message;

/// A message in the consumers' hands: sequence, token, user, size_bytes, redeliveries, priority.
using Delivered = ::qc_delivered;

/// A message as the store tells it: sequence, user, size_bytes, priority.
using Stored = ::qc_stored;

/// A message that has left the window: user, released_bytes, was_in_memory.
using Released = ::qc_released;

/// What drop_cache gave back: messages, released_bytes.
using Dropped = ::qc_dropped;

/// What a purge removed: up_to, messages, stored_messages, released_bytes, more.
using Purged = ::qc_purged;

/// Every figure of a cursor, and of a group; queuecore.h says what each one is.
using CursorStats = struct ::qc_cursor_stats;
using CursorGroupStats = struct ::qc_cursor_group_stats;

/// A message that the store has, under this sequence.
[[nodiscard]] constexpr Message committed_message(std::uint64_t token, std::uint64_t sequence, std::uint64_t user,
                                                  std::uint32_t size_bytes, std::uint8_t priority = 4) noexcept {
  return {token, sequence, user, size_bytes, priority, QC_WRITE_COMMITTED, 0};
}

/// A message on its way to the store: committed or aborted follows. `sequence` if the store has numbered it already.
[[nodiscard]] constexpr Message open_message(std::uint64_t token, std::uint64_t user, std::uint32_t size_bytes,
                                             std::uint8_t priority = 4, std::uint64_t sequence = 0) noexcept {
  return {token, sequence, user, size_bytes, priority, QC_WRITE_OPEN, 0};
}

/// A message as a store tells it.
[[nodiscard]] constexpr Stored stored_message(std::uint64_t sequence, std::uint64_t user, std::uint32_t size_bytes,
                                              std::uint8_t priority = 4) noexcept {
  return {sequence, user, size_bytes, priority, {}};
}

/// Where a pushed message is.
enum class Pushed : std::uint32_t {
  cached = QC_CACHED,  ///< in memory, which is charged: the host keeps its body
  stored = QC_STORED,  ///< in the store only: the host can let go of its body
};

/// Whether a pull begins a new round over the window: then parked messages are offered again.
enum class Round : std::uint32_t {
  begin = QC_ROUND_BEGIN,
  go_on = QC_ROUND_CONTINUE,
};

/// Why a pull ended.
enum class PullEnd : std::uint32_t {
  more = QC_PULL_MORE,        ///< the demand is met, or one page was taken in: another pull may give more
  empty = QC_PULL_EMPTY,      ///< nothing is pending that is not in flight or parked
  blocked = QC_PULL_BLOCKED,  ///< something is pending and cannot be had now; on_ready follows
};

/// What blocks a pull.
enum class Blocked : std::uint32_t {
  not_blocked = QC_BLOCKED_NOT,
  own_mark = QC_BLOCKED_OWN_MARK,  ///< messages have to be acknowledged first
  parent = QC_BLOCKED_PARENT,      ///< the parent is over its paging mark
  entries = QC_BLOCKED_ENTRIES,    ///< the window holds max_entries messages, or nearly
  commit = QC_BLOCKED_COMMIT,      ///< what is next has not been committed yet
};

/// What a pull did.
struct Pulled {
  std::size_t count = 0;  ///< messages written
  PullEnd end = PullEnd::more;
  Blocked blocked = Blocked::not_blocked;
};

/// What a browse did.
struct Browsed {
  std::size_t count = 0;    ///< messages written
  std::uint64_t after = 0;  ///< where the next browse goes on
  bool more = false;        ///< there may be more behind that
};

/// Which messages to fetch: those above `after` and up to `up_to`; `max_messages` at most, and together `max_bytes` at most,
/// but the first one whatever its size.
struct Fetch {
  std::uint64_t after;
  std::uint64_t up_to;
  std::uint32_t max_messages;
  std::uint64_t max_bytes;
};

}  // namespace queuecore

#endif
