// Every entry of a history, live and historical, out and in: iteration, export and import. Part of History.

#ifndef QUEUECORE_TRANSFER_HPP
#define QUEUECORE_TRANSFER_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "session.hpp"
#include "values.hpp"

namespace queuecore {

/// One entry of an iteration: `entry` is 0 when it is historical.
using HistoryItem = ::qc_history_item;

/// What stands at the beginning of a buffer of an export; queuecore.h says what each field means.
using BufferInfo = ::qc_buffer_info;

/// What import did with the entries of one buffer; queuecore.h says what each number counts.
using ImportCounts = ::qc_import_result;

/// How far an iteration has come: `done` items were written, and it goes on or is over.
struct IterResult {
  std::size_t done = 0;
  bool more = false;
};

/// What an export wrote: the first `bytes` of the buffer, which hold `entries`; another buffer follows, or not.
struct ExportResult {
  std::size_t bytes = 0;
  std::uint32_t entries = 0;
  bool more = false;
};

/// What an import did, and why not more: out of room or memory, the first entries are taken in and counted.
struct [[nodiscard]] ImportResult {
  ImportCounts counts{};
  Failure failure{QC_OK};

  explicit operator bool() const noexcept { return !failure.failed(); }
  [[nodiscard]] Status status() const noexcept { return failure.status(); }
  [[nodiscard]] const char* detail() const noexcept { return failure.detail(); }

  /// The counts; throws when the import stopped early.
  const ImportCounts& value() const {
    if (failure.failed()) {
      failure.raise(static_cast<std::size_t>(counts.live + counts.historical + counts.duplicates + counts.expired +
                                             counts.evicted));
    }
    return counts;
  }
};

/// Checks a buffer of an export and tells what stands at its beginning. O(bytes). QC_ERR_BAD_BUFFER,
/// QC_ERR_UNSUPPORTED. Any thread.
[[nodiscard]] inline Result<BufferInfo> try_buffer_info(Span<const std::byte> buffer) noexcept {
  BufferInfo info{};
  const Status status = ::qc_history_buffer_info(buffer.data(), buffer.size(), &info);
  if (status != QC_OK) { return Failure(status); }
  return info;
}
[[nodiscard]] inline BufferInfo buffer_info(Span<const std::byte> buffer) { return try_buffer_info(buffer).value(); }

namespace detail {

/// The calls of History<V> that go through all entries. `Self` is that History.
template <class V, class Self>
class Transfer {
 public:
  /// Begins an iteration over all entries, live and erased, in the order of their inserts. QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<void> try_iterate() noexcept {
    return session().run(nullptr, [&] { return ::qc_history_iter_begin(session().handle()); });
  }
  void iterate() { try_iterate().value(); }

  /// The next entries of the iteration, at most as many as `items` has places; fewer, or none, do not mean that it is
  /// over, `more` does. Other calls may come in between: an entry that is there all the while comes exactly once.
  /// O(places).
  [[nodiscard]] Result<IterResult> try_next_items(Span<HistoryItem> items) noexcept {
    IterResult result;
    std::uint32_t more = 0;
    Failure failure = session().run(nullptr, [&] {
      return ::qc_history_iter_next(session().handle(), items.data(), items.size(), &result.done, &more);
    });
    if (failure.failed()) { return failure; }
    result.more = more != 0;
    return result;
  }
  IterResult next_items(Span<HistoryItem> items) { return try_next_items(items).value(); }

  /// The smallest buffer that export_next takes.
  static constexpr std::size_t min_export_bytes = 89 + ValuesOf<V>::value_size;

  /// Begins an export of all entries; V is trivially copyable. QC_ERR_NO_MEMORY.
  [[nodiscard]] Result<void> try_export_begin() noexcept {
    static_assert(!is_pooled<V>, "objects that live outside the library cannot be exported: V is not trivially copyable");
    return session().run(nullptr, [&] { return ::qc_history_export_begin(session().handle()); });
  }
  void export_begin() { try_export_begin().value(); }

  /// Writes the next buffer of the export, of at least min_export_bytes. Other calls may come in between, as for
  /// next_items. O(bytes). QC_ERR_OUT_OF_RANGE, QC_ERR_NOT_BEGUN.
  [[nodiscard]] Result<ExportResult> try_export_next(Span<std::byte> buffer) noexcept {
    const auto written = session().template ask<::qc_export_result>(nullptr, [&](::qc_export_result* out) {
      return ::qc_history_export(session().handle(), buffer.data(), buffer.size(), out);
    });
    if (!written) { return written.failure(); }
    return ExportResult{static_cast<std::size_t>(written->bytes), written->entries, written->more != 0};
  }
  ExportResult export_next(Span<std::byte> buffer) { return try_export_next(buffer).value(); }

  /// Takes in the entries of one buffer of an export, with `shift` added to each insert time; buffers come in order. All
  /// of the buffer is checked first. QC_ERR_BAD_BUFFER, QC_ERR_UNSUPPORTED, QC_ERR_OUT_OF_RANGE, QC_ERR_CLOCK: nothing
  /// was taken in. QC_ERR_CAPACITY, QC_ERR_NO_MEMORY: the first entries were. O(bytes).
  [[nodiscard]] ImportResult try_import(Span<const std::byte> buffer, Nanos now, Nanos shift = 0) noexcept {
    static_assert(!is_pooled<V>, "objects that live outside the library cannot be imported: V is not trivially copyable");
    ImportResult result;
    result.failure = session().run(nullptr, [&] {
      return ::qc_history_import(session().handle(), buffer.data(), buffer.size(), now.count(), shift.count(),
                                 &result.counts);
    });
    return result;
  }
  ImportCounts import(Span<const std::byte> buffer, Nanos now, Nanos shift = 0) {
    return try_import(buffer, now, shift).value();
  }

 private:
  friend Self;
  Transfer() noexcept = default;
  [[nodiscard]] const Session& session() const noexcept { return static_cast<const Self&>(*this).session_; }
};

}  // namespace detail
}  // namespace queuecore

#endif
