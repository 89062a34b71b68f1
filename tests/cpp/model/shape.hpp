// What one random run is like: the options of its history, how many keys it knows, how its clock behaves.
// Everything follows from the seed.

#ifndef QUEUECORE_TEST_SHAPE_HPP
#define QUEUECORE_TEST_SHAPE_HPP

#include <queuecore.h>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace model {

/// The one source of chance of a run. Not std::uniform_int_distribution: that differs between libraries,
/// and a seed has to mean the same run everywhere.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// 0 to count - 1.
  std::uint64_t below(std::uint64_t count) { return bits() % count; }
  bool percent(unsigned of_hundred) { return below(100) < of_hundred; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

struct Shape {
  qc_history_options options;
  std::uint64_t key_count;
  std::int64_t start_ns;
  std::uint64_t hash_mask;  // of the callers' own hash; 0 for the built-in one
  unsigned jump_percent;    // how often the clock does something odd
  unsigned batch_percent;
};

Shape random_shape(Chance& chance);
std::string describe(const Shape& shape);

/// Key number n, as 16 bytes.
qc_key key_of(std::uint64_t n);

/// a + b, held at the ends of int64.
std::int64_t add(std::int64_t a, std::int64_t b);

/// A present that is usually a little later than `seen`, and now and then anything at all.
std::int64_t random_now(Chance& chance, const Shape& shape, std::int64_t seen);
/// An insert time that is usually `present`, often older, and now and then one that is refused.
std::int64_t random_at(Chance& chance, const Shape& shape, std::int64_t present);

}  // namespace model

#endif
