// Cursor, CursorGroup and their stores: the calls in both forms, exceptions of stores, allocators and callbacks, moving.

#include <array>
#include <map>
#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Blocked;
using queuecore::committed_message;
using queuecore::Cursor;
using queuecore::CursorGroup;
using queuecore::CursorGroupOptions;
using queuecore::CursorOptions;
using queuecore::CursorPolicy;
using queuecore::CursorStore;
using queuecore::Delivered;
using queuecore::Fetch;
using queuecore::FunctionStore;
using queuecore::Message;
using queuecore::open_message;
using queuecore::Pulled;
using queuecore::PullEnd;
using queuecore::Pushed;
using queuecore::Released;
using queuecore::Round;
using queuecore::Span;
using queuecore::Stored;
using queuecore::Tracker;
using queuecore::UsageOptions;

UsageOptions limit(std::uint64_t bytes) { return UsageOptions().limit_bytes(bytes); }

/// A store in a map, which throws on demand.
class MapStore final : public CursorStore {
 public:
  void add(std::uint64_t sequence, std::uint32_t size) {
    messages[sequence] = queuecore::stored_message(sequence, sequence, size);
  }
  std::size_t fetch(const Fetch& fetch, Span<Stored> out) override {
    ++fetches;
    if (inside) { inside(); }
    if (fails) { throw std::runtime_error("the disk is gone"); }
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    for (auto at = messages.upper_bound(fetch.after); at != messages.end() && at->first <= fetch.up_to; ++at) {
      bytes += at->second.size_bytes;
      if (count == fetch.max_messages || (count > 0 && bytes > fetch.max_bytes)) { break; }
      out[count++] = at->second;
    }
    return count;
  }
  void discard(const Stored&) noexcept override { ++discarded; }

  std::map<std::uint64_t, Stored> messages;
  std::function<void()> inside;
  bool fails = false;
  int fetches = 0;
  int discarded = 0;
};

std::vector<std::uint64_t> sequences(Cursor& cursor, std::uint32_t demand, Pulled* pulled = nullptr) {
  std::array<Delivered, 64> out{};
  const Pulled done = cursor.pull(demand, out);
  if (pulled != nullptr) { *pulled = done; }
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < done.count; ++i) { all.push_back(out[i].sequence); }
  return all;
}

using Numbers = std::vector<std::uint64_t>;

/// A cursor with a limit of 1000 bytes and messages 1 to `count` of 100 each.
struct Queue {
  explicit Queue(std::uint64_t count, const CursorOptions& options = CursorOptions())
      : tracker(limit(1000)), cursor(options, tracker, store) {
    for (std::uint64_t i = 1; i <= count; ++i) {
      store.add(i, 100);
      cursor.push(committed_message(i, i, i, 100));
    }
  }
  MapStore store;
  Tracker tracker;
  Cursor cursor;
};

