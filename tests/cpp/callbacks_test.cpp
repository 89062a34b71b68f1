// Allocators and hash functors of the caller's: what they see, and where their exceptions go.

#include <array>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::History;
using queuecore::Key;
using queuecore::Presence;

/// Counts, and throws on demand.
class Resource : public std::pmr::memory_resource {
 public:
  std::uint64_t allocations = 0;
  std::uint64_t deallocations = 0;
  std::uint64_t bytes = 0;
  bool out_of_memory = false;
  bool broken = false;

 private:
  void* do_allocate(std::size_t size, std::size_t align) override {
    if (out_of_memory) { throw std::bad_alloc(); }
    if (broken) { throw std::logic_error("broken resource"); }
    allocations++;
    bytes += size;
    return std::pmr::new_delete_resource()->allocate(size, align);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t align) override {
    deallocations++;
    bytes -= size;
    std::pmr::new_delete_resource()->deallocate(block, size, align);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

template <class V>
void every_byte_is_counted() {
  Resource resource;
  {
    History<V> history(options().memory_resource(&resource));
    for (std::uint64_t i = 0; i < 1000; ++i) { history.insert(key(i), V(), 0, 0); }
    EXPECT_GE(resource.bytes, 1000 * sizeof(V));
    EXPECT_GE(resource.bytes, history.stats().bytes_in_use);
    if (std::is_trivially_copyable_v<V>) { EXPECT_EQ(resource.bytes, history.stats().bytes_in_use); }
    history.clear();
    EXPECT_LT(resource.bytes, 16384U);
  }
  EXPECT_EQ(resource.bytes, 0U);
  EXPECT_EQ(resource.allocations, resource.deallocations);
}

TEST(Callbacks, AMemoryResourceSeesEveryByte) {
  every_byte_is_counted<std::array<char, 100>>();
  every_byte_is_counted<std::string>();
}

TEST(Callbacks, AnAllocatorMayBeTwoFunctors) {
  std::int64_t bytes = 0;
  {
    History<std::string> history(options().allocator(
        [&](std::size_t size, std::size_t align) {
          bytes += static_cast<std::int64_t>(size);
          return std::pmr::new_delete_resource()->allocate(size, align);
        },
        [&](void* block, std::size_t size, std::size_t align) {
          bytes -= static_cast<std::int64_t>(size);
          std::pmr::new_delete_resource()->deallocate(block, size, align);
        }));
    history.insert(key(1), "a", 0, 0);
    EXPECT_GT(bytes, 0);
  }
  EXPECT_EQ(bytes, 0);
}

TEST(Callbacks, AnAllocatorIsBothFunctorsOrNeither) {
  const queuecore::AllocateFunction allocate = [](std::size_t size, std::size_t align) {
    return std::pmr::new_delete_resource()->allocate(size, align);
  };
  const queuecore::DeallocateFunction deallocate = [](void* block, std::size_t size, std::size_t align) {
    std::pmr::new_delete_resource()->deallocate(block, size, align);
  };
  EXPECT_EQ(History<int>::create(options().allocator(allocate, nullptr)).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(History<int>::create(options().allocator(nullptr, deallocate)).status(), QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(thrown_status([&] { History<std::string> history(options().allocator(allocate, nullptr)); }),
            QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(thrown_status([&] { History<std::string> history(options().allocator(nullptr, deallocate)); }),
            QC_ERR_INVALID_ARGUMENT);
  EXPECT_STRNE(History<int>::create(options().allocator(allocate, nullptr)).detail(), "");
  EXPECT_TRUE(History<int>::create(options().allocator(nullptr, nullptr)));
  EXPECT_TRUE(History<int>::create(options().allocator(allocate, deallocate)));
}

/// Inserts key after key until one is refused, which is `next` then; QC_OK when none is.
template <class V>
queuecore::Status fill(History<V>& history, std::uint64_t& next) {
  for (; next < 200000; ++next) {
    const auto result = history.try_insert(key(next), V(), 0, 0);
    if (!result) { return result.status(); }
  }
  return QC_OK;
}

template <class V>
void exceptions_of_the_allocator() {
  Resource resource;
  {
    History<V> history(options().memory_resource(&resource));
    std::uint64_t next = 0;
    resource.out_of_memory = true;
    EXPECT_EQ(fill(history, next), QC_ERR_NO_MEMORY);
    EXPECT_EQ(history.live_len(), next);
    resource.out_of_memory = false;
    resource.broken = true;
    EXPECT_EQ(fill(history, next), QC_ERR_CALLBACK);
    EXPECT_EQ(history.live_len(), next);
    EXPECT_THROW(history.insert(key(next), V(), 0, 0), std::logic_error);
    resource.broken = false;
    resource.out_of_memory = true;
    EXPECT_THROW(history.insert(key(next), V(), 0, 0), std::bad_alloc);
    EXPECT_EQ(history.contains(key(next), 0), Presence::absent);
    resource.out_of_memory = false;
    EXPECT_TRUE(history.insert(key(next), V(), 0, 0).added());
    EXPECT_EQ(history.live_len(), next + 1);
  }
  EXPECT_EQ(resource.bytes, 0U);
}

TEST(Callbacks, ExceptionsOfTheAllocatorReachTheCaller) {
  exceptions_of_the_allocator<std::uint64_t>();
  exceptions_of_the_allocator<std::string>();
}

/// A purge that runs out of memory halfway has erased the oldest: their objects are gone, and no others. It
/// takes memory only for live entries that were older than the window once, before the clock was set back.
TEST(Callbacks, APurgeWithoutMemoryEndsTheObjectsOfWhatItErased) {
  Resource resource;
  constexpr std::uint64_t total = 20000;
  {
    History<Quiet> history(options().memory_resource(&resource));
    for (std::uint64_t i = 0; i < total; ++i) { history.insert(key(i), Quiet(static_cast<int>(i)), 0, 0); }
    history.gc(200us, 2 * total);
    history.clock_reset(0);
    history.forget_key(key(5));
    history.erase_key(key(6), 0);
    history.readmit(key(6), Quiet(6), 0, 0);  // newest now, and so among what is left
    resource.out_of_memory = true;
    EXPECT_THROW(history.erase_all_live(0), std::bad_alloc);
    const std::uint64_t left = history.live_len();
    EXPECT_GT(left, 0U);
    EXPECT_LT(left, total - 1);
    EXPECT_EQ(static_cast<std::uint64_t>(Quiet::alive), left);
    std::uint64_t met = 0;
    for (auto item : history) {
      ASSERT_TRUE(queuecore::same_key(item.key, key(static_cast<std::uint64_t>(item.value.value()))));
      ++met;
    }
    EXPECT_EQ(met, left);
    EXPECT_EQ(history.value(history.find(key(6))).value(), 6);
    resource.out_of_memory = false;
    EXPECT_EQ(history.erase_all_live(0), left);
    EXPECT_EQ(Quiet::alive, 0);
  }
  EXPECT_EQ(resource.bytes, 0U);
}

TEST(Callbacks, ExceptionsOfTheAllocatorReachTheCreator) {
  Resource resource;
  resource.broken = true;
  EXPECT_THROW(History<int> history(options().memory_resource(&resource)), std::logic_error);
  const auto result = History<int>::create(options().memory_resource(&resource));
  EXPECT_EQ(result.status(), QC_ERR_CALLBACK);
  EXPECT_NE(result.exception(), nullptr);
  resource.broken = false;
  resource.out_of_memory = true;
  EXPECT_THROW(History<int> history(options().memory_resource(&resource)), std::bad_alloc);
}

TEST(Callbacks, AFunctorThatGivesNullIsOutOfMemory) {
  bool empty = false;
  History<int> history(options().allocator(
      [&](std::size_t size, std::size_t align) {
        return empty ? nullptr : std::pmr::new_delete_resource()->allocate(size, align);
      },
      [](void* block, std::size_t size, std::size_t align) {
        std::pmr::new_delete_resource()->deallocate(block, size, align);
      }));
  std::uint64_t next = 0;
  empty = true;
  EXPECT_EQ(fill(history, next), QC_ERR_NO_MEMORY);
  EXPECT_EQ(history.live_len(), next);
}

std::uint64_t first_bytes(const Key& key) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, key.bytes, sizeof bits);
  return bits * 0x9e3779b97f4a7c15U;
}

TEST(Callbacks, AHashFunctorIsAsked) {
  int asked = 0;
  const auto work = [&](auto hash) {
    asked = 0;
    History<std::string> history(options().hash(hash));
    for (std::uint64_t i = 0; i < 500; ++i) { history.insert(key(i), std::to_string(i), 0, 0); }
    for (std::uint64_t i = 0; i < 500; i += 2) { history.erase_key(key(i), 0); }
    for (std::uint64_t i = 0; i < 500; ++i) {
      EXPECT_EQ(history.contains(key(i), 0), i % 2 == 0 ? Presence::historical : Presence::live);
    }
    EXPECT_EQ(history.value(history.find(key(1))), "1");
    EXPECT_GE(asked, 1000);
  };
  work([&](const Key& one) noexcept {
    ++asked;
    return first_bytes(one);
  });
  work([&](const Key& one) {
    ++asked;
    return first_bytes(one);
  });
}

/// A functor that may throw, and does so for one key.
template <class V>
void exceptions_of_the_hash() {
  bool broken = false;
  const auto hash = [&](const Key& one) -> std::uint64_t {
    if (broken && queuecore::same_key(one, key(7))) { throw std::logic_error("no hash for this"); }
    return first_bytes(one);
  };
  History<V> history(options().hash(hash));
  for (std::uint64_t i = 0; i < 10; ++i) { history.insert(key(i), V(), 0, 0); }
  const auto seven = history.find(key(7));
  const auto before = history.stats();
  broken = true;
  EXPECT_THROW(history.insert(key(7), V(), 0, 0), std::logic_error);
  EXPECT_THROW(history.readmit(key(7), V(), 0, 0), std::logic_error);
  EXPECT_THROW((void)history.find(key(7)), std::logic_error);
  EXPECT_THROW((void)history.contains(key(7), 0), std::logic_error);
  EXPECT_THROW(history.erase_key(key(7), 0), std::logic_error);
  EXPECT_THROW(history.erase(seven, 0), std::logic_error);
  EXPECT_THROW(history.forget_key(key(7)), std::logic_error);
  EXPECT_THROW(history.forget(seven), std::logic_error);
  const auto result = history.try_insert(key(7), V(), 0, 0);
  EXPECT_EQ(result.status(), QC_ERR_CALLBACK);
  EXPECT_NE(result.exception(), nullptr);

  // In a batch, what stands before it is done.
  std::vector<Key> some = {key(20), key(21), key(7), key(22)};
  std::vector<V> values(4);
  const auto batch = history.try_insert_batch(some, values, {}, 0);
  EXPECT_EQ(batch.done, 2U);
  EXPECT_EQ(batch.status(), QC_ERR_CALLBACK);
  const queuecore::Entry entries[] = {history.find(key(20)), seven};
  EXPECT_EQ(history.try_erase_batch(entries, 0).done, 1U);
  std::vector<Presence> found(4);
  EXPECT_EQ(history.try_contains_batch(some, 0, found).done, 2U);

  // Nothing else has changed, and everything works.
  broken = false;
  EXPECT_EQ(history.live_len(), before.live_len + 1);
  EXPECT_EQ(history.find(key(7)), seven);
  EXPECT_EQ(history.contains(key(7), 0), Presence::live);
  history.erase(seven, 0);
  EXPECT_EQ(history.contains(key(7), 0), Presence::historical);
}

TEST(Callbacks, ExceptionsOfTheHashFunctorFindNothingChanged) {
  exceptions_of_the_hash<int>();
  exceptions_of_the_hash<std::string>();
}

/// A throw for another key, deep inside, where the library cannot be told.
TEST(Callbacks, AHashThatThrowsInsideEndsTheHistory) {
  bool broken = false;
  const auto hash = [&](const Key& one) -> std::uint64_t {
    if (broken) { throw std::logic_error("no hash at all"); }
    return first_bytes(one);
  };
  {
    History<Quiet> history(options().gc_policy(queuecore::GcPolicy::scheduled).hash(hash));
    for (int i = 0; i < 100; ++i) { history.insert(key(static_cast<std::uint64_t>(i)), Quiet(i), 0, 0); }
    for (int i = 0; i < 50; ++i) { history.erase_key(key(static_cast<std::uint64_t>(i)), 0); }
    broken = true;
    const auto result = history.try_gc(200us, 100);
    broken = false;
    if (!result) {  // a library that collects without hashing has nothing to be ended by
      EXPECT_EQ(result.status(), QC_ERR_CALLBACK);
      EXPECT_NE(result.exception(), nullptr);
      EXPECT_EQ(history.try_find(key(60)).status(), QC_ERR_POISONED);
      EXPECT_EQ(history.try_insert(key(200), Quiet(1), 200us, 200us).status(), QC_ERR_POISONED);
      EXPECT_EQ(thrown_status([&] { (void)history.live_len(); }), QC_ERR_POISONED);
      EXPECT_EQ(thrown_status([&] { (void)history.begin(); }), QC_ERR_POISONED);
    }
  }
  EXPECT_EQ(Quiet::alive, 0);
}

/// A callback that calls back in is refused, like in C.
TEST(Callbacks, MayNotCallBackIn) {
  History<int>* self = nullptr;
  queuecore::Status status = QC_OK;
  History<int> history(options().hash([&](const Key& one) noexcept {
    if (self != nullptr) {
      std::uint64_t len = 0;
      status = qc_history_live_len(self->native_handle(), &len);
    }
    return first_bytes(one);
  }));
  self = &history;
  history.insert(key(1), 1, 0, 0);
  EXPECT_EQ(status, QC_ERR_REENTRANT);
}

}  // namespace
