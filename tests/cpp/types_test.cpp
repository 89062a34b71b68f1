// The small types: times from chrono, spans, keys.

#include <array>
#include <chrono>
#include <limits>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::History;
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

TEST(Types, UnsignedOnesDoNotWrap) {
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  using std::chrono::duration;
  static_assert(Nanos(duration<std::uint64_t, std::nano>(most)).count() == high);
  static_assert(Nanos(duration<std::uint64_t, std::nano>(std::uint64_t{1} << 63)).count() == high);
  static_assert(Nanos(duration<std::uint64_t, std::nano>(high)).count() == high);
  static_assert(Nanos(duration<std::uint64_t, std::nano>(7)).count() == 7);
  static_assert(Nanos(duration<std::uint64_t>(most)).count() == high);
  static_assert(Nanos(duration<std::uint32_t>(4'000'000'000)).count() == 4'000'000'000'000'000'000);
  static_assert(Nanos(duration<std::uint64_t, std::pico>(most)).count() == 18'446'744'073'709'551);
  static_assert(Nanos(duration<std::uint64_t, std::atto>(most)).count() == 18'446'744'073);
  History<int> history(options());
  EXPECT_EQ(history.try_insert(key(1), 1, 0, duration<std::uint64_t, std::nano>(most)).status(), QC_ERR_CLOCK);
}

TEST(Types, WhatIsNotANumberIsRefused) {
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  const auto no_number = std::numeric_limits<double>::quiet_NaN();
  const auto endless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Nanos(std::chrono::duration<double>(no_number)).count(), low);
  EXPECT_EQ(Nanos(std::chrono::duration<float, std::pico>(std::numeric_limits<float>::quiet_NaN())).count(), low);
  EXPECT_EQ(Nanos(std::chrono::duration<double>(endless)).count(), high);
  EXPECT_EQ(Nanos(std::chrono::duration<double>(-endless)).count(), low);
  History<int> history(options());
  EXPECT_EQ(history.try_gc(std::chrono::duration<double>(no_number), 1).status(), QC_ERR_CLOCK);
}

TEST(Types, TimesThatFitAreExact) {
  using std::chrono::duration;
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  static_assert(Nanos(std::chrono::hours(2'562'047)).count() == 2'562'047 * 3'600'000'000'000);
  static_assert(Nanos(std::chrono::hours(-2'562'047)).count() == -2'562'047 * 3'600'000'000'000);
  static_assert(Nanos(std::chrono::hours(2'562'048)).count() == high);
  static_assert(Nanos(std::chrono::hours(-2'562'048)).count() == low);
  static_assert(Nanos(std::chrono::nanoseconds(low + 1)).count() == low + 1);
  static_assert(Nanos(duration<std::int64_t, std::pico>(-1999)).count() == -1);
  static_assert(Nanos(duration<std::int64_t, std::ratio<1, 60>>(90)).count() == 1'500'000'000);
  static_assert(Nanos(duration<std::int64_t, std::ratio<1, 60>>(1)).count() == 16'666'666);
  static_assert(Nanos(duration<std::int64_t, std::ratio<1, 60>>(high)).count() == high);
  static_assert(Nanos(duration<std::int64_t, std::ratio<1001, 30000>>(30000)).count() == 1'001'000'000'000);
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
