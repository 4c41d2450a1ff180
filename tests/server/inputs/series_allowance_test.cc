#include "server/inputs/series_allowance.h"

#include <gtest/gtest.h>

namespace hourcell::series_allowance_test {
namespace {

constexpr int64_t kHourMs = 3'600'000;

TEST(SeriesAllowanceTest, AnHoursWorthIsThereAtOnceAndComesBackEvenly) {
  ManualClock clock(0);
  Stats stats;
  const SeriesAllowance allowance(1'000, &clock, &stats);
  const NewSeriesQuota& quota = *allowance.quota();

  EXPECT_EQ(quota(600), 600U);
  EXPECT_EQ(quota(600), 400U);
  EXPECT_EQ(quota(1), 0U);
  clock.Advance(kHourMs / 10);
  EXPECT_EQ(quota(600), 100U);
  clock.Advance(10 * kHourMs);
  EXPECT_EQ(quota(5'000), 1'000U) << "no more than an hour's worth is kept";

  EXPECT_EQ(stats.counter("rpc.inputs.new_series", {{"result", "created"}})->value(), 2'100U);
  EXPECT_EQ(stats.counter("rpc.inputs.new_series", {{"result", "refused"}})->value(), 4'701U);
}

TEST(SeriesAllowanceTest, ZeroIsNoLimit) {
  ManualClock clock(0);
  Stats stats;
  EXPECT_EQ(SeriesAllowance(0, &clock, &stats).quota(), nullptr);
}

}  // namespace
}  // namespace hourcell::series_allowance_test
