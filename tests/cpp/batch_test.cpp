// Batches over containers and pointers: whole, across chunks, and stopped halfway.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Entry;
using queuecore::Erased;
using queuecore::History;
using queuecore::Inserted;
using queuecore::Key;
using queuecore::Outcome;
using queuecore::Presence;

std::vector<Key> keys(std::uint64_t from, std::uint64_t count) {
  std::vector<Key> all;
  for (std::uint64_t i = 0; i < count; ++i) { all.push_back(key(from + i)); }
  return all;
}

TEST(Batch, PlainValues) {
  History<std::uint64_t> history(options());
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    history.clear();
    const auto some = keys(0, count);
    std::vector<std::uint64_t> values(count);
    for (std::size_t i = 0; i < count; ++i) { values[i] = i * 10; }
    std::vector<Inserted> results(count);
    history.insert_batch(some, values, {}, 50us, results);
    ASSERT_EQ(history.live_len(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(results[i].added());
      ASSERT_EQ(history.value(results[i].entry), i * 10);
      ASSERT_EQ(history.info(results[i].entry).inserted_at_ns, 50000);
    }
    history.insert_batch({some.data(), 0}, {values.data(), 0}, {}, 50us);  // nothing at all is a batch too
  }
}

TEST(Batch, PointerAndCountTimesAndArrays) {
  History<int> history(options());
  const std::array<Key, 3> some = {key(1), key(2), key(3)};
  const int values[] = {1, 2, 3};
  const std::vector<std::int64_t> at = {1000, 2000, 3000};
  Inserted results[3];
  history.insert_batch({some.data(), some.size()}, values, at, 5000, results);
  for (std::size_t i = 0; i < 3; ++i) { EXPECT_EQ(history.info(results[i].entry).inserted_at_ns, at[i]); }
  history.erase_all_live(5000);
  history.insert_batch(some, values, at, 5000, results);
  for (const Inserted& result : results) {
    EXPECT_EQ(result.outcome, Outcome::duplicate_history);
    EXPECT_EQ(result.entry, 0U);
  }
  history.readmit_batch(some, values, at, 5000, results);
  for (const Inserted& result : results) { EXPECT_TRUE(result.added()); }
}

TEST(Batch, MoveOnlyValuesAreTakenWhereAdded) {
  History<std::unique_ptr<int>> history(options());
  history.insert(key(70), std::make_unique<int>(-1), 0, 0);
  const auto some = keys(0, 150);
  std::vector<std::unique_ptr<int>> values;
  for (int i = 0; i < 150; ++i) { values.push_back(std::make_unique<int>(i)); }
  std::vector<Inserted> results(150);
  history.insert_batch(some, values, {}, 0, results);
  for (std::size_t i = 0; i < 150; ++i) {
    EXPECT_EQ(results[i].outcome, i == 70 ? Outcome::duplicate_live : Outcome::added);
    EXPECT_EQ(values[i] != nullptr, i == 70);
    EXPECT_EQ(*history.value(results[i].entry), i == 70 ? -1 : static_cast<int>(i));
  }
}

TEST(Batch, StopsAtTheFirstThatFails) {
  {
    History<Quiet> history(options());
    const auto some = keys(0, 100);
    std::vector<Quiet> values;
    values.reserve(100);
    for (int i = 0; i < 100; ++i) { values.emplace_back(i); }
    std::vector<std::int64_t> at(100, 0);
    at[80] = 1;  // later than the present
    std::vector<Inserted> results(100);
    const auto result = history.try_insert_batch(some, values, at, 0, results);
    EXPECT_FALSE(result);
    EXPECT_EQ(result.done, 80U);
    EXPECT_EQ(result.status(), QC_ERR_OUT_OF_RANGE);
    EXPECT_NE(std::string(result.detail()).find("inserted_at_ns"), std::string::npos) << result.detail();
    EXPECT_EQ(history.live_len(), 80U);
    EXPECT_EQ(Quiet::alive, 180);
    EXPECT_EQ(values[79].value(), -1);
    EXPECT_EQ(values[80].value(), 80);  // not taken
    EXPECT_EQ(values[99].value(), 99);
    try {
      history.insert_batch(some, values, at, 0, results);
      FAIL();
    } catch (const queuecore::Error& error) {
      EXPECT_EQ(error.done(), 80U);
      EXPECT_EQ(error.status(), QC_ERR_OUT_OF_RANGE);
    }
    EXPECT_EQ(history.live_len(), 80U);
  }
  EXPECT_EQ(Quiet::alive, 0);
}

TEST(Batch, AValueThatThrowsStopsIt) {
  {
    History<Counted> history(options());
    const auto some = keys(0, 100);
    std::vector<Counted> values;
    values.reserve(100);
    for (int i = 0; i < 100; ++i) { values.emplace_back(i); }
    Counted::throw_in = 91;
    const auto result = history.try_insert_batch(some, values, {}, 0);
    EXPECT_EQ(result.done, 90U);
    EXPECT_EQ(result.status(), QC_ERR_CALLBACK);
    EXPECT_EQ(history.live_len(), 90U);
    EXPECT_EQ(Counted::alive, 190);
    EXPECT_EQ(values[90].value(), 90);
    Counted::throw_in = 1;
    EXPECT_THROW(history.insert_batch({some.data() + 90, 10}, {values.data() + 90, 10}, {}, 0), std::runtime_error);
    EXPECT_EQ(history.live_len(), 90U);
  }
  EXPECT_EQ(Counted::alive, 0);
}

