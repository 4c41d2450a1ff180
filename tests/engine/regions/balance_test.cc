#include "engine/regions/balance.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::balance_test {
namespace {

std::vector<uint64_t> After(std::vector<uint64_t> counts, const std::vector<RegionMove>& moves) {
  for (const RegionMove& move : moves) {
    --counts[move.from];
    ++counts[move.to];
  }
  return counts;
}

TEST(BalanceTest, InsideTheBandNothingMoves) {
  const std::vector<uint64_t> counts = {9, 10, 11, 10};

  EXPECT_FALSE(NeedsBalancing(counts, 0.2));
  EXPECT_TRUE(PlanMoves(counts, 0.2).empty());
  EXPECT_TRUE(PlanMoves({}, 0.2).empty());
}

TEST(BalanceTest, MovesFromTheMostToTheLeast) {
  const std::vector<uint64_t> counts = {6, 0, 3};

  const std::vector<RegionMove> moves = PlanMoves(counts, 0.2);

  EXPECT_EQ(moves, (std::vector<RegionMove>{{0, 1}, {0, 1}, {0, 1}}));
}

TEST(BalanceTest, EndsEvenWithAsFewMovesAsCanBe) {
  constexpr uint64_t kSeed = 20240541;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> counts(1 + random.Below(6));
    uint64_t sum = 0;
    for (uint64_t& count : counts)
      sum += count = random.Below(30);
    const std::vector<RegionMove> moves = PlanMoves(counts, 0);
    const std::vector<uint64_t> after = After(counts, moves);
    const auto [least, most] = std::minmax_element(after.begin(), after.end());
    uint64_t above_ceiling = 0;
    uint64_t below_floor = 0;
    const uint64_t floor = sum / counts.size();
    for (const uint64_t count : counts) {
      above_ceiling += count - std::min(count, floor + (sum % counts.size() == 0 ? 0 : 1));
      below_floor += floor - std::min(count, floor);
    }
    if (moves.empty()) continue;
    ASSERT_LE(*most - *least, 1U);
    ASSERT_EQ(moves.size(), std::max(above_ceiling, below_floor));
  }
}

}  // namespace
}  // namespace hourcell::balance_test
