// The side in C++ of lib.rs: the same three jobs, on threads of its own, with the inline fast path of the C++ header where
// there is one.

#include <pthread.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <queuecore.hpp>
#include <thread>

namespace {

using queuecore::detail::UsageNode;

int count(qc_usage* meter, const UsageNode& node, std::uint64_t amount, bool up) {
  if (up) { return node.take(amount) ? QC_OK : qc_usage_increase(meter, amount); }
  return node.put_back(amount) ? QC_OK : qc_usage_decrease(meter, amount);
}

/// One operation at random; `left` is what all have left behind so far.
int mix_one(qc_usage* meter, const UsageNode& node, std::uint64_t random, std::uint64_t& left) {
  constexpr std::uint64_t most_left = 1 << 20;
  const std::uint64_t amount = 1 + (random >> 50);
  const unsigned kind = (random >> 32) & 15;
  const bool is_rare = ((random >> 36) & 255) == 0;
  if (kind == 0) {
    std::uint8_t admitted = 0;
    const int status = qc_usage_try_reserve(meter, amount, &admitted);
    left += admitted != 0 ? amount : 0;
    return status;
  }
  if (kind == 1 && is_rare) {
    const int status = qc_usage_reserve_wait(meter, amount, 0);
    left += status == QC_OK ? amount : 0;
    return status == QC_ERR_TIMED_OUT ? QC_OK : status;
  }
  if (kind == 1) {
    std::int32_t percent = 0;
    return qc_usage_percent(meter, &percent);
  }
  if (kind == 2 && is_rare) {  // more than any stripe holds
    const int status = count(meter, node, amount << 24, true);
    return status == QC_OK ? count(meter, node, amount << 24, false) : status;
  }
  const bool is_less = left >= amount && (kind % 2 == 0 || left > most_left);
  const int status = count(meter, node, amount, !is_less);
  if (status == QC_OK) { left += is_less ? -amount : amount; }
  return status;
}

/// How many stripes a meter has.
int stripes(qc_usage* meter, std::uint64_t& count) {
  struct qc_usage_stats stats {};
  stats.struct_size = sizeof stats;
  const int status = qc_usage_stats(meter, &stats);
  count = stats.stripes;
  return status;
}

/// The first two processors that this process may use.
std::array<int, 2> two_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::array<int, 2> found{0, 0};
  std::size_t count = 0;
  for (int processor = 0; processor < CPU_SETSIZE && count < found.size(); processor++) {
    if (CPU_ISSET(processor, &allowed)) { found.at(count++) = processor; }
  }
  return found;
}

/// Counts in turns with another processor, until the meter has more than one stripe.
void take_turns(qc_usage* meter, int me, int processor, std::atomic<int>& turn, std::atomic<int>& status) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  pthread_setaffinity_np(pthread_self(), sizeof only, &only);
  std::uint64_t count = 1;
  while (count == 1 && status == QC_OK) {
    while (turn != me && status == QC_OK) { std::this_thread::yield(); }
    int outcome = qc_usage_increase(meter, 1);
    if (outcome == QC_OK) { outcome = qc_usage_decrease(meter, 1); }
    if (outcome == QC_OK) { outcome = stripes(meter, count); }
    if (outcome != QC_OK) { status = outcome; }
    turn = 1 - me;
  }
}

template <class Job>
int on_a_thread(Job job) {
  int status = QC_OK;
  std::thread([&] { status = job(); }).join();
  return status;
}

}  // namespace

extern "C" {

int languages_cpp_mix(qc_usage* meter, std::uint64_t seed, std::int64_t operations, std::uint64_t* left) {
  const UsageNode node(meter);
  std::uint64_t random = seed;
  int status = QC_OK;
  for (std::int64_t i = 0; i < operations && status == QC_OK; i++) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    status = mix_one(meter, node, random, *left);
  }
  return status;
}

int languages_cpp_add(qc_usage* meter, std::int64_t change) {
  return on_a_thread([=] {
    return change < 0 ? qc_usage_decrease(meter, static_cast<std::uint64_t>(-change))
                      : qc_usage_increase(meter, static_cast<std::uint64_t>(change));
  });
}

int languages_cpp_grow(qc_usage* meter) {
  std::atomic<int> turn{0};
  std::atomic<int> status{QC_OK};
  const std::array<int, 2> processors = two_processors();
  std::thread other(take_turns, meter, 1, processors[1], std::ref(turn), std::ref(status));
  std::thread(take_turns, meter, 0, processors[0], std::ref(turn), std::ref(status)).join();
  other.join();
  return status;
}

int languages_cpp_wait(qc_usage* meter, int percent) {
  return on_a_thread([=] { return qc_usage_wait_for_space(meter, -1, percent); });
}
}
