#include <iostream>
#include <queuecore.hpp>
#include <vector>

// A store with the messages 1 to `last`, 1000 bytes each, that are not acknowledged yet.
struct Numbers : queuecore::CursorStore {
  explicit Numbers(std::uint64_t last) : last(last) {}
  std::size_t fetch(const queuecore::Fetch& page, queuecore::Span<queuecore::Stored> out) override {
    std::size_t count = 0;
    for (std::uint64_t i = page.after + 1; i <= last && i <= page.up_to && count < page.max_messages; ++i) {
      if (count > 0 && (count + 1) * 1000 > page.max_bytes) { break; }
      out[count++] = queuecore::stored_message(i, 0, 1000);
    }
    return count;
  }
  std::uint64_t last;
};

int main() {
  queuecore::Tracker broker(queuecore::UsageOptions().limit_bytes(100'000));
  queuecore::CursorGroup group(broker);  // lends up to 10 % of the limit
  const auto policy = queuecore::CursorPolicy().page_messages(5).parent_page_percent(60);
  const auto options = queuecore::CursorOptions().policy(policy);

  // An idle queue caches what it gets, up to 70 % of the common limit, and nobody takes it away.
  queuecore::Tracker idle_usage = broker.child(queuecore::UsageOptions().limit_bytes(100'000));
  Numbers idle_store(100);
  queuecore::Cursor idle(options, idle_usage, idle_store, &group);
  for (std::uint64_t i = 1; i <= 100; ++i) { idle.push(queuecore::committed_message(i, i, 0, 1000)); }
  std::cout << "idle holds " << broker.percent() << " %\n";

  // A busy one, after a restart: all its messages are in the store.
  queuecore::Tracker busy_usage = broker.child(queuecore::UsageOptions().limit_bytes(100'000));
  Numbers busy_store(20);
  queuecore::Cursor busy(options, busy_usage, busy_store, &group);
  busy.open(20, 20'000, 20);
  std::vector<queuecore::Delivered> out(20);
  std::size_t done = 0;
  while (done < 20) {
    const auto pulled = busy.pull(20, out);
    for (std::size_t i = 0; i < pulled.count; ++i, ++done) { busy.ack(out[i].sequence); }
  }
  std::cout << "busy got its " << done << " messages, " << busy.stats().lent_pages << " pages on loan\n";
  std::cout << "on loan now: " << group.stats().lent_bytes << " bytes\n";
}
