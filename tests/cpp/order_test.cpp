// Walking the live order: range-for, algorithms, both directions, erasing on the way.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::History;
using queuecore::Item;

template <class V>
std::vector<V> values_of(const History<V>& history) {
  std::vector<V> values;
  for (auto item : history) { values.push_back(item.value); }
  return values;
}

class Order : public testing::Test {
 protected:
  Order() : history(options()) {
    for (int i = 1; i <= 5; ++i) {
      history.insert(key(static_cast<std::uint64_t>(i)), std::to_string(i), std::chrono::microseconds(i), 10us);
    }
  }
  History<std::string> history;
};

TEST_F(Order, IsTheOrderOfInserts) {
  EXPECT_EQ(values_of(history), (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(std::distance(history.begin(), history.end()), 5);
  const auto first = *history.begin();
  EXPECT_TRUE(queuecore::same_key(first.key, key(1)));
  EXPECT_EQ(first.inserted_at_ns, 1000);
  EXPECT_EQ(first.entry, history.find(key(1)));
  EXPECT_EQ(history.begin()->value, "1");
  History<int> none(options());
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_TRUE(none.empty());
}

TEST_F(Order, GoesBothWays) {
  std::string backwards;
  for (auto it = history.rbegin(); it != history.rend(); ++it) { backwards += (*it).value; }
  EXPECT_EQ(backwards, "54321");
  auto it = history.end();
  EXPECT_EQ((--it)->value, "5");
  EXPECT_EQ((it--)->value, "5");
  EXPECT_EQ((it++)->value, "4");
  EXPECT_EQ(it->value, "5");
  EXPECT_EQ(std::prev(history.end(), 5), history.begin());
}

TEST_F(Order, GoesBothWaysWhenConst) {
  const History<std::string>& constant = history;
  std::string forwards;
  for (auto it = history.cbegin(); it != history.cend(); ++it) { forwards += it->value; }
  EXPECT_EQ(forwards, "12345");
  std::string backwards;
  for (auto it = constant.rbegin(); it != constant.rend(); ++it) { backwards += (*it).value; }
  for (auto it = history.crbegin(); it != history.crend(); ++it) { backwards += (*it).value; }
  EXPECT_EQ(backwards, "5432154321");
  static_assert(std::is_same_v<decltype((*history.crbegin()).value), const std::string&>);
}

TEST_F(Order, AReverseIteratorEndsWithItsBase) {
  auto it = std::next(history.rbegin());  // shows 4, stands on 5
  history.erase_key(key(4), 10us);
  EXPECT_EQ((*it).value, "3");
  history.erase_key(key(5), 10us);
  EXPECT_EQ(thrown_status([&] { (void)*it; }), QC_ERR_STALE_HANDLE);
}

TEST_F(Order, ErasesWhileWalkingBackwards) {
  std::string seen;
  for (auto it = history.end(); it != history.begin();) {
    seen += (--it)->value;
    if (seen.back() == '4' || seen.back() == '1') { it = history.erase(it, 10us); }
  }
  EXPECT_EQ(seen, "54321");
  EXPECT_EQ(values_of(history), (std::vector<std::string>{"2", "3", "5"}));
}

TEST_F(Order, WorksWithAlgorithms) {
  const auto three = std::find_if(history.begin(), history.end(), [](const auto& item) { return item.value == "3"; });
  ASSERT_NE(three, history.end());
  EXPECT_EQ(three.entry(), history.find(key(3)));
  EXPECT_EQ(std::count_if(history.begin(), history.end(), [](const auto& item) { return item.value > "2"; }), 3);
  std::vector<Item<std::string>> items(history.begin(), history.end());
  EXPECT_EQ(items.back().value, "5");
  std::for_each(history.begin(), history.end(), [](Item<std::string> item) { item.value += "!"; });
  EXPECT_EQ(values_of(history).front(), "1!");
}

TEST_F(Order, EraseReturnsTheNext) {
  for (auto it = history.begin(); it != history.end();) {
    it = it->value == "2" || it->value == "5" ? history.erase(it, 10us) : std::next(it);
  }
  EXPECT_EQ(values_of(history), (std::vector<std::string>{"1", "3", "4"}));
  EXPECT_EQ(history.history_len(), 2U);
}

TEST_F(Order, ReadmittedIsNewest) {
  history.erase_key(key(1), 10us);
  history.readmit(key(1), "again", 10us, 10us);
  EXPECT_EQ(values_of(history), (std::vector<std::string>{"2", "3", "4", "5", "again"}));
}

TEST_F(Order, StartsAtAKey) {
  std::string rest;
  for (auto it = history.iterator_at(history.find(key(3))); it != history.end(); ++it) { rest += it->value; }
  EXPECT_EQ(rest, "345");
  EXPECT_EQ(history.iterator_at(history.find(key(77))), history.end());
}

TEST_F(Order, AnIteratorWhoseEntryIsGoneSaysSo) {
  auto it = history.begin();
  history.erase(it.entry(), 10us);
  EXPECT_EQ(thrown_status([&] { (void)*it; }), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(thrown_status([&] { ++it; }), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(thrown_status([&] { --it; }), QC_ERR_STALE_HANDLE);
}

TEST_F(Order, ConstOnesDoNotChangeValues) {
  const History<std::string>& constant = history;
  static_assert(std::is_same_v<decltype((*constant.begin()).value), const std::string&>);
  static_assert(std::is_same_v<decltype((*history.begin()).value), std::string&>);
  History<std::string>::const_iterator it = history.begin();
  EXPECT_EQ(it, constant.begin());
  EXPECT_EQ(constant.value(it.entry()), "1");
  EXPECT_EQ(constant.info(it.entry()).value, "1");
  EXPECT_EQ(constant.live_len(), 5U);
}

TEST_F(Order, IteratorsOutliveAMove) {
  auto it = history.begin();
  const std::string* const address = &it->value;
  History<std::string> moved(std::move(history));
  ++it;
  --it;
  EXPECT_EQ(&it->value, address);
  EXPECT_EQ(it, moved.begin());
}

static_assert(std::is_same_v<std::iterator_traits<History<int>::iterator>::iterator_category,
                             std::bidirectional_iterator_tag>);
#if __cplusplus >= 202002L
static_assert(std::bidirectional_iterator<History<int>::iterator>);
static_assert(std::bidirectional_iterator<History<std::string>::const_iterator>);
#endif

}  // namespace
