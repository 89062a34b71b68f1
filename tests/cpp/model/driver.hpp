// One random run: does the same to the library, through the C ABI, and to the naive model, and compares.

#ifndef QUEUECORE_TEST_DRIVER_HPP
#define QUEUECORE_TEST_DRIVER_HPP

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "naive_history.hpp"
#include "shape.hpp"

namespace model {

/// The library and the model do not agree.
class Disagreement : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Driver {
 public:
  explicit Driver(std::uint64_t seed);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Throws a Disagreement that says the seed, the options and the last steps.
  void run(std::uint64_t steps);

  /// How often each kind of answer came, over all steps: a run that never sees any proves nothing.
  struct Seen {
    std::uint64_t added, duplicate_live, duplicate_history, historical, gone, refused, evicted, collected;
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  // The steps, in steps.cpp.
  void step();
  void do_put(bool readmits);
  void do_put_batch(bool readmits);
  void do_erase(bool by_key);
  void do_erase_batch();
  void do_erase_all_live();
  void do_forget(bool by_key);
  void do_contains();
  void do_contains_batch();
  void do_find();
  void do_gc();
  void do_clear();
  void do_clock_reset();
  void do_write_value();
  void do_stale();

  // Comparing, in compare.cpp.
  void compare_counts();
  void compare_all();
  void compare_order(bool forward);
  void compare_put(const qc_insert_result& result, const NaiveHistory::Put& put);
  void expect(bool same, const std::string& what) const;
  void expect_equal(std::uint64_t library, std::uint64_t model, const char* what) const;
  void expect_status(qc_status library, qc_status model) const;
  void collect_both(std::int64_t now, bool refused);
  [[nodiscard]] struct qc_history_stats stats() const;

  [[nodiscard]] std::int64_t now();
  [[nodiscard]] std::uint64_t some_key() { return chance_.below(shape_.key_count); }
  [[nodiscard]] qc_status check_at(std::int64_t at, std::int64_t now) const;
  [[nodiscard]] Bytes some_value();
  [[nodiscard]] const NaiveHistory::Live* some_live();
  void note(std::string text);
  void left(std::uint64_t id);

  std::uint64_t seed_;
  Chance chance_;
  Shape shape_;
  NaiveHistory model_;
  qc_history* history_ = nullptr;
  std::unordered_map<std::uint64_t, qc_entry> entries_;  // the library's handle of each live id
  std::vector<qc_entry> stale_;
  std::deque<std::string> trail_;
  std::uint64_t at_step_ = 0;
  Seen seen_{};
};

}  // namespace model

#endif
