#include <chrono>
#include <iostream>
#include <queuecore.hpp>
#include <thread>

int main() {
  using namespace std::chrono_literals;
  using queuecore::UsageOptions;
  queuecore::Tracker broker(UsageOptions().limit_bytes(1'000'000));
  queuecore::Tracker orders = broker.child(UsageOptions().share_ppm(700'000));  // 70 % of the broker's limit

  orders.increase(650'000);  // counted here and above, whatever the limit says
  std::cout << "orders: " << orders.percent() << " %, " << (orders.is_full() ? "full" : "not full") << '\n';

  std::cout << (orders.reserve(100'000) ? "admitted" : "no room") << '\n';  // counted only if it fits on every level
  std::thread consumer([&] { orders.decrease(400'000); });
  std::cout << (orders.reserve_wait(100'000, 10s) ? "waited, then admitted" : "gave up") << '\n';
  consumer.join();

  std::cout << "orders still held " << orders.destroy() << " bytes\n";  // takes it off the broker
  std::cout << "broker: " << broker.usage() << " bytes\n";
}
