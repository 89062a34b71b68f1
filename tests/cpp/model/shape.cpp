// See shape.hpp.

#include "shape.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>

namespace model {
namespace {

constexpr std::int64_t time_max = std::int64_t{1} << 62;

std::uint64_t masked_hash(void* mask, const qc_key* key) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, key->bytes, sizeof bits);
  bits = (bits ^ (bits >> 31)) * 0x9e3779b97f4a7c15U;
  return bits & static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(mask));
}

}  // namespace

Shape random_shape(Chance& chance) {
  Shape shape{};
  qc_history_options& options = shape.options;
  (void)qc_history_options_init(&options, sizeof options);
  options.value_size = chance.one_of<std::uint32_t>({0, 1, 8, 16, 24, 200, 1024});
  options.resolution_ns = chance.one_of<std::int64_t>({0, 1, 1000, 7, 333});
  const std::int64_t tick = options.resolution_ns == 0 ? 1000 : options.resolution_ns;
  options.window_ns = chance.one_of<std::int64_t>(
      {0, 1, tick, 10 * tick, 10 * tick + 1, 200 * tick, 200 * tick, 5000 * tick, std::int64_t{10000000000}, time_max});
  options.max_clock_step_ns = chance.one_of<std::int64_t>({0, 0, 1000 * tick, std::int64_t{3600000000000}});
  options.max_entries = chance.one_of<std::uint64_t>({0, 0, 0, 1, 20, 300});
  options.max_history = chance.one_of<std::uint64_t>({0, 0, 0, 1, 5, 100});
  options.overflow = chance.one_of<std::uint32_t>({QC_OVERFLOW_REJECT, QC_OVERFLOW_EVICT_OLDEST});
  options.visibility = chance.one_of<std::uint32_t>({QC_VISIBLE_UNTIL_EXPIRY, QC_VISIBLE_UNTIL_COLLECTED});
  options.gc_policy = chance.one_of<std::uint32_t>({QC_GC_STEADY, QC_GC_ON_DEMAND, QC_GC_SCHEDULED});
  options.gc_step = chance.one_of<std::uint32_t>({0, 1, 3, 50});
  options.seed = chance.bits();
  shape.hash_mask = chance.one_of<std::uint64_t>({0, 0, 0, 0xffffffffffffffffU, 0xffU, 1, 0xffff000000000000U});
  if (shape.hash_mask != 0) {
    options.hash = &masked_hash;
    options.hash_ctx = reinterpret_cast<void*>(static_cast<std::uintptr_t>(shape.hash_mask));
  }
  shape.key_count = chance.one_of<std::uint64_t>({3, 30, 30, 300, 5000});
  if (shape.hash_mask == 1) { shape.key_count = std::min<std::uint64_t>(shape.key_count, 300); }
  shape.start_ns = chance.one_of<std::int64_t>({0, 0, -50 * tick, 12345678901, -time_max, time_max - 3000 * tick});
  shape.jump_percent = chance.one_of<unsigned>({2, 10, 30});
  shape.batch_percent = chance.one_of<unsigned>({0, 10, 60});
  return shape;
}

std::string describe(const Shape& shape) {
  const qc_history_options& o = shape.options;
  std::ostringstream out;
  out << "value_size " << o.value_size << ", window " << o.window_ns << ", resolution " << o.resolution_ns
      << ", max step " << o.max_clock_step_ns << ", max_entries " << o.max_entries << ", max_history " << o.max_history
      << ", overflow " << o.overflow << ", visibility " << o.visibility << ", policy " << o.gc_policy << ", gc_step "
      << o.gc_step << ", keys " << shape.key_count << ", start " << shape.start_ns << ", hash mask " << shape.hash_mask;
  return out.str();
}

qc_key key_of(std::uint64_t n) {
  qc_key key{};
  std::memcpy(key.bytes, &n, sizeof n);
  return key;
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  if (b > 0 && a > high - b) { return high; }
  if (b < 0 && a < low - b) { return low; }
  return a + b;
}

std::int64_t random_now(Chance& chance, const Shape& shape, std::int64_t seen) {
  const qc_history_options& options = shape.options;
  const std::int64_t tick = options.resolution_ns == 0 ? 1000 : options.resolution_ns;
  const auto some = [&](std::int64_t below) {
    return static_cast<std::int64_t>(chance.below(static_cast<std::uint64_t>(std::max<std::int64_t>(below, 1))));
  };
  if (!chance.percent(shape.jump_percent)) {
    return std::min(add(seen, chance.percent(40) ? 0 : some(3 * tick)), time_max);
  }
  switch (chance.below(9)) {
    case 0: return std::min(add(seen, add(options.window_ns, some(4 * tick) - 2 * tick)), time_max);  // to an expiry
    case 1: return std::min(add(seen, some(options.window_ns / 2)), time_max);
    case 2: return std::max(add(seen, -some(5 * tick)), -time_max);  // back a little
    case 3: return std::max(add(seen, -some(options.window_ns)), -time_max);
    case 4: return add(seen, add(options.max_clock_step_ns, some(3) - 1));  // to the edge of what is allowed
    case 5: return add(seen, some(100 * tick));
    case 6: return chance.percent(90) ? seen : chance.one_of<std::int64_t>({-time_max - 1, time_max + 1});
    case 7:
      return chance.percent(90) ? add(seen, -1)
                                : chance.one_of<std::int64_t>({std::numeric_limits<std::int64_t>::min(),
                                                               std::numeric_limits<std::int64_t>::max()});
    default: return chance.percent(97) ? seen : chance.one_of<std::int64_t>({-time_max, time_max});
  }
}

std::int64_t random_at(Chance& chance, const Shape& shape, std::int64_t present) {
  const std::int64_t window = std::max<std::int64_t>(shape.options.window_ns, 1);
  const std::int64_t tick = shape.options.resolution_ns == 0 ? 1000 : shape.options.resolution_ns;
  const auto some = [&](std::int64_t below) {
    return static_cast<std::int64_t>(chance.below(static_cast<std::uint64_t>(below)));
  };
  if (chance.percent(60)) { return present; }
  switch (chance.below(10)) {
    case 0: return std::max(add(present, -some(window)), -time_max);
    case 1: return std::max(add(present, -add(window, some(3 * tick) - tick)), -time_max);  // about to expire
    case 2: return std::max(add(present, -some(window) - 1), -time_max);
    case 3: return std::max(add(present, -(std::int64_t{1} << (chance.below(61)))), -time_max);
    case 4: return chance.percent(80) ? present : add(present, 1);  // later than the present
    case 5: return chance.percent(95) ? present : -time_max - 1;
    case 6: return chance.percent(95) ? present : -time_max;
    default: return std::max(add(present, -some(10 * tick)), -time_max);
  }
}

}  // namespace model
