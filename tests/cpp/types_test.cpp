// The small types: times from chrono, spans, keys.

#include <array>
#include <chrono>
#include <limits>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Nanos;
using queuecore::Span;

TEST(Types, TimesComeFromNumbersAndChrono) {
  static_assert(Nanos(5).count() == 5);
  static_assert(Nanos(5us).count() == 5000);
  static_assert(Nanos(-5ms).count() == -5'000'000);
  static_assert(Nanos(std::chrono::duration<double>(0.5)).count() == 500'000'000);
  static_assert(Nanos(std::chrono::duration<std::int32_t>(3)).count() == 3'000'000'000);
  static_assert(Nanos(std::chrono::duration<std::int64_t, std::pico>(1999)).count() == 1);
  const std::chrono::steady_clock::time_point at(7us);
  EXPECT_EQ(Nanos(at).count(), 7000);
}

TEST(Types, TimesTooLargeAreHeldAtTheEnds) {
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Nanos(std::chrono::hours::max()).count(), high);
  EXPECT_EQ(Nanos(std::chrono::hours::min()).count(), low);
  EXPECT_EQ(Nanos(std::chrono::nanoseconds::max()).count(), high);
  EXPECT_EQ(Nanos(std::chrono::nanoseconds::min()).count(), low);
  EXPECT_EQ(Nanos(std::chrono::duration<double>(1e30)).count(), high);
  EXPECT_EQ(Nanos(std::chrono::duration<double>(-1e30)).count(), low);
  EXPECT_EQ(Nanos(std::chrono::duration<double, std::nano>(1e19)).count(), high);
}

TEST(Types, SpansComeFromAnythingContiguous) {
  std::vector<int> vector = {1, 2, 3};
  const std::array<int, 2> array = {4, 5};
  int plain[] = {6};
  EXPECT_EQ(Span<const int>(vector).size(), 3U);
  EXPECT_EQ(Span<const int>(array)[1], 5);
  EXPECT_EQ(Span<int>(plain).data(), plain);
  EXPECT_EQ(Span<const int>(Span<int>(vector)).data(), vector.data());
  EXPECT_TRUE(Span<int>().empty());
  static_assert(!std::is_constructible_v<Span<int>, const std::vector<int>&>, "no const is lost");
  static_assert(!std::is_constructible_v<Span<long>, std::vector<int>&>, "nothing is reinterpreted");
}

TEST(Types, KeysAreSixteenBytes) {
  unsigned char bytes[16];
  for (unsigned char i = 0; i < 16; ++i) { bytes[i] = i; }
  const auto one = queuecore::key_from(bytes);
  EXPECT_EQ(std::memcmp(one.bytes, bytes, 16), 0);
  bytes[15] ^= 1;
  EXPECT_FALSE(queuecore::same_key(one, queuecore::key_from(bytes)));
  EXPECT_TRUE(queuecore::same_key(one, one));
}

}  // namespace
