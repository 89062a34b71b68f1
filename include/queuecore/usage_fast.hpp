// The fast path of the usage meter, inlined: one exchange on a line of this processor's own, or one load, on the memory
// of a tracker as qc_usage_layout() describes it. Whatever is out of the ordinary is left to the library. Used by Tracker
// only. How it works, and why it is right, stands in the library's src/usage/operate.rs and layout.rs.

#ifndef QUEUECORE_USAGE_FAST_HPP
#define QUEUECORE_USAGE_FAST_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "error.hpp"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define QUEUECORE_HAS_RSEQ 1
#endif
#endif

namespace queuecore::detail {

/// The layout that this header was written for. A library with another one is served by calls.
struct UsageLayout {
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t stripe_bytes = 128;
  static constexpr std::uint32_t stripes_offset = 8;
  static constexpr std::uint32_t stripes_log2_mask = 7;
  static constexpr std::uint32_t parent_offset = 16;
  static constexpr std::uint32_t percent_offset = 24;
  static constexpr std::uint32_t state_offset = 44;
  static constexpr std::uint32_t state_full_mask = 1;
  static constexpr std::uint32_t last_user_offset = 60;
  static constexpr std::int64_t percent_unknown = INT64_MIN;

  /// Whether the loaded library has it.
  [[nodiscard]] static bool is_the_library_s() noexcept {
    const struct ::qc_usage_layout& theirs = *::qc_usage_layout();
    return theirs.struct_size >= sizeof theirs && theirs.version == version && theirs.stripe_bytes == stripe_bytes &&
           theirs.stripes_offset == stripes_offset && theirs.stripes_log2_mask == stripes_log2_mask &&
           theirs.parent_offset == parent_offset && theirs.percent_offset == percent_offset &&
           theirs.state_offset == state_offset && theirs.state_full_mask == state_full_mask &&
           theirs.last_user_offset == last_user_offset && theirs.percent_unknown == percent_unknown;
  }
};

/// A number that two threads rarely share while they run: the processor's, where the C library shares it with the kernel
/// (glibc 2.35 and later), else one of the thread's own.
[[nodiscard]] inline std::uint32_t stripe_hint() noexcept {
#if defined(QUEUECORE_HAS_RSEQ) && (defined(__x86_64__) || defined(__aarch64__))
  if (__rseq_size > 0) {
    const char* area = nullptr;
#if defined(__x86_64__)
    __asm__("mov %%fs:0, %0" : "=r"(area));
#else
    area = static_cast<const char*>(__builtin_thread_pointer());
#endif
    area += __rseq_offset;
    // The first word is the number of a processor, at any time; the kernel writes it.
    return __atomic_load_n(static_cast<const std::uint32_t*>(static_cast<const void*>(area)), __ATOMIC_RELAXED);
  }
#endif
  static std::atomic<std::uint32_t> next{0};
  static thread_local const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

/// A tracker's memory, or none: then every question here answers "ask the library".
class UsageNode {
 public:
  UsageNode() noexcept = default;

  /// The memory behind a handle, if the library's layout is the one of this header.
  explicit UsageNode(::qc_usage* handle) noexcept {
    static const bool is_known = UsageLayout::is_the_library_s();
    const void* node = nullptr;
    if (is_known && ::qc_usage_node(handle, &node) == QC_OK) { node_ = static_cast<const char*>(node); }
  }

  /// Counts more out of this processor's stripe, if it has that much and nobody interferes.
  [[nodiscard]] bool take(std::uint64_t amount) const noexcept {
    std::uint64_t* const word = stripe();
    if (word == nullptr) { return false; }
    const std::uint64_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    return (seen >> 32) >= amount && exchange(word, seen, seen - amount * moved);
  }

  /// Counts less into this processor's stripe, if it has room for it and nobody interferes.
  [[nodiscard]] bool put_back(std::uint64_t amount) const noexcept {
    std::uint64_t* const word = stripe();
    if (word == nullptr) { return false; }
    const std::uint64_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    return (seen & moved) >= amount && exchange(word, seen, seen + amount * moved);
  }

  /// The percent, if somebody keeps it.
  [[nodiscard]] bool percent(std::int32_t& percent) const noexcept {
    if (node_ == nullptr) { return false; }
    const auto kept = __atomic_load_n(at<std::int64_t>(node_, UsageLayout::percent_offset), __ATOMIC_ACQUIRE);
    percent = static_cast<std::int32_t>(kept);
    return kept != UsageLayout::percent_unknown;
  }

  [[nodiscard]] bool is_known() const noexcept { return node_ != nullptr; }

  /// Whether it, or one above it, is full. Only for one that is known.
  [[nodiscard]] bool is_full() const noexcept {
    const char* node = node_;
    do {
      const auto state = __atomic_load_n(at<std::uint32_t>(node, UsageLayout::state_offset), __ATOMIC_ACQUIRE);
      if ((state & UsageLayout::state_full_mask) != 0) { return true; }
      node = *at<const char*>(node, UsageLayout::parent_offset);
    } while (node != nullptr);
    return false;
  }

 private:
  static constexpr std::uint64_t moved = 0xffffffff;

  template <class T>
  [[nodiscard]] static T* at(const char* node, std::uint32_t offset) noexcept {
    // The memory is the library's, which made it to be written where it says so.
    return static_cast<T*>(static_cast<void*>(const_cast<char*>(node) + offset));
  }

  /// This processor's stripe; null where the library has to be told who comes.
  [[nodiscard]] std::uint64_t* stripe() const noexcept {
    if (node_ == nullptr) { return nullptr; }
    const auto tagged = __atomic_load_n(at<std::uintptr_t>(node_, UsageLayout::stripes_offset), __ATOMIC_ACQUIRE);
    const std::uint32_t hint = stripe_hint();
    const std::uintptr_t log2 = tagged & UsageLayout::stripes_log2_mask;
    if (log2 == 0 &&
        __atomic_load_n(at<std::uint32_t>(node_, UsageLayout::last_user_offset), __ATOMIC_RELAXED) != hint) {
      return nullptr;
    }
    const std::uintptr_t index = hint & ((std::uintptr_t{1} << log2) - 1);
    return reinterpret_cast<std::uint64_t*>((tagged - log2) + index * UsageLayout::stripe_bytes);
  }

  [[nodiscard]] static bool exchange(std::uint64_t* word, std::uint64_t seen, std::uint64_t next) noexcept {
    return __atomic_compare_exchange_n(word, &seen, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }

  const char* node_ = nullptr;
};

}  // namespace queuecore::detail

#endif
