// Both ways to hear of a failure: Error, and Result.

#include <string>

#include "support.hpp"

namespace {

using namespace qtest;
using queuecore::Error;
using queuecore::History;
using queuecore::HistoryOptions;

TEST(Errors, AThrownOneSaysStatusTextAndArgument) {
  History<int> history(options());
  try {
    history.insert(key(1), 1, 5000, 4000);
    FAIL() << "an insert later than the present went through";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), QC_ERR_OUT_OF_RANGE);
    EXPECT_NE(std::string(error.what()).find("inserted_at_ns"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(qc_status_string(QC_ERR_OUT_OF_RANGE)), std::string::npos);
    EXPECT_EQ(error.done(), 0U);
  }
  EXPECT_EQ(history.live_len(), 0U);
}

TEST(Errors, AResultSaysTheSame) {
  History<int> history(options());
  const auto result = history.try_insert(key(1), 1, 5000, 4000);
  EXPECT_FALSE(result);
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(result.status(), QC_ERR_OUT_OF_RANGE);
  EXPECT_NE(std::string(result.detail()).find("inserted_at_ns"), std::string::npos) << result.detail();
  EXPECT_EQ(result.exception(), nullptr);
  EXPECT_EQ(thrown_status([&] { (void)history.try_insert(key(1), 1, 5000, 4000).value(); }), QC_ERR_OUT_OF_RANGE);

  const auto good = history.try_insert(key(1), 1, 0, 0);
  ASSERT_TRUE(good);
  EXPECT_EQ(good.status(), QC_OK);
  EXPECT_STREQ(good.detail(), "");
  EXPECT_TRUE(good->added());
  EXPECT_EQ((*good).entry, history.find(key(1)));
}

