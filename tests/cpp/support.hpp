// Shared by the tests of queuecore.hpp.

#ifndef QUEUECORE_TEST_CPP_SUPPORT_HPP
#define QUEUECORE_TEST_CPP_SUPPORT_HPP

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <queuecore.hpp>
#include <utility>

namespace qtest {

using namespace std::chrono_literals;

inline queuecore::Key key(std::uint64_t n) {
  unsigned char bytes[16] = {};
  std::memcpy(bytes, &n, sizeof n);
  return queuecore::key_from(bytes);
}

/// A window of 100 us in ticks of 1 us, and nothing random.
inline queuecore::HistoryOptions options() {
  return queuecore::HistoryOptions().window_ns(100us).resolution_ns(1us).seed(7);
}

/// The status of the Error that `call` throws; QC_OK when it throws none.
template <class Call>
queuecore::Status thrown_status(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const queuecore::Error& error) {
    EXPECT_GT(std::strlen(error.what()), 0U);
    return error.status();
  }
  return QC_OK;
}

/// An object that counts how many of it there are, and throws on demand while it is copied or moved.
class Counted {
 public:
  static inline int alive = 0;
  static inline int throw_in = 0;  // the copy or move that throws, counted down; 0 for none

  explicit Counted(int value) : value_(value) { ++alive; }
  Counted(const Counted& other) : value_(other.value_) {
    maybe_throw();
    ++alive;
  }
  Counted(Counted&& other) : value_(std::exchange(other.value_, -1)) {  // not noexcept, on purpose
    if (throw_in == 1) { other.value_ = value_; }
    maybe_throw();
    ++alive;
  }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
  [[nodiscard]] int value() const { return value_; }

 private:
  static void maybe_throw() {
    if (throw_in > 0 && --throw_in == 0) { throw std::runtime_error("no copy today"); }
  }
  int value_;
};

/// The same with a move that cannot throw.
class Quiet {
 public:
  static inline int alive = 0;
  explicit Quiet(int value) noexcept : value_(value) { ++alive; }
  Quiet(Quiet&& other) noexcept : value_(std::exchange(other.value_, -1)) { ++alive; }
  Quiet& operator=(Quiet&&) = delete;
  ~Quiet() { --alive; }
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

}  // namespace qtest

#endif
