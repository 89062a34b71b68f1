#include <iostream>
#include <queuecore.hpp>

int main() {
  queuecore::Tracker orders(queuecore::UsageOptions().limit_bytes(1000).min_delta_percent(10).tag(7));
  orders.set_listener([](const queuecore::UsageEvent& step) {
    std::cout << step.tag << ": " << step.old_percent << " % to " << step.new_percent << " %\n";
  });
  orders.increase(550);  // the listener is called by the thread that crosses, once its call holds nothing any more
  orders.increase(400);
  orders.decrease(900);
}