TEST(Errors, EveryCallHasBoth) {
  History<std::string> history(options());
  const auto put = history.insert(key(1), "a", 0, 0);
  history.erase(put.entry, 0);
  EXPECT_EQ(thrown_status([&] { history.erase(put.entry, 0); }), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(history.try_erase(put.entry, 0).status(), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(thrown_status([&] { history.forget(put.entry); }), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(history.try_forget(put.entry).status(), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)history.value(put.entry); }), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(history.try_value(put.entry).status(), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(thrown_status([&] { (void)history.info(put.entry); }), QC_ERR_STALE_HANDLE);
  EXPECT_EQ(thrown_status([&] { history.erase_key(key(9), 0); }), QC_ERR_NOT_FOUND);
  EXPECT_EQ(history.try_erase_key(key(9), 0).status(), QC_ERR_NOT_FOUND);
  EXPECT_EQ(thrown_status([&] { history.forget_key(key(9)); }), QC_ERR_NOT_FOUND);
  EXPECT_EQ(history.try_forget_key(key(9)).status(), QC_ERR_NOT_FOUND);
  EXPECT_EQ(thrown_status([&] { (void)history.contains(key(1), 2h); }), QC_ERR_CLOCK);
  EXPECT_EQ(history.try_contains(key(1), 2h).status(), QC_ERR_CLOCK);
  EXPECT_EQ(thrown_status([&] { history.gc(2h, 1); }), QC_ERR_CLOCK);
  EXPECT_EQ(history.try_gc(2h, 1).status(), QC_ERR_CLOCK);
  EXPECT_EQ(thrown_status([&] { history.erase_all_live(2h); }), QC_ERR_CLOCK);
  EXPECT_EQ(history.try_erase_all_live(2h).status(), QC_ERR_CLOCK);
  EXPECT_EQ(thrown_status([&] { history.readmit(key(1), "a", 2h, 2h); }), QC_ERR_CLOCK);
  EXPECT_EQ(history.try_readmit(key(1), "a", 2h, 2h).status(), QC_ERR_CLOCK);
  EXPECT_EQ(thrown_status([&] { history.clock_reset(std::chrono::hours::max()); }), QC_ERR_CLOCK);
  EXPECT_EQ(history.try_clock_reset(std::chrono::hours::max()).status(), QC_ERR_CLOCK);
  EXPECT_EQ(history.try_find(key(9)).value(), 0U);
  EXPECT_TRUE(history.try_clear());
}

TEST(Errors, OptionsAreCheckedAtCreation) {
  EXPECT_EQ(thrown_status([] { History<int> history(HistoryOptions().window_ns(-1)); }), QC_ERR_OUT_OF_RANGE);
  EXPECT_EQ(History<int>::create(HistoryOptions().window_ns(-1)).status(), QC_ERR_OUT_OF_RANGE);
  EXPECT_NE(std::string(History<int>::create(HistoryOptions().window_ns(-1)).detail()).find("window_ns"),
            std::string::npos);
  EXPECT_EQ(History<int>::create(HistoryOptions().gc_policy(static_cast<queuecore::GcPolicy>(9))).status(),
            QC_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(History<int>::create(HistoryOptions().resolution_ns(-5)).status(), QC_ERR_OUT_OF_RANGE);
  auto made = History<int>::create(options().max_entries(1).overflow(queuecore::Overflow::evict_oldest));
  ASSERT_TRUE(made);
  History<int> history = std::move(made).value();
  EXPECT_TRUE(history.insert(key(1), 1, 0, 0).added());
  EXPECT_EQ(history.try_insert(key(2), 1, 0, 0).status(), QC_ERR_CAPACITY);
}

TEST(Errors, EveryOptionArrives) {
  const auto raw = HistoryOptions()
                       .window_ns(2s)
                       .resolution_ns(3us)
                       .max_clock_step_ns(4min)
                       .max_entries(5)
                       .max_history(6)
                       .overflow(queuecore::Overflow::evict_oldest)
                       .visibility(queuecore::Visibility::until_collected)
                       .gc_policy(queuecore::GcPolicy::scheduled)
                       .gc_step(7)
                       .seed(8)
                       .raw();
  EXPECT_EQ(raw.window_ns, 2'000'000'000);
  EXPECT_EQ(raw.resolution_ns, 3'000);
  EXPECT_EQ(raw.max_clock_step_ns, 240'000'000'000);
  EXPECT_EQ(raw.max_entries, 5U);
  EXPECT_EQ(raw.max_history, 6U);
  EXPECT_EQ(raw.overflow, QC_OVERFLOW_EVICT_OLDEST);
  EXPECT_EQ(raw.visibility, QC_VISIBLE_UNTIL_COLLECTED);
  EXPECT_EQ(raw.gc_policy, QC_GC_SCHEDULED);
  EXPECT_EQ(raw.gc_step, 7U);
  EXPECT_EQ(raw.seed, 8U);
}

TEST(Errors, ResultOfAValue) {
  queuecore::Result<std::string> good(std::string("text"));
  EXPECT_EQ(*good, "text");
  EXPECT_EQ(good->size(), 4U);
  EXPECT_EQ(good.value_or("other"), "text");
  const auto& constant = good;
  static_assert(std::is_same_v<decltype(constant.value()), const std::string&>);
  EXPECT_EQ(&constant.value(), &good.value());
  EXPECT_EQ(std::move(good).value(), "text");
  queuecore::Result<std::string> bad(queuecore::Failure(QC_ERR_CAPACITY, "note"));
  EXPECT_EQ(bad.value_or("other"), "other");
  EXPECT_STREQ(bad.detail(), "note");
  EXPECT_EQ(thrown_status([&] { (void)bad.value(); }), QC_ERR_CAPACITY);
  EXPECT_EQ(thrown_status([&] { (void)std::as_const(bad).value(); }), QC_ERR_CAPACITY);
  queuecore::Result<void> done;
  EXPECT_TRUE(done);
  EXPECT_NO_THROW(done.value());
}

}  // namespace
