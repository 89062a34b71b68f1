// Moving a history: everything goes along, and what is left behind answers, does not crash.

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::History;

static_assert(!std::is_copy_constructible_v<History<int>> && !std::is_copy_assignable_v<History<int>>);
static_assert(std::is_nothrow_move_constructible_v<History<int>> && std::is_nothrow_move_assignable_v<History<int>>);
static_assert(std::is_nothrow_move_constructible_v<History<std::string>>);
static_assert(std::is_nothrow_move_assignable_v<History<std::string>>);
static_assert(std::is_nothrow_swappable_v<History<std::string>>);
static_assert(std::is_nothrow_destructible_v<History<std::string>>);
static_assert(noexcept(std::declval<History<std::string>&>().try_insert(queuecore::Key{}, std::string(), 0, 0)));
static_assert(noexcept(std::declval<History<std::string>&>().try_clear()));

TEST(Move, EverythingGoesAlong) {
  History<std::string> from(options());
  const auto put = from.insert(key(1), "value", 0, 0);
  const std::string* const address = &from.value(put.entry);
  History<std::string> to(std::move(from));
  EXPECT_TRUE(to.valid());
  EXPECT_EQ(&to.value(put.entry), address);
  EXPECT_EQ(to.find(key(1)), put.entry);
  EXPECT_TRUE(to.insert(key(2), "more", 0, 0).added());
}

template <class V>
void moved_from_answers() {
  History<V> from(options());
  const auto put = from.insert(key(1), V(), 0, 0);
  const History<V> to(std::move(from));
  EXPECT_FALSE(from.valid());  // NOLINT: that is the point
  EXPECT_EQ(from.native_handle(), nullptr);
  EXPECT_EQ(from.try_insert(key(2), V(), 0, 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_readmit(key(2), V(), 0, 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_erase(put.entry, 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_erase_key(key(1), 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_forget(put.entry).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_forget_key(key(1)).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_find(key(1)).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_contains(key(1), 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_value(put.entry).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_gc(0, 1).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_erase_all_live(0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_clear().status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_clock_reset(0).status(), QC_ERR_NULL_HANDLE);
  const std::vector<queuecore::Key> some = {key(5)};
  std::vector<V> values(1);
  const std::vector<queuecore::Entry> entries = {put.entry};
  std::vector<queuecore::Presence> found(1);
  EXPECT_EQ(from.try_insert_batch(some, values, {}, 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_readmit_batch(some, values, {}, 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_erase_batch(entries, 0).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(from.try_contains_batch(some, 0, found).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)from.live_len(); }), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)from.history_len(); }), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)from.stats(); }), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)from.begin(); }), QC_ERR_NULL_HANDLE);
  from = History<V>(options());
  EXPECT_TRUE(from.insert(key(1), V(), 0, 0).added());
  EXPECT_EQ(to.live_len(), 1U);
}

TEST(Move, WhatIsLeftAnswers) {
  moved_from_answers<int>();
  moved_from_answers<std::string>();
}

TEST(Move, AssignmentEndsWhatWasThere) {
  {
    History<Quiet> one(options());
    History<Quiet> two(options());
    for (int i = 0; i < 10; ++i) { one.insert(key(static_cast<std::uint64_t>(i)), Quiet(i), 0, 0); }
    two.insert(key(1), Quiet(99), 0, 0);
    EXPECT_EQ(Quiet::alive, 11);
    one = std::move(two);
    EXPECT_EQ(Quiet::alive, 1);
    EXPECT_EQ(one.value(one.find(key(1))).value(), 99);
    History<Quiet>& alias = one;
    one = std::move(alias);  // to itself: stays what it is
    EXPECT_TRUE(one.valid());
    EXPECT_EQ(one.live_len(), 1U);
  }
  EXPECT_EQ(Quiet::alive, 0);
}

TEST(Move, SwapsWithItsCallbacks) {
  std::uint64_t asked_one = 0;
  std::uint64_t asked_two = 0;
  const auto counting = [](std::uint64_t& asked) {
    return [&asked](const queuecore::Key&) noexcept { return ++asked * 0 + 5; };
  };
  History<std::string> one(options().hash(counting(asked_one)));
  History<std::string> two(options().hash(counting(asked_two)));
  one.insert(key(1), "one", 0, 0);
  swap(one, two);
  EXPECT_EQ(two.value(two.find(key(1))), "one");
  EXPECT_EQ(one.live_len(), 0U);
  const std::uint64_t before = asked_two;
  one.insert(key(2), "two", 0, 0);
  EXPECT_GT(asked_two, before);
}

TEST(Move, ManyInAContainer) {
  std::vector<History<std::string>> queues;
  for (int i = 0; i < 50; ++i) {  // grows, and so moves what is in it
    queues.emplace_back(options());
    queues.back().insert(key(static_cast<std::uint64_t>(i)), std::to_string(i), 0, 0);
  }
  for (int i = 0; i < 50; ++i) {
    auto& queue = queues[static_cast<std::size_t>(i)];
    EXPECT_EQ(queue.value(queue.find(key(static_cast<std::uint64_t>(i)))), std::to_string(i));
  }
}

}  // namespace
