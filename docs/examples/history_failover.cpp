#include <array>
#include <chrono>
#include <iostream>
#include <queuecore.hpp>

int main() {
  using namespace std::chrono_literals;
  const auto settings = queuecore::HistoryOptions().window_ns(300s);
  queuecore::History<int> primary(settings);
  queuecore::History<int> replica(settings);
  const queuecore::Key guids[3] = {{{1}}, {{2}}, {{3}}};
  std::array<std::byte, 4096> buffer;  // or a file, or a socket: a buffer a call

  for (int n = 0; n < 3; ++n) { primary.insert(guids[n], n, n * 1s, n * 1s); }
  primary.erase_key(guids[0], 3s);

  // The replica's clock shows 1000 s where the primary's shows 3 s.
  primary.export_begin();
  queuecore::Span<std::byte> bytes;
  for (bool more = true; more;) {
    const auto written = primary.export_next(buffer);
    bytes = {buffer.data(), written.bytes};
    const queuecore::Span<const std::byte> sent(bytes);
    const auto taken = replica.import(sent, 1000s, 1000s - std::chrono::nanoseconds(queuecore::buffer_info(sent).present_ns));
    std::cout << taken.live << " live and " << taken.historical << " historical arrived\n";
    more = written.more;
  }

  const auto put = replica.insert(guids[0], 0, 1001s, 1001s);
  std::cout << (put.added() ? "new" : "the replica knows the duplicate") << '\n';
  buffer[80] ^= std::byte{1};
  const auto broken = replica.try_import(queuecore::Span<const std::byte>(bytes), 1001s);
  if (broken.status() == QC_ERR_BAD_BUFFER) { std::cout << broken.detail() << '\n'; }
}
