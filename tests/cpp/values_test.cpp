// Where values live, how long, and that a failure leaves none behind.

#include <array>
#include <memory>
#include <string>
#include <tuple>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Erased;
using queuecore::History;
using queuecore::Outcome;
using queuecore::Presence;

TEST(Values, TriviallyCopyableOnesLiveInTheLibrary) {
  struct Message {
    std::uint64_t offset;
    std::uint32_t size;
    std::uint32_t flags;
  };
  History<Message> history(options());
  const auto put = history.insert(key(1), Message{5, 6, 7}, 0, 0);
  ASSERT_TRUE(put.added());
  Message& message = history.value(put.entry);
  EXPECT_EQ(message.offset, 5U);
  message.size = 60;
  for (std::uint64_t i = 2; i < 5000; ++i) { history.insert(key(i), Message{}, 0, 0); }
  EXPECT_EQ(&history.value(put.entry), &message);
  EXPECT_EQ(history.value(put.entry).size, 60U);
  EXPECT_EQ(history.insert(key(1), Message{}, 0, 0).outcome, Outcome::duplicate_live);
  EXPECT_EQ(history.value(put.entry).flags, 7U);
}

TEST(Values, AreAlignedForTheirType) {
  struct alignas(16) Wide {
    std::array<unsigned char, 32> bytes;
  };
  History<Wide> wide(options());
  History<std::uint64_t> narrow(options());
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto w = wide.insert(key(i), Wide{}, 0, 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide.value(w.entry)) % alignof(Wide), 0U);
    const auto n = narrow.insert(key(i), i, 0, 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&narrow.value(n.entry)) % alignof(std::uint64_t), 0U);
  }
}

struct Base {};
struct Derived : Base {};
enum class Color { red };

template <class V, class U, class = void>
inline constexpr bool takes = false;
template <class V, class U>
inline constexpr bool takes<V, U,
                            std::void_t<decltype(std::declval<History<V>&>().try_insert(
                                            queuecore::Key(), std::declval<U>(), 0, 0)),
                                        decltype(std::declval<History<V>&>().insert(
                                            queuecore::Key(), std::declval<U>(), 0, 0)),
                                        decltype(std::declval<History<V>&>().try_readmit(
                                            queuecore::Key(), std::declval<U>(), 0, 0)),
                                        decltype(std::declval<History<V>&>().readmit(
                                            queuecore::Key(), std::declval<U>(), 0, 0))>> = true;

static_assert(takes<Base*, Base*> && takes<Base*, Derived*> && takes<Base*, std::nullptr_t>);
static_assert(!takes<Base*, int> && !takes<Base*, std::uintptr_t> && !takes<Base*, void*> && !takes<Base*, int*>);
static_assert(!takes<Derived*, Base*> && !takes<Base*, const Base*> && !takes<std::uintptr_t, Base*>);
static_assert(takes<int, double> && takes<std::uint32_t, int> && takes<Color, Color> && !takes<Color, int>);
static_assert(takes<std::string, const char*> && !takes<std::string, int*>);

TEST(Values, ConvertOnTheWayIn) {
  History<double> numbers(options());
  EXPECT_EQ(numbers.value(numbers.insert(key(1), 3, 0, 0).entry), 3.0);
  History<std::uint32_t> counts(options());
  EXPECT_EQ(counts.value(counts.insert(key(1), 3, 0, 0).entry), 3U);
  Derived object;
  History<Base*> pointers(options());
  EXPECT_EQ(pointers.value(pointers.insert(key(1), &object, 0, 0).entry), &object);
  History<std::string> texts(options());
  EXPECT_EQ(texts.value(texts.insert(key(1), "three", 0, 0).entry), "three");
  EXPECT_EQ(texts.value(texts.insert(key(2), {}, 0, 0).entry), "");
}

TEST(Values, AreDestroyedWhenTheirEntryEnds) {
  {
    History<Quiet> history(options());
    for (int i = 0; i < 10; ++i) { history.insert(key(static_cast<std::uint64_t>(i)), Quiet(i), 0, 0); }
    EXPECT_EQ(Quiet::alive, 10);
    EXPECT_EQ(history.erase(history.find(key(0)), 0), Erased::historical);
    EXPECT_EQ(Quiet::alive, 9);
    EXPECT_EQ(history.erase_key(key(1), 0), Erased::historical);
    EXPECT_EQ(Quiet::alive, 8);
    history.forget(history.find(key(2)));
    history.forget_key(key(3));
    EXPECT_EQ(Quiet::alive, 6);
    history.forget_key(key(1));  // remembered only: nobody to destroy
    EXPECT_EQ(Quiet::alive, 6);
    EXPECT_EQ(history.erase(history.find(key(4)), 200us), Erased::gone);
    EXPECT_EQ(Quiet::alive, 5);
    EXPECT_EQ(history.erase_all_live(200us), 5U);
    EXPECT_EQ(Quiet::alive, 0);
    for (int i = 20; i < 30; ++i) { history.insert(key(static_cast<std::uint64_t>(i)), Quiet(i), 200us, 200us); }
    history.clear();
    EXPECT_EQ(Quiet::alive, 0);
    EXPECT_EQ(history.live_len(), 0U);
    for (int i = 40; i < 50; ++i) { history.insert(key(static_cast<std::uint64_t>(i)), Quiet(i), 200us, 200us); }
    EXPECT_EQ(Quiet::alive, 10);
  }
  EXPECT_EQ(Quiet::alive, 0);
}

