// Tracker: counting, asking, waiting and settings; errors with and without exceptions; moving.

#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Timeout;
using queuecore::Tracker;
using queuecore::UsageChild;
using queuecore::UsageOptions;

UsageOptions limit(std::uint64_t bytes) { return UsageOptions().limit_bytes(bytes); }

TEST(Usage, CountsOnEveryLevel) {
  Tracker memory(limit(1'000'000));
  Tracker orders = memory.child(UsageOptions().share_ppm(700'000).tag(7));
  orders.increase(700'000);
  EXPECT_EQ(orders.percent(), 100);
  EXPECT_EQ(memory.percent(), 70);
  EXPECT_TRUE(orders.is_full());
  EXPECT_FALSE(memory.is_full());
  EXPECT_FALSE(orders.reserve(1));
  orders.decrease(350'000);
  EXPECT_EQ(memory.usage(), 350'000);
  EXPECT_EQ(memory.usage_exact(), 350'000);
  EXPECT_EQ(orders.limit(), 700'000U);
  EXPECT_TRUE(orders.is_full_at(50));
  EXPECT_FALSE(orders.is_full_at(51));
  const std::vector<UsageChild> children = memory.children();
  ASSERT_EQ(children.size(), 1U);
  EXPECT_EQ(children[0].tag, 7U);
  EXPECT_EQ(children[0].usage_bytes, 350'000);
  EXPECT_EQ(memory.stats().children, 1U);
  EXPECT_EQ(orders.destroy(), 350'000);
  EXPECT_FALSE(orders.valid());
  EXPECT_EQ(memory.usage(), 0);
  EXPECT_TRUE(memory.children().empty());
}

TEST(Usage, ManyOperationsAddUp) {
  Tracker root(limit(100'000'000'000));
  Tracker child = root.child();
  child.increase(40'000'000'000);
  for (int i = 0; i < 100'000; ++i) {
    child.increase(1024);
    if (i % 3 == 0) { ASSERT_TRUE(child.reserve(10)); }
    child.decrease(1000);
  }
  EXPECT_EQ(root.usage(), 40'000'000'000 + 100'000 * 24 + 33'334 * 10);
  EXPECT_EQ(child.usage(), root.usage());
}

TEST(Usage, RefusalsAreAnswersAndFailuresAreErrors) {
  Tracker tracker(limit(100));
  tracker.increase(100);
  const auto refused = tracker.try_reserve(1);
  EXPECT_FALSE(refused);
  EXPECT_EQ(refused.status(), QC_OK);
  EXPECT_FALSE(refused.value());
  const auto wrong = tracker.try_reserve(UINT64_MAX);
  EXPECT_FALSE(wrong);
  EXPECT_EQ(wrong.status(), QC_ERR_OUT_OF_RANGE);
  EXPECT_EQ(thrown_status([&] { (void)tracker.reserve(UINT64_MAX); }), QC_ERR_OUT_OF_RANGE);
  EXPECT_EQ(thrown_status([&] { tracker.increase(UINT64_MAX); }), QC_ERR_OUT_OF_RANGE);
  EXPECT_EQ(tracker.try_decrease(UINT64_MAX).status(), QC_ERR_OUT_OF_RANGE);
  EXPECT_EQ(tracker.try_set_limit(UINT64_MAX).status(), QC_ERR_OUT_OF_RANGE);
  EXPECT_EQ(thrown_status([&] { tracker.set_share_ppm(5); }), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(thrown_status([&] { tracker.set_marks(60, 50); }), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(Tracker::create(UsageOptions().share_ppm(5)).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(tracker.try_child(limit(5).share_ppm(5)).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(tracker.usage(), 100);
}

TEST(Usage, WaitsEndWithTimeSpaceAndStop) {
  Tracker tracker(limit(100));
  tracker.increase(100);
  EXPECT_FALSE(tracker.wait_for_space(1ms));
  EXPECT_FALSE(tracker.reserve_wait(10, std::chrono::seconds(-5)));  // a deadline that has passed
  EXPECT_EQ(tracker.try_wait_for_space(0ms).status(), QC_ERR_TIMED_OUT);
  EXPECT_TRUE(tracker.wait_for_space(Timeout::forever(), 101));
  EXPECT_EQ(tracker.try_reserve_wait(101, Timeout::forever()).status(), QC_ERR_NEVER_FITS);
  std::thread waiter([&] { EXPECT_TRUE(tracker.reserve_wait(30, Timeout::forever())); });
  while (tracker.stats().waiters == 0) { std::this_thread::yield(); }
  tracker.decrease(30);
  waiter.join();
  EXPECT_EQ(tracker.usage(), 100);
  tracker.stop();
  EXPECT_EQ(thrown_status([&] { (void)tracker.wait_for_space(Timeout::forever()); }), QC_ERR_STOPPED);
  tracker.start();
  tracker.decrease(1);
  EXPECT_TRUE(tracker.wait_for_space(Timeout::forever()));
}

TEST(Usage, AWaitMayBeInsideWhenItsTrackerEnds) {
  Tracker root(limit(100));
  Tracker child = root.child();
  child.increase(100);
  std::thread waiter([&] { EXPECT_EQ(child.try_wait_for_space(Timeout::forever()).status(), QC_ERR_DESTROYED); });
  while (root.stats().waiters == 0) { std::this_thread::yield(); }
  EXPECT_EQ(child.destroy(), 100);
  waiter.join();
}

TEST(Usage, SettingsChange) {
  Tracker root(limit(1000));
  Tracker child = root.child(UsageOptions().share_ppm(500'000));
  child.increase(250);
  root.set_limit(500);
  EXPECT_EQ(child.percent(), 100);
  child.set_share_ppm(1'000'000);
  EXPECT_EQ(child.percent(), 50);
  child.set_min_delta_percent(20);
  EXPECT_EQ(child.percent(), 40);
  child.set_marks(20, 40);
  EXPECT_TRUE(child.is_over_mark());
  child.clear_marks();
  EXPECT_FALSE(child.is_over_mark());
  child.set_usage(-20);
  EXPECT_EQ(root.usage(), -20);
}

TEST(Usage, EventsArePolled) {
  Tracker root(limit(100));
  Tracker child = root.child(limit(100).tag(3));
  child.keep_events();
  EXPECT_GE(root.event_descriptor(), 0);
  child.increase(10);
  child.decrease(5);
  queuecore::UsageEvent events[4];
  ASSERT_EQ(root.poll_events(events), 2U);
  EXPECT_EQ(events[0].tag, 3U);
  EXPECT_EQ(events[0].new_percent, 10);
  EXPECT_EQ(events[1].old_percent, 10);
  EXPECT_EQ(events[1].new_percent, 5);
  EXPECT_EQ(root.poll_events(events), 0U);
}

TEST(Usage, MovesHandEverythingOver) {
  static_assert(!std::is_copy_constructible_v<Tracker> && std::is_nothrow_move_constructible_v<Tracker>);
  static_assert(std::is_nothrow_move_assignable_v<Tracker> && std::is_nothrow_swappable_v<Tracker>);
  Tracker first(limit(100));
  first.increase(10);
  Tracker second(std::move(first));
  EXPECT_FALSE(first.valid());
  EXPECT_TRUE(second.valid());
  EXPECT_EQ(second.usage(), 10);
  second.increase(5);
  EXPECT_EQ(first.try_increase(1).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(first.try_reserve(1).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(first.try_destroy().status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)first.is_full(); }), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)first.percent(); }), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(first.try_child().status(), QC_ERR_NULL_HANDLE);
  first = std::move(second);
  EXPECT_EQ(first.usage(), 15);
  Tracker other(limit(7));
  swap(first, other);
  EXPECT_EQ(first.limit(), 7U);
  EXPECT_EQ(other.usage(), 15);
  Tracker& self = other;
  other = std::move(self);
  EXPECT_EQ(other.usage(), 15);
}

TEST(Usage, ChildrenOutliveTheirParent) {
  auto root = std::make_unique<Tracker>(limit(100));
  Tracker child = root->child();
  root->increase(50);
  child.increase(60);
  EXPECT_TRUE(child.is_full());
  root.reset();
  EXPECT_FALSE(child.is_full());
  child.increase(40);
  EXPECT_TRUE(child.is_full());  // the level is still there
}

}  // namespace
