#include <chrono>
#include <iostream>
#include <queuecore.hpp>
#include <vector>

int main() {
  using namespace std::chrono_literals;
  queuecore::HistoryGroup group(queuecore::HistoryGroupOptions().limit_bytes(100'000'000));  // of all its queues
  std::vector<queuecore::History<int>> queues;
  for (int n = 0; n < 1000; ++n) {
    queues.emplace_back(queuecore::HistoryOptions().window_ns(300s).group(group));
  }

  const queuecore::Key guid{{0x42}};
  for (int n = 0; n < 3; ++n) {  // three queues have a message, the others are idle
    const auto put = queues[n].insert(guid, n, 0s, 0s);
    queues[n].erase(put.entry, 1s);
  }
  std::cout << "after 299 s: " << group.gc_many(299s, 1000).collected << '\n';  // the dispatcher's tick
  auto step = group.gc_many(300s, 2);
  std::cout << "after 300 s: " << step.collected << (step.more ? ", and more\n" : ", and no more\n");
  step = group.gc_many(300s, 1000);
  std::cout << "then: " << step.collected << (step.more ? ", and more\n" : ", and no more\n");
}
