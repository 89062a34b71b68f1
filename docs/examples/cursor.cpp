#include <iostream>
#include <map>
#include <queuecore.hpp>
#include <string>
#include <vector>

// The broker's store: it has every message until that is acknowledged.
class Store : public queuecore::CursorStore {
 public:
  std::map<std::uint64_t, std::string> bodies;

  // A page: what is pending behind `after` and up to `up_to`, in order.
  std::size_t fetch(const queuecore::Fetch& page, queuecore::Span<queuecore::Stored> out) override {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    for (auto at = bodies.upper_bound(page.after); at != bodies.end() && at->first <= page.up_to; ++at) {
      const auto size = static_cast<std::uint32_t>(at->second.size());
      if (count == page.max_messages || (count > 0 && bytes + size > page.max_bytes)) { break; }
      bytes += size;
      out[count++] = queuecore::stored_message(at->first, 0, size);
    }
    return count;
  }
};

int main() {
  queuecore::Tracker memory(queuecore::UsageOptions().limit_bytes(1000));
  Store store;
  queuecore::Cursor orders(queuecore::CursorOptions(), memory, store);
  orders.on_ready([] { std::cout << "ready to pull again\n"; });  // a broker wakes its dispatcher here

  int cached = 0;
  for (std::uint64_t sequence = 1; sequence <= 10; ++sequence) {
    store.bodies[sequence] = std::string(100, 'x');  // the store first, then the cursor
    const auto message = queuecore::committed_message(sequence, sequence, 0, 100);
    if (orders.push(message) == queuecore::Pushed::cached) { ++cached; }
  }
  std::cout << cached << " of 10 cached, " << memory.usage() << " bytes\n";

  std::vector<queuecore::Delivered> out(10);
  auto pulled = orders.pull(10, out);
  std::cout << pulled.count << " pulled"
            << (pulled.blocked == queuecore::Blocked::own_mark ? ", then its own mark\n" : "\n");
  for (std::size_t i = 0; i < pulled.count; ++i) {
    store.bodies.erase(out[i].sequence);
    orders.ack(out[i].sequence);
  }

  pulled = orders.pull(10, out);  // one page
  std::cout << pulled.count << " pulled, " << memory.usage() << " bytes\n";
  orders.requeue(out[1].sequence);  // its consumer is gone
  orders.ack(out[0].sequence);
  orders.ack(out[2].sequence);
  orders.pull(10, out);
  std::cout << "message " << out[0].sequence << " again, redelivered " << out[0].redeliveries << " time\n";
  orders.ack(out[0].sequence);
  std::cout << memory.usage() << " bytes, " << orders.stats().pages << " page\n";
}
