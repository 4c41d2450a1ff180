#include "bench/lab/layouts/instruction_counter.h"

#include <gtest/gtest.h>

namespace hourcell::layouts::instruction_counter_test {
namespace {

// The sum keeps the compiler from dropping the loop.
uint64_t Work(uint64_t steps) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < steps; ++i)
    sum = sum + i;
  return sum;
}

TEST(InstructionCounterTest, TenfoldWorkTakesTenfoldInstructions) {
  constexpr uint64_t kSteps = 100'000;
  const InstructionCounter counter;
  if (!counter.Count().has_value()) GTEST_SKIP() << "the kernel does not count instructions here";

  auto begin = counter.Count();
  Work(kSteps);
  const uint64_t once = counter.Since(begin);
  begin = counter.Count();
  Work(10 * kSteps);
  const uint64_t tenfold = counter.Since(begin);

  EXPECT_GT(once, kSteps);
  EXPECT_NEAR(static_cast<double>(tenfold) / static_cast<double>(once), 10, 0.5);
}

TEST(InstructionCounterTest, AMissingCountGivesZero) {
  EXPECT_EQ(InstructionCounter().Since(std::nullopt), 0u);
}

}  // namespace
}  // namespace hourcell::layouts::instruction_counter_test
