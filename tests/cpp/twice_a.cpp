// One of two files of one program that both have the wrapper, each of them twice.

#include <queuecore.hpp>
#include <queuecore.hpp>
#include <string>

#include "support.hpp"

std::size_t live_in_the_other_file(queuecore::History<std::string>& history);

TEST(Twice, TwoFilesShareAHistory) {
  queuecore::History<std::string> history(qtest::options());
  history.insert(qtest::key(1), "one", 0, 0);
  EXPECT_EQ(live_in_the_other_file(history), 2U);
  EXPECT_EQ(history.value(history.find(qtest::key(2))), "two");
}