/// Cannot be copied, and its move might throw.
struct MoveOnly {
  explicit MoveOnly(int number) : value(std::make_unique<int>(number)) {}
  MoveOnly(MoveOnly&& other) : value(std::move(other.value)) {}  // not noexcept, on purpose
  MoveOnly& operator=(MoveOnly&& other) {
    value = std::move(other.value);
    return *this;
  }
  std::unique_ptr<int> value;
};

/// Its move throws on some days, its copy never does.
struct CopiesQuietly {
  explicit CopiesQuietly(int number) : value(number) {}
  CopiesQuietly(const CopiesQuietly& other) noexcept : value(other.value) {}
  CopiesQuietly(CopiesQuietly&& other) : value(std::exchange(other.value, -1)) {}  // not noexcept, on purpose
  ~CopiesQuietly() {}
  int value;
};

/// Key 3 is live, element 70 fails: neither these nor what follows may lose its value.
template <class V, class Read>
void values_not_added_stay(Read read) {
  History<V> history(options());
  history.insert(key(3), V(-3), 0, 0);
  const auto some = keys(0, 80);
  std::vector<V> values;
  values.reserve(80);
  for (int i = 0; i < 80; ++i) { values.emplace_back(i); }
  std::vector<std::int64_t> at(80, 0);
  at[70] = 1;  // later than the present
  EXPECT_EQ(history.try_insert_batch(some, values, at, 0).done, 70U);
  EXPECT_EQ(read(values[3]), 3);
  for (int i = 70; i < 80; ++i) { EXPECT_EQ(read(values[static_cast<std::size_t>(i)]), i); }
  for (int i = 0; i < 70; ++i) {
    EXPECT_EQ(read(history.value(history.find(key(static_cast<std::uint64_t>(i))))), i == 3 ? -3 : i);
  }
}

TEST(Batch, ValuesThatWereNotAddedStayWhereTheyWere) {
  values_not_added_stay<Quiet>([](const Quiet& one) { return one.value(); });
  values_not_added_stay<Counted>([](const Counted& one) { return one.value(); });
  values_not_added_stay<MoveOnly>([](const MoveOnly& one) { return one.value == nullptr ? -9 : *one.value; });
  values_not_added_stay<CopiesQuietly>([](const CopiesQuietly& one) { return one.value; });
  EXPECT_EQ(Quiet::alive, 0);
  EXPECT_EQ(Counted::alive, 0);
}

TEST(Batch, SpansHaveToFit) {
  History<int> history(options());
  const auto some = keys(0, 3);
  const std::vector<int> two(2);
  const std::vector<int> three(3);
  const std::vector<std::int64_t> times(2);
  std::vector<Inserted> results(2);
  std::vector<Presence> presences(2);
  EXPECT_EQ(history.try_insert_batch(some, two, {}, 0).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(history.try_insert_batch(some, three, times, 0).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(history.try_readmit_batch(some, three, {}, 0, results).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(history.try_contains_batch(some, 0, presences).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_STRNE(history.try_contains_batch(some, 0, presences).detail(), "");
  EXPECT_EQ(history.live_len(), 0U);
}

TEST(Batch, Contains) {
  History<int> history(options());
  for (std::uint64_t i = 0; i < 200; ++i) { history.insert(key(i), 0, 0, 0); }
  for (std::uint64_t i = 0; i < 100; ++i) { history.erase_key(key(i), 0); }
  const auto some = keys(0, 300);
  std::vector<Presence> found(300);
  history.contains_batch(some, 99us, found);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(found[i], i < 100 ? Presence::historical : i < 200 ? Presence::live : Presence::absent);
  }
  EXPECT_EQ(thrown_status([&] { history.contains_batch(some, 2h, found); }), QC_ERR_CLOCK);
}

template <class V>
void erase_some(V (*make)(int)) {
  History<V> history(options());
  std::vector<Entry> entries;
  for (int i = 0; i < 200; ++i) {
    entries.push_back(history.insert(key(static_cast<std::uint64_t>(i)), make(i), 0, 0).entry);
  }
  std::vector<Erased> erased(100);
  history.erase_batch({entries.data(), 100}, 0, erased);
  for (const Erased one : erased) { EXPECT_EQ(one, Erased::historical); }
  EXPECT_EQ(history.live_len(), 100U);
  entries[180] = entries[0];  // stale
  const auto result = history.try_erase_batch({entries.data() + 100, 100}, 200us);
  EXPECT_EQ(result.done, 80U);
  EXPECT_EQ(result.status(), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(history.live_len(), 20U);
  EXPECT_EQ(thrown_status([&] { history.erase_batch({entries.data(), 1}, 200us); }), QC_ERR_STALE_HANDLE);
  const Entry twice[] = {entries[190], entries[190]};
  EXPECT_EQ(history.try_erase_batch(twice, 200us).done, 1U);
  EXPECT_EQ(history.live_len(), 19U);
}

TEST(Batch, Erase) {
  erase_some<int>([](int i) { return i; });
  erase_some<Quiet>([](int i) { return Quiet(i); });
  EXPECT_EQ(Quiet::alive, 0);
}

}  // namespace