TEST(Cursor, CachesUpToTheMarkAndPagesTheRest) {
  Queue queue(0);
  int ready = 0;
  queue.cursor.on_ready([&] { ++ready; });
  for (std::uint64_t i = 1; i <= 10; ++i) {
    queue.store.add(i, 100);
    EXPECT_EQ(queue.cursor.push(committed_message(i, i, 10 * i, 100)), i <= 7 ? Pushed::cached : Pushed::stored);
  }
  Pulled pulled;
  EXPECT_EQ(sequences(queue.cursor, 20, &pulled), (Numbers{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(pulled.end, PullEnd::blocked);
  EXPECT_EQ(pulled.blocked, Blocked::own_mark);
  EXPECT_EQ(queue.tracker.usage(), 700);
  const Released released = queue.cursor.ack(1);
  EXPECT_EQ(released.user, 10U);
  EXPECT_EQ(released.released_bytes, 100U);
  queue.cursor.ack_batch(Numbers{2, 3, 4, 5, 6, 7});
  EXPECT_EQ(ready, 1);
  EXPECT_EQ(sequences(queue.cursor, 20, &pulled), (Numbers{8, 9, 10}));
  EXPECT_EQ(pulled.end, PullEnd::empty);
  queue.cursor.requeue(9);
  EXPECT_EQ(sequences(queue.cursor, 20), (Numbers{9}));
  queue.cursor.park(9);
  std::array<Delivered, 4> out{};
  EXPECT_EQ(queue.cursor.pull(4, out, Round::go_on).count, 0U);
  EXPECT_EQ(sequences(queue.cursor, 20), (Numbers{9}));
  EXPECT_EQ(queue.cursor.remove(8, 0).released_bytes, 100U);
  EXPECT_EQ(queue.cursor.stats().pending_count, 2U);
  EXPECT_EQ(queue.cursor.stats().requeued, 1U);
}

TEST(Cursor, OpenWritesAreABarrier) {
  Queue queue(1);
  EXPECT_EQ(queue.cursor.push(open_message(2, 2, 100)), Pushed::cached);
  EXPECT_EQ(queue.cursor.push(open_message(3, 3, 100, 4, 3)), Pushed::cached);
  EXPECT_EQ(queue.cursor.push(committed_message(4, 4, 4, 100)), Pushed::cached);
  Pulled pulled;
  EXPECT_EQ(sequences(queue.cursor, 10, &pulled), (Numbers{1}));
  EXPECT_EQ(pulled.blocked, Blocked::commit);
  queue.cursor.committed_batch(Numbers{2}, Numbers{2});
  EXPECT_EQ(sequences(queue.cursor, 10), (Numbers{2}));
  EXPECT_EQ(queue.cursor.aborted(3).released_bytes, 100U);
  EXPECT_EQ(sequences(queue.cursor, 10), (Numbers{4}));
  EXPECT_EQ(queue.cursor.try_committed(3, 3).status(), QC_ERR_NOT_FOUND);
  EXPECT_EQ(thrown_status([&] { queue.cursor.committed(9, 9); }), QC_ERR_NOT_FOUND);
}

TEST(Cursor, ARestartBrowsesAndPages) {
  MapStore store;
  for (std::uint64_t i = 1; i <= 5; ++i) { store.add(i, 10); }
  Tracker tracker(limit(1000));
  Cursor cursor(CursorOptions().policy(CursorPolicy().page_messages(2)), tracker, store);
  cursor.open(5, 50, 5);
  EXPECT_EQ(cursor.try_open(5, 50, 5).status(), QC_ERR_INVALID_ARGUMENT);
  std::array<Stored, 3> seen{};
  const auto browsed = cursor.browse(0, seen);
  EXPECT_EQ(browsed.count, 2U);
  EXPECT_EQ(browsed.after, 2U);
  EXPECT_TRUE(browsed.more);
  EXPECT_EQ(tracker.usage(), 0);
  EXPECT_EQ(sequences(cursor, 5), (Numbers{1, 2}));
  EXPECT_EQ(cursor.stats().pages, 1U);
}

TEST(Cursor, WhatTheStoreThrowsReachesTheCaller) {
  Queue queue(8);
  EXPECT_EQ(sequences(queue.cursor, 10).size(), 7U);
  queue.cursor.ack_batch(Numbers{1, 2, 3, 4, 5, 6, 7});
  queue.store.fails = true;
  const auto before = queue.cursor.stats();
  std::array<Delivered, 4> out{};
  EXPECT_THROW((void)queue.cursor.pull(4, out), std::runtime_error);
  const auto failed = queue.cursor.try_pull(4, out);
  EXPECT_EQ(failed.status(), QC_ERR_CALLBACK);
  EXPECT_NE(failed.exception(), nullptr);
  std::array<Stored, 4> seen{};
  EXPECT_THROW((void)queue.cursor.browse(0, seen), std::runtime_error);
  EXPECT_EQ(queue.cursor.stats().pending_count, before.pending_count);
  EXPECT_EQ(queue.cursor.stats().failed_fetches, before.failed_fetches + 2);
  queue.store.fails = false;
  EXPECT_EQ(sequences(queue.cursor, 4), (Numbers{8}));
}

TEST(Cursor, AStoreThatGaveSomethingFirstThrowsNextTime) {
  Queue queue(8, CursorOptions().policy(CursorPolicy().marks(100, 100)));
  EXPECT_EQ(queue.cursor.drop_cache().messages, 8U);
  EXPECT_EQ(queue.store.discarded, 8);
  EXPECT_EQ(sequences(queue.cursor, 2), (Numbers{1}));  // pages of 1 %
  queue.cursor.requeue(1);
  queue.store.fails = true;
  EXPECT_EQ(sequences(queue.cursor, 2), (Numbers{1}));  // it was in memory; the failure comes next
  std::array<Delivered, 4> out{};
  EXPECT_THROW((void)queue.cursor.pull(4, out), std::runtime_error);
}

TEST(Cursor, APurgeTakesSteps) {
  Queue queue(10);
  auto purged = queue.cursor.purge(0, 5);
  EXPECT_EQ(purged.up_to, 10U);
  EXPECT_EQ(purged.messages, 5U);
  EXPECT_EQ(purged.stored_messages, 3U);
  EXPECT_EQ(purged.more, 1U);
  purged = queue.cursor.purge(purged.up_to, 5);
  EXPECT_EQ(purged.messages, 2U);
  EXPECT_EQ(purged.more, 0U);
  EXPECT_EQ(queue.store.discarded, 7);
  EXPECT_EQ(queue.tracker.usage(), 0);
  EXPECT_TRUE(sequences(queue.cursor, 10).empty());
  EXPECT_EQ(queue.cursor.try_purge(11, 1).status(), QC_ERR_OUT_OF_RANGE);
}

TEST(Cursor, AStoreOfCallables) {
  Tracker tracker(limit(1000));
  int discarded = 0;
  auto store = std::make_unique<FunctionStore>(
      [](const Fetch& fetch, Span<Stored> out) -> std::size_t {
        std::size_t count = 0;
        for (std::uint64_t i = fetch.after + 1; i <= fetch.up_to && count < fetch.max_messages; ++i) {
          out[count++] = queuecore::stored_message(i, i, 10);
        }
        return count;
      },
      [&](const Stored&) { ++discarded; });
  Cursor cursor(CursorOptions(), tracker, std::move(store));
  cursor.open(3, 30, 3);
  EXPECT_EQ(sequences(cursor, 2), (Numbers{1, 2}));
  EXPECT_EQ(cursor.drop_cache().released_bytes, 10U);
  EXPECT_EQ(discarded, 1);
  EXPECT_EQ(Cursor::create(CursorOptions(), tracker, std::unique_ptr<CursorStore>()).status(),
            QC_ERR_INVALID_ARGUMENT);
  Cursor empty(CursorOptions(), tracker, std::make_unique<FunctionStore>(FunctionStore::FetchFunction()));
  empty.open(1, 1, 1);
  std::array<Delivered, 1> out{};
  EXPECT_THROW((void)empty.pull(1, out), std::bad_function_call);
}

TEST(Cursor, ABrokenWordIsNoException) {
  Tracker tracker(limit(1000));
  Cursor cursor(CursorOptions(), tracker, std::make_unique<FunctionStore>([](const Fetch& fetch, Span<Stored>) {
                  return static_cast<std::size_t>(fetch.max_messages) + 1;
                }));
  cursor.open(3, 30, 3);
  std::array<Delivered, 4> out{};
  const auto refused = cursor.try_pull(4, out);
  EXPECT_EQ(refused.status(), QC_ERR_BAD_FETCH);
  EXPECT_EQ(refused.exception(), nullptr);
  EXPECT_EQ(thrown_status([&] { (void)cursor.pull(4, out); }), QC_ERR_BAD_FETCH);
}

TEST(Cursor, CallsFromInsideAreRefused) {
  Queue queue(8);
  sequences(queue.cursor, 10);
  queue.cursor.ack_batch(Numbers{1, 2, 3, 4, 5, 6, 7});
  std::vector<queuecore::Status> seen;
  std::array<Delivered, 1> out{};
  queue.store.inside = [&] {
    seen = {queue.cursor.try_push(committed_message(9, 9, 9, 1)).status(), queue.cursor.try_pull(1, out).status(),
            queue.cursor.try_ack(1).status(), queue.cursor.try_stats().status(),
            queue.cursor.try_on_ready([] {}).status()};
    std::thread other([&] { seen.push_back(queue.cursor.try_refresh().status()); });
    other.join();
  };
  EXPECT_EQ(sequences(queue.cursor, 4), (Numbers{8}));
  ASSERT_EQ(seen.size(), 6U);
  for (std::size_t i = 0; i < 5; ++i) { EXPECT_EQ(seen[i], QC_ERR_REENTRANT) << i; }
  EXPECT_EQ(seen[5], QC_ERR_BUSY);
}

TEST(Cursor, BatchesSayHowFarTheyCame) {
  Queue queue(0);
  std::vector<Message> messages;
  for (std::uint64_t i = 1; i <= 100; ++i) { messages.push_back(committed_message(i, i, i, 1)); }
  messages[90].token = 1;
  std::vector<Pushed> results(100, Pushed::stored);
  const auto stopped = queue.cursor.try_push_batch(messages, results);
  EXPECT_EQ(stopped.done, 90U);
  EXPECT_EQ(stopped.status(), QC_ERR_ORDER);
  EXPECT_EQ(results[89], Pushed::cached);
  EXPECT_EQ(results[90], Pushed::stored);
  EXPECT_EQ(sequences(queue.cursor, 3), (Numbers{1, 2, 3}));
  std::vector<Released> released(3);
  const auto acked = queue.cursor.try_ack_batch(Numbers{1, 2, 50}, released);
  EXPECT_EQ(acked.done, 2U);
  EXPECT_EQ(acked.status(), QC_ERR_NOT_IN_FLIGHT);
  EXPECT_EQ(released[1].user, 2U);
  try {
    queue.cursor.ack_batch(Numbers{3, 3});
    FAIL();
  } catch (const queuecore::Error& error) {
    EXPECT_EQ(error.done(), 1U);
  }
  std::vector<Pushed> few(1);
  EXPECT_EQ(queue.cursor.try_push_batch(messages, few).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(queue.cursor.try_ack_batch(Numbers{1, 2}, Span<Released>(released.data(), 1)).status(),
            QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(queue.cursor.try_committed_batch(Numbers{1, 2}, Numbers{1}).status(), QC_ERR_INVALID_ARGUMENT);
}

TEST(Cursor, ThePolicyChangesAtRunTime) {
  Queue queue(2);
  queue.cursor.set_marks(10, 20);
  EXPECT_EQ(queue.cursor.policy().raw().high_percent, 20U);
  queue.cursor.set_policy(queue.cursor.policy().page_messages(5).use_cache(false));
  EXPECT_EQ(queue.cursor.policy().raw().page_messages, 5U);
  EXPECT_EQ(queue.cursor.policy().raw().low_percent, 10U);
  EXPECT_EQ(queue.cursor.stats().is_caching, 0U);
  EXPECT_EQ(queue.cursor.try_set_marks(30, 20).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(thrown_status([&] { queue.cursor.set_policy(CursorPolicy().page_messages(0)); }), QC_ERR_OUT_OF_RANGE);
  Tracker tracker(limit(10));
  EXPECT_EQ(Cursor::create(CursorOptions().policy(CursorPolicy().marks(60, 50)), tracker, queue.store).status(),
            QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(Cursor::create(CursorOptions().max_entries(UINT32_MAX), tracker, queue.store).status(),
            QC_ERR_OUT_OF_RANGE);
}

TEST(Cursor, WhatOnReadyThrowsGoesToItsHandler) {
  Queue queue(9);
  std::string said;
  queue.cursor.on_ready([] { throw std::runtime_error("not now"); },
                        [&](const std::exception_ptr& thrown) {
                          try {
                            std::rethrow_exception(thrown);
                          } catch (const std::exception& error) {
                            said = error.what();
                          }
                        });
  EXPECT_EQ(sequences(queue.cursor, 10).size(), 7U);
  queue.cursor.ack_batch(Numbers{1, 2, 3});
  EXPECT_EQ(said, "not now");
  EXPECT_EQ(sequences(queue.cursor, 10).size(), 2U);
}

TEST(Cursor, OnReadyIsReleasedOnce) {
  auto token = std::make_shared<int>(1);
  {
    Queue queue(1);
    queue.cursor.on_ready([token] { (void)token; });
    EXPECT_EQ(token.use_count(), 2);
    queue.cursor.on_ready({});
    EXPECT_EQ(token.use_count(), 1);
    queue.cursor.on_ready([token] { (void)token; });
    queue.cursor.on_ready([token] { (void)token; });
    EXPECT_EQ(token.use_count(), 2);
  }
  EXPECT_EQ(token.use_count(), 1);
}

/// A memory resource that keeps books and throws on demand.
class Books final : public std::pmr::memory_resource {
 public:
  std::size_t bytes = 0;
  bool refuses = false;

 private:
  void* do_allocate(std::size_t size, std::size_t align) override {
    if (refuses) { throw std::length_error("no more for you"); }
    bytes += size;
    return std::pmr::new_delete_resource()->allocate(size, align);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t align) override {
    bytes -= size;
    std::pmr::new_delete_resource()->deallocate(block, size, align);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(Cursor, AllMemoryComesFromTheResource) {
  Books books;
  {
    Queue queue(100, CursorOptions().memory_resource(&books));
    EXPECT_EQ(queue.cursor.stats().bytes_in_use, books.bytes);
    books.refuses = true;
    EXPECT_EQ(queue.cursor.try_push(open_message(101, 0, 1)).status(), QC_ERR_CALLBACK);
    EXPECT_THROW(queue.cursor.push(open_message(101, 0, 1)), std::length_error);
    Tracker tracker(limit(10));
    EXPECT_THROW(Cursor(CursorOptions().memory_resource(&books), tracker, queue.store), std::length_error);
    books.refuses = false;
    EXPECT_EQ(queue.cursor.push(open_message(101, 0, 1)), Pushed::stored);
    EXPECT_EQ(queue.cursor.stats().bytes_in_use, books.bytes);
  }
  EXPECT_EQ(books.bytes, 0U);
  MapStore store;
  Tracker tracker(limit(10));
  EXPECT_EQ(Cursor::create(CursorOptions().allocator([](std::size_t, std::size_t) -> void* { return nullptr; }, {}),
                           tracker, store)
                .status(),
            QC_ERR_INVALID_ARGUMENT);
  const auto refused =
      Cursor::create(CursorOptions().allocator([](std::size_t, std::size_t) -> void* { return nullptr; },
                                               [](void*, std::size_t, std::size_t) {}),
                     tracker, store);
  EXPECT_EQ(refused.status(), QC_ERR_NO_MEMORY);
}

TEST(Cursor, GroupsWakeTheirCursorsAndOutliveTheirHandles) {
  Tracker root(limit(1000));
  auto group = std::make_unique<CursorGroup>(root, CursorGroupOptions().max_lent_bytes(1));
  Tracker busy = root.child();
  Tracker own = root.child(limit(1000));
  MapStore store;
  for (std::uint64_t i = 1; i <= 4; ++i) { store.add(i, 100); }
  Cursor cursor(CursorOptions().policy(CursorPolicy().page_messages(1)), own, store, group.get());
  EXPECT_EQ(group->stats().members, 1U);
  cursor.open(4, 400, 4);
  busy.increase(950);
  int ready = 0;
  cursor.on_ready([&] { ++ready; });
  EXPECT_EQ(sequences(cursor, 4), (Numbers{1}));  // the guaranteed share: one page, however small the bound
  EXPECT_EQ(group->stats().lent_bytes, 100U);
  Pulled pulled;
  EXPECT_TRUE(sequences(cursor, 4, &pulled).empty());
  EXPECT_EQ(pulled.blocked, Blocked::parent);
  EXPECT_EQ(group->stats().waiting, 1U);
  group.reset();
  (void)own.destroy();
  EXPECT_EQ(root.usage(), 1050);
  busy.decrease(900);
  EXPECT_EQ(ready, 1);
  EXPECT_EQ(sequences(cursor, 4), (Numbers{2}));
  cursor.ack_batch(Numbers{1, 2});
  EXPECT_EQ(root.usage(), 50);
}

TEST(Cursor, AGroupDividesTheLimit) {
  Tracker root(limit(1000));
  CursorGroup group(root, CursorGroupOptions().divides_limit(true));
  Tracker one = root.child();
  Tracker two = root.child();
  MapStore store;
  Cursor first(CursorOptions(), one, store, &group);
  EXPECT_EQ(one.limit(), 1000U);
  {
    Cursor second(CursorOptions(), two, store, &group);
    EXPECT_EQ(one.limit(), 500U);
    EXPECT_EQ(two.limit(), 500U);
  }
  EXPECT_EQ(one.limit(), 1000U);
  CursorGroup moved(std::move(group));
  EXPECT_FALSE(group.valid());
  EXPECT_EQ(group.try_stats().status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(Cursor::create(CursorOptions(), two, store, &group).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(moved.stats().members, 1U);
}

TEST(Cursor, MovesWithAllItHas) {
  Queue queue(3);
  Cursor moved(std::move(queue.cursor));
  EXPECT_FALSE(queue.cursor.valid());
  EXPECT_EQ(queue.cursor.try_ack(1).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(queue.cursor.try_push(committed_message(4, 4, 4, 1)).status(), QC_ERR_NULL_HANDLE);
  EXPECT_EQ(sequences(moved, 2), (Numbers{1, 2}));
  Queue other(1);
  other.cursor = std::move(moved);
  EXPECT_EQ(other.tracker.usage(), 0);
  EXPECT_EQ(queue.tracker.usage(), 300);
  other.cursor.ack(1);
  EXPECT_EQ(queue.tracker.usage(), 200);
}

TEST(Cursor, TheTrackerMayGoFirst) {
  Tracker root(limit(10'000));
  MapStore store;
  auto own = std::make_unique<Tracker>(root.child(limit(1000)));
  {
    Cursor cursor(CursorOptions(), *own, store);
    cursor.push(committed_message(1, 1, 1, 100));
    own.reset();
    EXPECT_EQ(root.usage(), 100);
    cursor.push(committed_message(2, 2, 2, 100));
    EXPECT_EQ(root.usage(), 200);
    EXPECT_EQ(sequences(cursor, 5), (Numbers{1, 2}));
    cursor.ack(1);
    EXPECT_EQ(root.usage(), 100);
  }
  EXPECT_EQ(root.usage(), 0);
  EXPECT_EQ(root.stats().children, 0U);
}

}  // namespace
