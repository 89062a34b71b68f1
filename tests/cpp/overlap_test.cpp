// Calls that overlap, in another thread or from inside: refused before they touch anything of the wrapper's.

#include <future>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Entry;
using queuecore::History;
using queuecore::Key;
using queuecore::Presence;
using queuecore::Status;

using Texts = History<std::string>;

/// Options whose allocator runs `inside` first.
template <class Inside>
queuecore::HistoryOptions allocating(Inside inside) {
  return options().allocator(
      [inside](std::size_t size, std::size_t align) {
        inside();
        return std::pmr::new_delete_resource()->allocate(size, align);
      },
      [](void* block, std::size_t size, std::size_t align) {
        std::pmr::new_delete_resource()->deallocate(block, size, align);
      });
}

/// What every call answers that goes through the wrapper. `entry` is the live entry of key 1.
template <class V>
std::vector<Status> answers(History<V>& history, Entry entry) {
  const std::vector<Key> some = {key(1), key(2)};
  const std::vector<Entry> entries = {entry, entry};
  std::vector<V> values(2);
  std::vector<Presence> found(2);
  return {history.try_insert(key(2), V(), 0, 0).status(),
          history.try_readmit(key(2), V(), 0, 0).status(),
          history.try_erase(entry, 0).status(),
          history.try_erase_key(key(1), 0).status(),
          history.try_forget(entry).status(),
          history.try_forget_key(key(1)).status(),
          history.try_find(key(1)).status(),
          history.try_contains(key(1), 0).status(),
          history.try_value(entry).status(),
          history.try_gc(0, 1).status(),
          history.try_erase_all_live(0).status(),
          history.try_clear().status(),
          history.try_clock_reset(0).status(),
          history.try_insert_batch(some, values, {}, 0).status(),
          history.try_readmit_batch(some, values, {}, 0).status(),
          history.try_erase_batch(entries, 0).status(),
          history.try_erase_batch({entries.data(), 1}, 0).status(),
          history.try_contains_batch(some, 0, found).status(),
          thrown_status([&] { (void)history.live_len(); }),
          thrown_status([&] { (void)history.stats(); }),
          thrown_status([&] { (void)history.begin(); })};
}

void all_are(const std::vector<Status>& statuses, Status expected) {
  EXPECT_FALSE(statuses.empty());
  for (std::size_t i = 0; i < statuses.size(); ++i) { EXPECT_EQ(statuses[i], expected) << "call " << i; }
}

/// Inserts texts from key 100 on until `happened`; returns the number of inserts.
template <class Happened>
std::uint64_t insert_until(Texts& history, Happened happened) {
  std::uint64_t count = 0;
  while (!happened() && count < 100000) {
    history.insert(key(100 + count), "text", 0, 0);
    ++count;
  }
  return count;
}

TEST(Overlap, AnotherThreadIsRefusedWhileThePoolGrows) {
  ::qc_history* handle = nullptr;
  bool armed = false;
  Status library = QC_ERR_PANIC;
  std::promise<void> arrived;
  std::promise<void> released;
  Texts history(allocating([&] {
    std::uint64_t len = 0;
    // Only inside the pool: where the library is idle, and would let the other thread in.
    if (!armed || ::qc_history_live_len(handle, &len) != QC_OK) { return; }
    armed = false;
    library = QC_OK;
    arrived.set_value();
    released.get_future().wait();
  }));
  handle = history.native_handle();
  const Entry entry = history.insert(key(1), "first", 0, 0).entry;
  armed = true;
  std::uint64_t count = 0;
  std::thread other([&] { count = insert_until(history, [&] { return !armed; }); });
  arrived.get_future().wait();
  all_are(answers(history, entry), QC_ERR_BUSY);
  EXPECT_STRNE(history.try_find(key(1)).detail(), "");
  released.set_value();
  other.join();
  EXPECT_EQ(library, QC_OK);
  EXPECT_EQ(history.live_len(), count + 1);
  EXPECT_EQ(history.value(entry), "first");
  history.erase(entry, 0);
  EXPECT_EQ(history.live_len(), count);
}

