// The inlined fast path: the layout it was written for is the library's, and what it does is what the calls do.

#include <atomic>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Tracker;
using queuecore::UsageOptions;
using queuecore::detail::UsageLayout;
using queuecore::detail::UsageNode;

TEST(UsageFast, TheLayoutIsTheLibraryS) {
  EXPECT_TRUE(UsageLayout::is_the_library_s());  // or every call is slow, and nobody would notice
}

TEST(UsageFast, OperationsAreInlinedOnceCreditIsLent) {
  Tracker tracker(UsageOptions().limit_bytes(123'000'000'000));
  tracker.increase(50'000'000'000);
  int inlined = 0;
  const UsageNode node(tracker.native_handle());
  ASSERT_TRUE(node.is_known());
  for (int i = 0; i < 2000; ++i) {
    if (node.take(1024)) { ++inlined; } else { tracker.increase(1024); }
    if (node.put_back(1024)) { ++inlined; } else { tracker.decrease(1024); }
  }
  EXPECT_GT(inlined, 2000);
  EXPECT_EQ(tracker.usage(), 50'000'000'000);
}

TEST(UsageFast, WhatIsTooMuchIsLeftToTheLibrary) {
  Tracker tracker(UsageOptions().limit_bytes(1000));
  const UsageNode node(tracker.native_handle());
  for (const std::uint64_t amount :
       {std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 56, std::uint64_t{UINT64_MAX}}) {
    EXPECT_FALSE(node.take(amount));
    EXPECT_FALSE(node.put_back(amount));
  }
  EXPECT_EQ(tracker.usage(), 0);
  const UsageNode none;
  std::int32_t percent = 0;
  EXPECT_FALSE(none.take(1) || none.put_back(1) || none.percent(percent) || none.is_known());
}

TEST(UsageFast, AnswersAreThoseOfTheCalls) {
  Tracker root(UsageOptions().limit_bytes(1000));
  Tracker child = root.child(UsageOptions().limit_bytes(700));
  for (int step = 0; step < 200; ++step) {
    child.increase(step % 2 == 0 ? 9 : 1);
    if (step % 50 == 49) { child.decrease(300); }
    for (const Tracker* tracker : {&root, &child}) {
      ASSERT_EQ(tracker->is_full(), tracker->try_is_full().value());
      ASSERT_EQ(tracker->percent(), tracker->try_percent().value());
    }
    ASSERT_EQ(child.is_full(), child.usage() >= 700 || root.usage() >= 1000);
  }
}

// Threads that increase and decrease inline, near a limit and far from it, with calls that recall what is lent.
TEST(UsageFast, ManyThreadsAddUp) {
  constexpr int threads = 4;
  constexpr int rounds = 20'000;
  Tracker root(UsageOptions().limit_bytes(200'000'000));
  Tracker child = root.child(UsageOptions().limit_bytes(150'000'000));
  std::atomic<std::int64_t> expected{0};
  std::vector<std::thread> workers;
  for (int number = 0; number < threads; ++number) {
    workers.emplace_back([&, number] {
      std::int64_t mine = 0;
      for (int i = 0; i < rounds; ++i) {
        child.increase(700);
        mine += 700;
        if (child.reserve(300)) { mine += 300; }
        if (i % 2 == 0) {
          child.decrease(900);
          mine -= 900;
        }
        if (number == 0 && i % 1000 == 0) { (void)root.usage_exact(); }
        (void)child.is_full();
        (void)child.percent();
      }
      expected += mine;
    });
  }
  for (auto& worker : workers) { worker.join(); }
  EXPECT_EQ(child.usage(), expected.load());
  EXPECT_EQ(root.usage_exact(), expected.load());
  EXPECT_EQ(child.destroy(), expected.load());
  EXPECT_EQ(root.usage(), 0);
}

// Reservations never go over the limit, whoever makes them where.
TEST(UsageFast, NobodyReservesTooMuch) {
  constexpr std::int64_t limit = 1'000'000;
  Tracker root(UsageOptions().limit_bytes(limit));
  std::vector<Tracker> children;
  for (int i = 0; i < 4; ++i) { children.push_back(root.child()); }
  std::atomic<std::int64_t> held{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> workers;
  for (auto& child : children) {
    workers.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        if (!child.reserve(50'001)) { continue; }
        if (held.fetch_add(50'001) + 50'001 > limit) { over = true; }
        held.fetch_sub(50'001);
        child.decrease(50'001);
      }
    });
  }
  for (auto& worker : workers) { worker.join(); }
  EXPECT_FALSE(over.load());
  EXPECT_EQ(root.usage(), 0);
}

}  // namespace
