// queuecore.hpp: iteration, export and import, another window, clearing in steps, groups.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <set>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::History;
using queuecore::HistoryGroup;
using queuecore::HistoryGroupOptions;
using queuecore::HistoryItem;

std::vector<std::vector<std::byte>> export_all(History<int>& history, std::size_t size) {
  std::vector<std::vector<std::byte>> buffers;
  history.export_begin();
  for (bool more = true; more;) {
    std::vector<std::byte> buffer(size);
    const auto written = history.export_next(buffer);
    buffer.resize(written.bytes);
    buffers.push_back(std::move(buffer));
    more = written.more;
  }
  return buffers;
}

TEST(Transfer, EverythingArrives) {
  History<int> from(options());
  for (std::uint64_t n = 0; n < 100; ++n) { from.insert(key(n), static_cast<int>(n), 0, 0); }
  for (std::uint64_t n = 0; n < 100; n += 2) { from.erase_key(key(n), 0); }
  for (const std::size_t size : {History<int>::min_export_bytes, std::size_t{300}, std::size_t{100'000}}) {
    History<int> to(options());
    std::uint64_t live = 0;
    for (const auto& buffer : export_all(from, size)) {
      EXPECT_EQ(queuecore::buffer_info(buffer).value_size, sizeof(int));
      live += to.import(buffer, 0).live;
    }
    EXPECT_EQ(live, 50U);
    EXPECT_EQ(to.history_len(), 50U);
    int expected = 1;
    for (const auto& item : to) {
      EXPECT_EQ(item.value, expected);
      expected += 2;
    }
    EXPECT_EQ(expected, 101);
  }
}

TEST(Transfer, ABrokenBufferThrowsAndChangesNothing) {
  History<int> from(options());
  from.insert(key(1), 1, 0, 0);
  auto buffer = export_all(from, 1000).front();
  buffer[70] ^= std::byte{1};
  History<int> to(options());
  EXPECT_EQ(thrown_status([&] { to.import(buffer, 0); }), QC_ERR_BAD_BUFFER);
  EXPECT_EQ(to.try_import(buffer, 0).status(), QC_ERR_BAD_BUFFER);
  EXPECT_EQ(thrown_status([&] { (void)queuecore::buffer_info(buffer); }), QC_ERR_BAD_BUFFER);
  EXPECT_TRUE(to.empty());
  EXPECT_EQ(thrown_status([&] { from.export_next(buffer); }), QC_ERR_NOT_BEGUN);
  from.export_begin();
  std::array<std::byte, 10> small{};
  EXPECT_EQ(thrown_status([&] { from.export_next(small); }), QC_ERR_OUT_OF_RANGE);
}

TEST(Transfer, AnImportThatRunsOutOfRoomCountsWhatItTookIn) {
  History<int> from(options());
  for (std::uint64_t n = 0; n < 10; ++n) { from.insert(key(n), 0, 0, 0); }
  const auto buffer = export_all(from, 10'000).front();
  History<int> to(options().max_entries(4));
  const auto result = to.try_import(buffer, 0);
  EXPECT_EQ(result.status(), QC_ERR_CAPACITY);
  EXPECT_EQ(result.counts.live, 4U);
  try {
    (void)to.import(buffer, 0);
    FAIL();
  } catch (const queuecore::Error& error) {
    EXPECT_EQ(error.status(), QC_ERR_CAPACITY);
    EXPECT_EQ(error.done(), 4U);
  }
}

TEST(Transfer, IterationGivesLiveAndErased) {
  History<std::string> history(options());
  for (std::uint64_t n = 0; n < 50; ++n) { history.insert(key(n), std::to_string(n), 0, 0); }
  for (std::uint64_t n = 0; n < 50; n += 5) { history.erase_key(key(n), 0); }
  history.iterate();
  std::vector<HistoryItem> seen;
  for (bool more = true; more;) {
    std::array<HistoryItem, 7> items;
    const auto step = history.next_items(items);
    seen.insert(seen.end(), items.begin(), items.begin() + static_cast<std::ptrdiff_t>(step.done));
    more = step.more;
  }
  ASSERT_EQ(seen.size(), 50U);
  for (std::uint64_t n = 0; n < 50; ++n) {
    EXPECT_TRUE(queuecore::same_key(seen[n].key, key(n)));
    EXPECT_EQ(seen[n].entry == 0, n % 5 == 0);
    if (seen[n].entry != 0) { EXPECT_EQ(history.value(seen[n].entry), std::to_string(n)); }
  }
  EXPECT_FALSE(history.next_items({}).more);
}

TEST(Transfer, ClearStepDestroysTheObjectsItForgets) {
  History<Quiet> history(options());
  for (std::uint64_t n = 0; n < 10; ++n) { history.insert(key(n), Quiet(static_cast<int>(n)), 0, 0); }
  history.erase_key(key(0), 0);
  EXPECT_EQ(Quiet::alive, 9);
  auto step = history.clear_step(4);
  EXPECT_EQ(step.collected, 4U);
  EXPECT_TRUE(step.more);
  EXPECT_EQ(Quiet::alive, 5);
  EXPECT_EQ(history.begin()->value.value(), 5);
  while (step.more) { step = history.clear_step(2); }
  EXPECT_EQ(Quiet::alive, 0);
  EXPECT_EQ(history.live_len() + history.history_len(), 0U);
}

TEST(Transfer, AnotherWindowHoldsAtOnce) {
  History<int> history(options());
  history.insert(key(1), 0, 0, 0);
  history.erase_key(key(1), 0);
  history.set_window(10us);
  EXPECT_EQ(history.contains(key(1), 9us), queuecore::Presence::historical);
  EXPECT_EQ(history.contains(key(1), 10us), queuecore::Presence::absent);
  EXPECT_EQ(thrown_status([&] { history.set_window(-1); }), QC_ERR_OUT_OF_RANGE);
  const auto first = history.insert(key(2), 0, 10us, 10us);
  const auto second = history.insert(key(3), 0, 10us, 10us);
  EXPECT_EQ(history.next_from(key(2)), second.entry);
  EXPECT_EQ(history.next_from(key(3)), 0U);
  history.erase(first.entry, 10us);
  EXPECT_EQ(thrown_status([&] { (void)history.next_from(key(2)); }), QC_ERR_NOT_FOUND);
}

TEST(Group, IsCollectedTogetherAndOutlivesItsName) {
  std::vector<History<int>> histories;
  {
    HistoryGroup group;
    for (int n = 0; n < 20; ++n) {
      histories.emplace_back(options().seed(0).group(group));
      histories.back().insert(key(1), n, 0, 0);
      histories.back().erase_key(key(1), 0);
    }
    EXPECT_EQ(group.stats().histories, 20U);
    EXPECT_EQ(group.gc_many(99us, 1000).collected, 0U);
    EXPECT_TRUE(group.gc_many(100us, 5).more);
    EXPECT_EQ(group.gc_many(100us, 1000).collected, 15U);
    EXPECT_EQ(thrown_status([&] { History<int> seeded(options().group(group)); }), QC_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(thrown_status([&] { group.gc_many(2h, 1); }), QC_ERR_CLOCK);
    group.clock_reset(2h);
    group.gc_many(2h, 1);
  }
  for (auto& history : histories) { EXPECT_EQ(history.history_len(), 0U); }
  std::swap(histories.front(), histories.back());
  histories.pop_back();
  EXPECT_TRUE(histories.front().insert(key(2), 5, 2h, 2h).added());
}

TEST(Group, TakesItsMemoryFromAResource) {
  std::pmr::unsynchronized_pool_resource pool;
  std::array<std::byte, 60'000> room;
  std::pmr::monotonic_buffer_resource small(room.data(), room.size(), std::pmr::null_memory_resource());
  {
    HistoryGroup group(HistoryGroupOptions().memory_resource(&pool));
    History<int> history(options().seed(0).group(group));
    for (std::uint64_t n = 0; n < 1000; ++n) { history.insert(key(n), 0, 0, 0); }
    EXPECT_GT(group.stats().bytes_in_use, 20'000U);
  }
  HistoryGroup group(HistoryGroupOptions().memory_resource(&small));
  History<int> history(options().seed(0).group(group));
  queuecore::Status status = QC_OK;
  for (std::uint64_t n = 0; n < 100'000 && status == QC_OK; ++n) {
    status = history.try_insert(key(n), 0, 0, 0).status();
  }
  EXPECT_EQ(status, QC_ERR_NO_MEMORY);
}

}  // namespace
