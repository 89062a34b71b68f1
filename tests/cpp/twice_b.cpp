// The other of the two files; see twice_a.cpp.

#include <queuecore.hpp>
#include <queuecore.hpp>
#include <string>

#include "support.hpp"

std::size_t live_in_the_other_file(queuecore::History<std::string>& history);

std::size_t live_in_the_other_file(queuecore::History<std::string>& history) {
  history.insert(qtest::key(2), "two", 0, 0);
  return history.live_len();
}
