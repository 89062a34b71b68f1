// Random runs of the library against the naive model. Bounded by default; longer by argument:
//   queuecore_model_test --runs=5000 --steps=4000     more and longer runs
//   queuecore_model_test --seed=17 --runs=1           the run of one seed again

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "driver.hpp"

namespace {

struct Plan {
  std::uint64_t seed = 1;
  std::uint64_t runs = 400;
  std::uint64_t steps = 1500;
};
Plan plan;

TEST(Model, AgreesWithTheLibrary) {
  model::Driver::Seen total{};
  for (std::uint64_t run = 0; run < plan.runs; ++run) {
    model::Driver driver(plan.seed + run);
    try {
      driver.run(plan.steps);
    } catch (const model::Disagreement& disagreement) {
      FAIL() << disagreement.what() << "\nagain: --seed=" << plan.seed + run << " --runs=1 --steps=" << plan.steps;
    }
    const auto& seen = driver.seen();
    total.added += seen.added;
    total.duplicate_live += seen.duplicate_live;
    total.duplicate_history += seen.duplicate_history;
    total.historical += seen.historical;
    total.gone += seen.gone;
    total.refused += seen.refused;
    total.evicted += seen.evicted;
    total.collected += seen.collected;
  }
  std::cout << "added " << total.added << ", duplicates " << total.duplicate_live << " live and "
            << total.duplicate_history << " historical, erased " << total.historical << " and gone " << total.gone
            << ", refused " << total.refused << ", evicted " << total.evicted << ", collected " << total.collected
            << "\n";
  // A test that never meets these proves nothing about them.
  if (plan.runs >= 100) {
    EXPECT_GT(total.added, 1000U);
    EXPECT_GT(total.duplicate_live, 1000U);
    EXPECT_GT(total.duplicate_history, 1000U);
    EXPECT_GT(total.historical, 1000U);
    EXPECT_GT(total.gone, 1000U);
    EXPECT_GT(total.refused, 1000U);
    EXPECT_GT(total.evicted, 100U);
    EXPECT_GT(total.collected, 1000U);
  }
}

bool read(const char* argument, const char* name, std::uint64_t& into) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0 || argument[length] != '=') { return false; }
  char* end = nullptr;
  into = std::strtoull(argument + length + 1, &end, 10);
  return end != argument + length + 1 && *end == '\0';
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (!read(argv[i], "--seed", plan.seed) && !read(argv[i], "--runs", plan.runs) &&
        !read(argv[i], "--steps", plan.steps)) {
      std::cerr << "unknown argument " << argv[i] << "; there are --seed=N, --runs=N and --steps=N\n";
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
