// Listeners, notices and allocators given as functors: where their exceptions go, and when they are destroyed.

#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Tracker;
using queuecore::UsageEvent;
using queuecore::UsageOptions;

UsageOptions limit(std::uint64_t bytes) { return UsageOptions().limit_bytes(bytes); }

TEST(UsageListeners, HearAnUnbrokenChain) {
  Tracker tracker(limit(100));
  std::vector<UsageEvent> heard;
  tracker.set_listener([&](const UsageEvent& event) { heard.push_back(event); });
  for (int i = 0; i < 20; ++i) { tracker.increase(1); }
  tracker.decrease(20);
  ASSERT_EQ(heard.size(), 21U);
  std::int32_t last = 0;
  for (const UsageEvent& event : heard) {
    EXPECT_EQ(event.old_percent, last);
    last = event.new_percent;
  }
  EXPECT_EQ(last, 0);
}

TEST(UsageListeners, AreDestroyedOnceWhenTheyAreNotCalledAnyMore) {
  const auto token = std::make_shared<int>(0);
  const auto listener = [token](const UsageEvent&) {};
  {
    Tracker tracker(limit(100));
    tracker.set_listener(listener);
    EXPECT_EQ(token.use_count(), 3);
    tracker.set_listener(listener);
    EXPECT_EQ(token.use_count(), 3);
    tracker.clear_events();
    EXPECT_EQ(token.use_count(), 2);
    tracker.set_listener(listener);
    Tracker moved_from(std::move(tracker));
    EXPECT_EQ(tracker.try_set_listener(listener).status(), QC_ERR_NULL_HANDLE);
    EXPECT_EQ(token.use_count(), 3);
  }
  EXPECT_EQ(token.use_count(), 2);
  Tracker tracker(limit(100));
  EXPECT_EQ(tracker.try_set_listener({}).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(tracker.try_notify_when_not_full({}).status(), QC_ERR_INVALID_ARGUMENT);
}

TEST(UsageListeners, MayCallBackAndEndTheirTracker) {
  auto tracker = std::make_unique<Tracker>(limit(100));
  Tracker other(limit(100));
  int calls = 0;
  tracker->set_listener([&](const UsageEvent&) {
    ++calls;
    other.increase(1);
    tracker.reset();
  });
  // The object ends inside, so the call goes by the handle.
  EXPECT_EQ(qc_usage_increase(tracker->native_handle(), 50), QC_OK);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(other.usage(), 1);
  EXPECT_EQ(tracker, nullptr);
}

TEST(UsageListeners, ExceptionsReachTheCallerWhoseCallIsDone) {
  Tracker tracker(limit(100));
  tracker.set_listener([](const UsageEvent&) { throw std::logic_error("not today"); });
  EXPECT_THROW(tracker.increase(10), std::logic_error);
  EXPECT_EQ(tracker.usage(), 10);
  const auto result = tracker.try_increase(10);
  EXPECT_EQ(result.status(), QC_ERR_CALLBACK);
  EXPECT_NE(result.exception(), nullptr);
  EXPECT_EQ(tracker.usage(), 20);
}

TEST(UsageListeners, ExceptionsGoToTheHandlerThatWasGiven) {
  Tracker tracker(limit(100));
  std::vector<std::string> words;
  tracker.set_listener([](const UsageEvent&) { throw std::logic_error("not today"); },
                       [&](std::exception_ptr thrown) {
                         try {
                           std::rethrow_exception(thrown);
                         } catch (const std::logic_error& error) {
                           words.emplace_back(error.what());
                         }
                       });
  tracker.increase(10);
  EXPECT_EQ(words, std::vector<std::string>{"not today"});
}

TEST(UsageListeners, ExceptionsWithoutATakerAreCounted) {
  Tracker tracker(limit(100));
  tracker.set_listener([](const UsageEvent&) { throw std::logic_error("not today"); });
  const auto before = Tracker::lost_exceptions();
  std::thread foreign([&] { EXPECT_EQ(qc_usage_increase(tracker.native_handle(), 10), QC_OK); });
  foreign.join();
  EXPECT_EQ(Tracker::lost_exceptions(), before + 1);
}

TEST(UsageNotices, ComeOnceAndAreDestroyedThen) {
  Tracker tracker(limit(100));
  const auto token = std::make_shared<int>(0);
  std::vector<queuecore::Status> told;
  const auto notice = [&told, token](queuecore::Status reason) { told.push_back(reason); };
  EXPECT_FALSE(tracker.notify_when_not_full(notice));
  EXPECT_EQ(token.use_count(), 2);
  tracker.increase(100);
  EXPECT_TRUE(tracker.notify_when_not_full(notice));
  EXPECT_EQ(token.use_count(), 3);
  tracker.decrease(1);
  EXPECT_EQ(told, std::vector<queuecore::Status>{QC_OK});
  EXPECT_EQ(token.use_count(), 2);
  EXPECT_TRUE(tracker.notify_when_below(50, notice));
  EXPECT_EQ(tracker.destroy(), 99);
  EXPECT_EQ(told, (std::vector<queuecore::Status>{QC_OK, QC_ERR_DESTROYED}));
  EXPECT_EQ(token.use_count(), 2);
}

TEST(UsageNotices, ReservationsComeInTheirTurnOrAreTakenBack) {
  Tracker tracker(limit(100));
  const auto token = std::make_shared<int>(0);
  std::vector<queuecore::Status> told;
  const auto notice = [&told, token](queuecore::Status reason) { told.push_back(reason); };
  EXPECT_TRUE(tracker.reserve_notify(90, notice).is_counted());
  EXPECT_EQ(token.use_count(), 2);
  const auto large = tracker.reserve_notify(60, notice);
  const auto small = tracker.reserve_notify(10, notice);
  EXPECT_FALSE(large.is_counted() || small.is_counted());
  EXPECT_EQ(token.use_count(), 4);
  EXPECT_TRUE(told.empty());
  EXPECT_TRUE(tracker.cancel(large));
  EXPECT_EQ(told, std::vector<queuecore::Status>{QC_OK});
  EXPECT_EQ(token.use_count(), 2);
  EXPECT_FALSE(tracker.cancel(large));
  EXPECT_FALSE(tracker.cancel(small));
  EXPECT_EQ(tracker.usage(), 100);
  EXPECT_EQ(tracker.try_reserve_notify(101, notice).status(), QC_ERR_NEVER_FITS);
  EXPECT_EQ(tracker.try_reserve_notify(1, {}).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_FALSE(tracker.reserve_notify(1, notice).is_counted());
  EXPECT_EQ(tracker.destroy(), 100);
  EXPECT_EQ(told, (std::vector<queuecore::Status>{QC_OK, QC_ERR_DESTROYED}));
  EXPECT_EQ(token.use_count(), 2);
}

TEST(UsageNotices, SpaceIsToldOrTheNoticeTakenBack) {
  Tracker tracker(limit(100));
  const auto token = std::make_shared<int>(0);
  std::vector<queuecore::Status> told;
  const auto notice = [&told, token](queuecore::Status reason) { told.push_back(reason); };
  EXPECT_TRUE(tracker.space_notify(100, notice).is_counted());
  EXPECT_EQ(token.use_count(), 2);
  tracker.increase(100);
  const auto first = tracker.space_notify(100, notice);
  const auto second = tracker.space_notify(100, notice);
  EXPECT_TRUE(tracker.is_in_line(first) && tracker.is_in_line(second));
  EXPECT_TRUE(tracker.cancel(first));
  EXPECT_FALSE(tracker.is_in_line(first));
  EXPECT_EQ(token.use_count(), 3);
  tracker.decrease(1);
  EXPECT_EQ(told, std::vector<queuecore::Status>{QC_OK});
  EXPECT_FALSE(tracker.is_in_line(second) || tracker.cancel(second));
  EXPECT_EQ(tracker.try_space_notify(0, notice).status(), QC_ERR_OUT_OF_RANGE);
  EXPECT_EQ(tracker.try_space_notify(1, {}).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(token.use_count(), 2);
}

TEST(UsageNotices, ExceptionsReachTheCaller) {
  Tracker tracker(limit(100));
  tracker.increase(100);
  EXPECT_TRUE(tracker.notify_when_not_full([](queuecore::Status) { throw std::logic_error("not today"); }));
  EXPECT_THROW(tracker.decrease(1), std::logic_error);
  EXPECT_EQ(tracker.usage(), 99);
}

/// Counts what is out, and throws on demand.
class Books final : public std::pmr::memory_resource {
 public:
  std::size_t out = 0;
  int throw_in = 0;  // the allocation that throws, counted down; 0 for none

 private:
  void* do_allocate(std::size_t size, std::size_t align) override {
    if (throw_in > 0 && --throw_in == 0) { throw std::runtime_error("no memory today"); }
    out += size;
    return std::pmr::new_delete_resource()->allocate(size, align);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t align) override {
    out -= size;
    std::pmr::new_delete_resource()->deallocate(block, size, align);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(UsageAllocators, EveryByteComesFromTheResource) {
  Books books;
  {
    Tracker root(limit(100).memory_resource(&books));
    Tracker child = root.child();
    child.keep_events();
    EXPECT_EQ(books.out, root.stats().bytes_in_use);
    EXPECT_EQ(root.try_child(UsageOptions().memory_resource(&books)).status(), QC_ERR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(books.out, 0U);
}

TEST(UsageAllocators, ExceptionsReachTheCallerAndNothingIsChanged) {
  Books books;
  for (int refused = 1;; ++refused) {
    books.throw_in = refused;
    try {
      Tracker root(limit(100).memory_resource(&books));
      Tracker child = root.child();
      child.keep_events();
      break;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "no memory today");
    }
    EXPECT_EQ(books.out, 0U);
  }
  EXPECT_GT(books.throw_in, 0);
  books.throw_in = 1;
  const auto result = Tracker::create(limit(100).memory_resource(&books));
  EXPECT_EQ(result.status(), QC_ERR_CALLBACK);
  EXPECT_NE(result.exception(), nullptr);
}

TEST(UsageAllocators, FunctorsLiveAsLongAsTheTree) {
  const auto token = std::make_shared<int>(0);
  const auto allocate = [token](std::size_t size, std::size_t align) {
    return std::pmr::new_delete_resource()->allocate(size, align);
  };
  const auto deallocate = [token](void* block, std::size_t size, std::size_t align) {
    std::pmr::new_delete_resource()->deallocate(block, size, align);
  };
  auto root = std::make_unique<Tracker>(limit(100).allocator(allocate, deallocate));
  EXPECT_EQ(token.use_count(), 5);
  auto child = std::make_unique<Tracker>(root->child());
  root.reset();
  EXPECT_EQ(token.use_count(), 5);
  child.reset();
  EXPECT_EQ(token.use_count(), 3);
  EXPECT_EQ(Tracker::create(limit(1).allocator(allocate, {})).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(token.use_count(), 3);
}

}  // namespace
