#include "engine/regions/split/memory_budget.h"

#include <gtest/gtest.h>

namespace hourcell::memory_budget_test {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST(MemoryBudgetTest, FamiliesShareIt) {
  const MemoryBudget budget{.memory_bytes = 16'384 * kMiB, .families = 2};

  EXPECT_DOUBLE_EQ(RegionsInMemory(budget), 25.6);
}

TEST(MemoryBudgetTest, WarnsFromTheFirstRegionWithoutRoom) {
  const MemoryBudget budget{.memory_bytes = 64 * kMiB, .share = 1, .flush_bytes = 16 * kMiB};

  EXPECT_EQ(RegionCountWarning(4, budget), "");
  EXPECT_EQ(
      RegionCountWarning(8, budget),
      "8 regions, memory for 4: memtables are flushed at about 8388608 bytes and not at 16777216; "
      "expected 134217728 bytes for memtables, fewer regions, or a flush size of 8388608");
}

}  // namespace
}  // namespace hourcell::memory_budget_test
