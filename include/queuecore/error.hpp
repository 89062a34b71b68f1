// How calls fail: Status is the C library's code, Error the one exception type, Result<T> the
// answer of the try_ calls, which throw nothing. Used by everything else in queuecore.hpp.

#ifndef QUEUECORE_ERROR_HPP
#define QUEUECORE_ERROR_HPP

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

// A C header may have a function and a struct of one name; to g++'s -Wshadow that looks like a mistake.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include "../queuecore.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace queuecore {

/// The status codes of the C library (QC_OK, QC_ERR_CAPACITY, ...). `qc_status_string` has their text.
using Status = ::qc_status;

/// What every call without `try_` throws when the library refuses it. An exception from the caller's
/// own code (a callback, a copy of a value) is passed on as it is instead.
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message, std::size_t done = 0)
      : std::runtime_error(message), status_(status), done_(done) {}

  /// Why the call failed; never QC_OK.
  [[nodiscard]] Status status() const noexcept { return status_; }

  /// For a batch, how many leading elements were done before the one that failed; otherwise 0.
  [[nodiscard]] std::size_t done() const noexcept { return done_; }

 private:
  Status status_;
  std::size_t done_;
};

/// Why a call failed, without throwing: a status, words, and the exception if the caller's own code
/// threw one. Converts to any Result. A Failure whose status is QC_OK stands for "did not fail".
class Failure {
 public:
  /// `note` is static text for what the wrapper itself refused; nullptr leaves the words to the library.
  explicit Failure(Status status, const char* note = nullptr) noexcept : status_(status), note_(note) {}

  /// What the caller's own code threw: QC_ERR_NO_MEMORY for std::bad_alloc, else QC_ERR_CALLBACK.
  static Failure from(std::exception_ptr thrown) noexcept {
    Failure failure(QC_ERR_CALLBACK, "the caller's own code threw an exception");
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      failure = Failure(QC_ERR_NO_MEMORY, "the caller's allocator is out of memory");
    } catch (...) {  // the status is right already; the exception is kept below
    }
    failure.thrown_ = std::move(thrown);
    return failure;
  }

  /// What the caller's own code threw where want of memory is nothing special: QC_ERR_CALLBACK.
  static Failure thrown(std::exception_ptr thrown) noexcept {
    Failure failure(QC_ERR_CALLBACK, "the caller's own code threw an exception");
    failure.thrown_ = std::move(thrown);
    return failure;
  }

  [[nodiscard]] bool failed() const noexcept { return status_ != QC_OK; }
  [[nodiscard]] Status status() const noexcept { return status_; }

  /// Words for people. The library's own stand in one place per thread and change with the thread's
  /// next failing call, so read them before that.
  [[nodiscard]] const char* detail() const noexcept {
    if (!failed()) { return ""; }
    return note_ != nullptr ? note_ : ::qc_last_error();
  }

  /// The exception that the caller's own code threw inside the call, or null.
  [[nodiscard]] const std::exception_ptr& exception() const noexcept { return thrown_; }

  /// Throws the kept exception, or else an Error with the status, its text and the detail.
  [[noreturn]] void raise(std::size_t done = 0) const {
    if (thrown_) { std::rethrow_exception(thrown_); }
    std::string message = ::qc_status_string(status_);
    if (const char* words = detail(); words != nullptr && *words != '\0') { message.append(": ").append(words); }
    throw Error(status_, message, done);
  }

 private:
  Status status_;
  const char* note_;
  std::exception_ptr thrown_;
};

/// A value of T, or why there is none. The answer of the try_ calls.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) noexcept(std::is_nothrow_move_constructible_v<T>)  // implicit: `return value;`
      : value_(std::move(value)), failure_(QC_OK) {}
  Result(Failure failure) noexcept : failure_(std::move(failure)) {}  // implicit: `return failure;`

  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  /// The value; undefined when there is none, as with std::optional.
  [[nodiscard]] T& operator*() & noexcept { return *value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return *value_; }
  [[nodiscard]] T&& operator*() && noexcept { return *std::move(value_); }
  [[nodiscard]] T* operator->() noexcept { return &*value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &*value_; }

  /// The value; throws what the call without `try_` would have thrown when there is none.
  [[nodiscard]] T& value() & {
    if (!has_value()) { failure_.raise(); }
    return *value_;
  }
  [[nodiscard]] const T& value() const& {
    if (!has_value()) { failure_.raise(); }
    return *value_;
  }
  [[nodiscard]] T value() && {
    if (!has_value()) { failure_.raise(); }
    return *std::move(value_);
  }
  template <class U>
  [[nodiscard]] T value_or(U&& other) const& {
    return has_value() ? *value_ : static_cast<T>(std::forward<U>(other));
  }

  /// Why there is no value; its status is QC_OK when there is one.
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  /// QC_OK when there is a value.
  [[nodiscard]] Status status() const noexcept { return failure_.status(); }
  /// See Failure::detail.
  [[nodiscard]] const char* detail() const noexcept { return failure_.detail(); }
  /// See Failure::exception.
  [[nodiscard]] const std::exception_ptr& exception() const noexcept { return failure_.exception(); }

 private:
  std::optional<T> value_;
  Failure failure_;
};

/// Done, or why not.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept : failure_(QC_OK) {}
  Result(Failure failure) noexcept : failure_(std::move(failure)) {}  // implicit; QC_OK means done

  [[nodiscard]] bool has_value() const noexcept { return !failure_.failed(); }
  explicit operator bool() const noexcept { return has_value(); }

  /// Returns when done; throws what the call without `try_` would have thrown when not.
  void value() const {
    if (!has_value()) { failure_.raise(); }
  }
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] Status status() const noexcept { return failure_.status(); }
  [[nodiscard]] const char* detail() const noexcept { return failure_.detail(); }
  [[nodiscard]] const std::exception_ptr& exception() const noexcept { return failure_.exception(); }

 private:
  Failure failure_;
};

}  // namespace queuecore

#endif