TEST(Overlap, AnAllocatorMayNotCallBackInWhileThePoolGrows) {
  Texts* self = nullptr;
  Entry entry = 0;
  std::vector<Status> seen;
  Texts history(allocating([&] {
    std::uint64_t len = 0;
    if (self == nullptr || ::qc_history_live_len(self->native_handle(), &len) != QC_OK) { return; }
    Texts& inside = *std::exchange(self, nullptr);
    seen = answers(inside, entry);
  }));
  entry = history.insert(key(1), "first", 0, 0).entry;
  self = &history;
  const std::uint64_t count = insert_until(history, [&] { return self == nullptr; });
  all_are(seen, QC_ERR_REENTRANT);
  EXPECT_EQ(history.live_len(), count + 1);
  EXPECT_EQ(history.value(entry), "first");
}

/// One that may throw is asked for the call's own key before the library is entered.
template <class V>
void hash_calls_back() {
  History<V>* self = nullptr;
  Entry entry = 0;
  std::vector<Status> seen;
  History<V> history(options().hash([&](const Key& one) -> std::uint64_t {
    if (self != nullptr) {
      History<V>& inside = *std::exchange(self, nullptr);
      seen = answers(inside, entry);
    }
    return one.bytes[0];
  }));
  entry = history.insert(key(1), V(), 0, 0).entry;
  self = &history;
  EXPECT_EQ(history.find(key(1)), entry);
  all_are(seen, QC_ERR_REENTRANT);
  EXPECT_EQ(history.live_len(), 1U);
}

TEST(Overlap, AHashFunctorMayNotCallBackIn) {
  hash_calls_back<int>();
  hash_calls_back<std::string>();
}

/// Calls back while it is destroyed.
class Caller {
 public:
  static inline History<Caller>* self = nullptr;
  static inline Status seen = QC_OK;
  explicit Caller(bool calls) noexcept : calls_(calls) {}
  Caller(Caller&& other) noexcept : calls_(std::exchange(other.calls_, false)) {}
  ~Caller() {
    if (calls_) { seen = self->try_erase_key(key(2), 0).status(); }
  }

 private:
  bool calls_;
};

TEST(Overlap, AnObjectMayNotCallBackInWhileItIsDestroyed) {
  History<Caller> history(options());
  Caller::self = &history;
  for (std::uint64_t i = 1; i <= 4; ++i) { history.insert(key(i), Caller(i != 2), 0, 0); }
  const auto refused = [](auto call) {
    Caller::seen = QC_OK;
    call();
    EXPECT_EQ(Caller::seen, QC_ERR_REENTRANT);
  };
  refused([&] { history.erase_key(key(1), 0); });
  const std::vector<Entry> entries = {history.find(key(3))};
  refused([&] { history.erase_batch(entries, 0); });
  refused([&] { history.erase_all_live(0); });
  history.insert(key(5), Caller(true), 0, 0);
  refused([&] { history.clear(); });
}

/// The library is busy with a call that did not come through the wrapper.
TEST(Overlap, ABusyLibraryRefusesAndNothingIsLost) {
  bool armed = false;
  std::promise<void> arrived;
  std::promise<void> released;
  {
    History<Quiet> history(options().hash([&](const Key& one) noexcept {
      if (std::exchange(armed, false)) {
        arrived.set_value();
        released.get_future().wait();
      }
      return std::uint64_t{one.bytes[0]};
    }));
    std::vector<Entry> entries;
    for (int i = 0; i < 10; ++i) {
      entries.push_back(history.insert(key(static_cast<std::uint64_t>(i)), Quiet(i), 0, 0).entry);
    }
    armed = true;
    std::thread other([handle = history.native_handle()] {
      const Key one = key(1);
      std::uint32_t presence = 0;
      EXPECT_EQ(::qc_history_contains(handle, &one, 0, &presence), QC_OK);
    });
    arrived.get_future().wait();
    const auto batch = history.try_erase_batch(entries, 0);
    EXPECT_EQ(batch.status(), QC_ERR_BUSY);
    EXPECT_EQ(batch.done, 0U);
    EXPECT_EQ(history.try_erase(entries[0], 0).status(), QC_ERR_BUSY);
    EXPECT_EQ(history.try_erase_key(key(0), 0).status(), QC_ERR_BUSY);
    EXPECT_EQ(history.try_erase_all_live(0).status(), QC_ERR_BUSY);
    EXPECT_EQ(Quiet::alive, 10);
    released.set_value();
    other.join();
    history.erase_batch(entries, 0);
    EXPECT_EQ(Quiet::alive, 0);
  }
}

}  // namespace
