// The side in C++ of lib.rs: the same three jobs, on threads of its own, with the inline fast path of the C++ header where
// there is one.

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <queuecore.hpp>
#include <thread>
#include <vector>

namespace {

using queuecore::detail::UsageNode;

int count(qc_usage* meter, const UsageNode& node, std::uint64_t amount, bool up) {
  if (up) { return node.take(amount) ? QC_OK : qc_usage_increase(meter, amount); }
  return node.put_back(amount) ? QC_OK : qc_usage_decrease(meter, amount);
}

void churn(qc_usage* meter, std::uint32_t seed, int rounds, std::uint64_t left, int& status) {
  const UsageNode node(meter);
  std::uint64_t random = seed;
  for (int i = 0; i < rounds && status == QC_OK; i++) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t amount = 1 + (random >> 50);
    status = count(meter, node, amount, true);
    if (status == QC_OK) { status = count(meter, node, amount, false); }
    std::uint8_t admitted = 0;
    if (status == QC_OK && i % 16 == 0) { status = qc_usage_try_reserve(meter, amount, &admitted); }
    if (admitted != 0) { status = qc_usage_decrease(meter, amount); }
  }
  if (status == QC_OK) { status = qc_usage_increase(meter, left); }
}

/// How many stripes a meter has.
int stripes(qc_usage* meter, std::uint64_t& count) {
  struct qc_usage_stats stats {};
  stats.struct_size = sizeof stats;
  const int status = qc_usage_stats(meter, &stats);
  count = stats.stripes;
  return status;
}

/// Counts in turns with another processor, until the meter has more than one stripe.
void take_turns(qc_usage* meter, int processor, std::atomic<int>& turn, std::atomic<int>& status) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  pthread_setaffinity_np(pthread_self(), sizeof only, &only);
  std::uint64_t count = 1;
  while (count == 1 && status == QC_OK) {
    while (turn != processor && status == QC_OK) { std::this_thread::yield(); }
    int outcome = qc_usage_increase(meter, 1);
    if (outcome == QC_OK) { outcome = qc_usage_decrease(meter, 1); }
    if (outcome == QC_OK) { outcome = stripes(meter, count); }
    if (outcome != QC_OK) { status = outcome; }
    turn = 1 - processor;
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

int languages_cpp_churn(qc_usage* meter, int threads, int rounds, std::uint64_t left) {
  std::vector<int> statuses(static_cast<std::size_t>(threads), QC_OK);
  std::vector<std::thread> running;
  std::uint32_t seed = 1;
  for (int& status : statuses) { running.emplace_back(churn, meter, seed++, rounds, left, std::ref(status)); }
  for (std::thread& thread : running) { thread.join(); }
  for (const int status : statuses) {
    if (status != QC_OK) { return status; }
  }
  return QC_OK;
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
  std::thread other(take_turns, meter, 1, std::ref(turn), std::ref(status));
  std::thread(take_turns, meter, 0, std::ref(turn), std::ref(status)).join();
  other.join();
  return status;
}

int languages_cpp_wait(qc_usage* meter, int percent) {
  return on_a_thread([=] { return qc_usage_wait_for_space(meter, -1, percent); });
}
}