TEST(Values, StayPutWhileOthersComeAndGo) {
  History<std::string> history(options());
  const auto put = history.insert(key(1), std::string(100, 'x'), 0, 0);
  const std::string* const address = &history.value(put.entry);
  for (std::uint64_t i = 2; i < 20000; ++i) {
    history.insert(key(i), "other", 0, 0);
    if (i > 50) { history.erase_key(key(i - 49), 0); }
  }
  EXPECT_EQ(&history.value(put.entry), address);
  EXPECT_EQ(*address, std::string(100, 'x'));
}

TEST(Values, MoveOnlyOnesAreTakenOnlyWhenAdded) {
  History<std::unique_ptr<int>> history(options());
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  const int* const address = first.get();
  const auto put = history.insert(key(1), std::move(first), 0, 0);
  EXPECT_EQ(history.value(put.entry).get(), address);
  EXPECT_EQ(history.insert(key(1), std::move(second), 0, 0).outcome, Outcome::duplicate_live);
  ASSERT_NE(second, nullptr);  // still the caller's
  EXPECT_EQ(history.try_insert(key(2), std::move(second), 5, 0).status(), QC_ERR_OUT_OF_RANGE);
  ASSERT_NE(second, nullptr);
  history.erase(put.entry, 0);
  EXPECT_EQ(history.insert(key(1), std::move(second), 0, 0).outcome, Outcome::duplicate_history);
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(history.readmit(key(1), std::move(second), 0, 0).added());
  EXPECT_EQ(second, nullptr);
}

/// Everything about it that a caller can see.
template <class V>
auto seen(History<V>& history) {
  const auto stats = history.stats();
  return std::tuple(stats.live_len, stats.history_len, stats.tombstones, stats.duplicates, stats.readmitted,
                    stats.clock_regressions, history.contains(key(1), 0));
}

TEST(Values, AMoveThatThrowsLeavesNothingBehind) {
  {
    History<Counted> history(options());
    history.insert(key(1), Counted(1), 0, 0);
    history.erase_key(key(1), 0);
    const auto before = seen(history);
    Counted value(5);
    const int alive = Counted::alive;
    for (const bool readmits : {false, true}) {
      for (const bool copies : {false, true}) {
        Counted::throw_in = 1;
        const auto put = [&] {
          if (readmits) {
            copies ? history.readmit(key(1), value, 0, 0) : history.readmit(key(1), std::move(value), 0, 0);
          } else {
            copies ? history.insert(key(2), value, 0, 0) : history.insert(key(2), std::move(value), 0, 0);
          }
        };
        EXPECT_THROW(put(), std::runtime_error);
        EXPECT_EQ(Counted::alive, alive);
        EXPECT_EQ(value.value(), 5);
        EXPECT_EQ(seen(history), before);  // a remembered key is still remembered, too
        EXPECT_EQ(history.find(key(2)), 0U);
      }
    }
    Counted::throw_in = 1;
    auto result = history.try_insert(key(2), value, 0, 0);
    EXPECT_EQ(result.status(), QC_ERR_CALLBACK);
    EXPECT_NE(result.exception(), nullptr);
    EXPECT_THROW((void)result.value(), std::runtime_error);  // the very exception, whenever it is asked for
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(Values, AnOldLiveEntryKeepsItsObject) {
  History<std::string> history(options());
  const auto put = history.insert(key(1), "old", 0, 0);
  EXPECT_EQ(history.gc(1s, 100).collected, 0U);
  EXPECT_EQ(history.contains(key(1), 1s), Presence::live);
  EXPECT_EQ(history.value(put.entry), "old");
}

TEST(Values, ARefusedPurgeKeepsEveryObject) {
  {
    History<Quiet> history(options().max_history(2));
    for (int i = 0; i < 4; ++i) { history.insert(key(static_cast<std::uint64_t>(i)), Quiet(i), 0, 0); }
    EXPECT_EQ(thrown_status([&] { history.erase_all_live(0); }), QC_ERR_CAPACITY);
    EXPECT_EQ(Quiet::alive, 4);
    int expected = 0;
    for (auto item : history) { EXPECT_EQ(item.value.value(), expected++); }
    history.erase_key(key(0), 0);
    history.erase_key(key(1), 0);
    EXPECT_EQ(history.try_erase_key(key(2), 0).status(), QC_ERR_CAPACITY);
    EXPECT_EQ(Quiet::alive, 2);
  }
  EXPECT_EQ(Quiet::alive, 0);
}

}  // namespace
