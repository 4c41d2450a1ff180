#include "engine/read/read_cost.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell::read_cost_test {
namespace {

std::vector<uint32_t> Every(uint32_t nth, uint32_t all) {
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < all; i += nth)
    positions.push_back(i);
  return positions;
}

ReadMethod MethodOf(const std::vector<uint32_t>& series, uint64_t all, uint64_t hours) {
  return EstimateRead({.series = series, .metric_series = all, .knows_all = true, .hours = hours})
      .method;
}

TEST(ReadCostTest, OneOfManyIsReadByItsKey) {
  EXPECT_EQ(MethodOf({500'000}, 1'000'000, 1), ReadMethod::kPointReads);
  EXPECT_EQ(MethodOf({3, 500'000}, 1'000'000, 24), ReadMethod::kPointReads);
}

TEST(ReadCostTest, AllAreReadInOneGo) {
  EXPECT_EQ(MethodOf(Every(1, 1000), 1000, 12), ReadMethod::kLinearScan);
  EXPECT_EQ(MethodOf(Every(2, 1000), 1000, 12), ReadMethod::kLinearScan);
}

TEST(ReadCostTest, RunsFarApartAreLeaptBetween) {
  std::vector<uint32_t> runs(500);
  std::iota(runs.begin(), runs.end(), 0);
  runs.resize(1000);
  std::iota(runs.begin() + 500, runs.end(), 100'000);

  EXPECT_EQ(MethodOf(runs, 200'000, 12), ReadMethod::kSkipScan);
}

TEST(ReadCostTest, NeighboursAreARunWhereverTheyAre) {
  std::vector<uint32_t> run(1000);
  std::iota(run.begin(), run.end(), 400'000);

  EXPECT_EQ(MethodOf(run, 1'000'000, 12), ReadMethod::kLinearScan);
}

TEST(ReadCostTest, WithoutPositionsTheyAreTakenToBeSpread) {
  const std::vector<uint32_t> selected = Every(1, 1000);
  const auto method_of = [&](uint64_t all) {
    return EstimateRead({.series = selected, .metric_series = all, .knows_all = false, .hours = 1})
        .method;
  };

  EXPECT_EQ(method_of(1'000'000), ReadMethod::kPointReads);
  EXPECT_EQ(method_of(2'000), ReadMethod::kLinearScan);
}

TEST(ReadCostTest, ExpectsARowForEachHour) {
  const std::vector<uint32_t> selected = {1, 2, 3};

  EXPECT_EQ(EstimateRead({.series = selected, .metric_series = 10, .hours = 5}).rows, 15u);
  EXPECT_EQ(EstimateRead({.series = {}, .metric_series = 10, .hours = 5}).rows, 0u);
}

}  // namespace
}  // namespace hourcell::read_cost_test
