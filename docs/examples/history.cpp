#include <chrono>
#include <iostream>
#include <queuecore.hpp>
#include <string>

int main() {
  using namespace std::chrono_literals;
  queuecore::History<std::string> history(queuecore::HistoryOptions().window_ns(300s));
  const queuecore::Key guid{{0x42}};

  queuecore::Inserted put = history.insert(guid, "payload", 1us, 1us);  // a PUT
  history.erase(put.entry, 2us);                                       // its ACK
  put = history.insert(guid, "payload", 3us, 3us);                     // the producer tries again
  std::cout << (put.outcome == queuecore::Outcome::duplicate_history ? "duplicate" : "new") << '\n';
}
