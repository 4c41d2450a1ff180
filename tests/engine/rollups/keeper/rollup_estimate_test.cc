#include "engine/rollups/keeper/rollup_estimate.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rollup_estimate_test {
namespace {

constexpr int64_t kStart = 1356998400;  // a midnight

class RollupEstimateTest : public testing::Test {
 protected:
  void SetUp() override { tsdb_ = *Tsdb::Open(TinyOptions(directory_.file("store"))); }

  // A point a minute of a day.
  void PutDay(const std::string& metric, int series) {
    for (int i = 0; i < series; ++i) {
      for (int64_t second = 0; second < 86'400; second += 60) {
        OwnedPoint point(metric, fmt::format("host={}", i), kStart + second, second % 1000);
        ASSERT_OK(tsdb_->points().Put(point.view()));
      }
    }
  }
  std::vector<RollupEstimate> Estimate(std::string_view rules) {
    const auto estimates =
        tsdb_->retention().EstimateRollups(*MetricRules::Parse(rules), kStart + 5000);
    EXPECT_OK(estimates);
    return estimates.value_or(std::vector<RollupEstimate>());
  }

  TempDir directory_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(RollupEstimateTest, EachLevelHasItsPointsAndBytes) {
  PutDay("m", 2);
  const std::vector<RollupEstimate> all =
      Estimate("m raw for 30d, 10m (sum count) for 1y, 1h (max)");
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].metric, "m");
  EXPECT_EQ(all[0].series, 2U);
  EXPECT_EQ(all[0].points, 2U * 1440);
  EXPECT_EQ(all[0].ttl_s, 30 * 86'400);
  EXPECT_EQ(all[1].metric, "_rollup/10m-sum/m");
  EXPECT_EQ(all[1].points, 2U * 144);
  EXPECT_EQ(all[1].ttl_s, 365 * 86'400);
  EXPECT_EQ(all[2].metric, "_rollup/10m-count/m");
  EXPECT_LT(all[2].bytes, all[1].bytes) << "equal counts take few bits";
  EXPECT_EQ(all[3].points, 2U * 24);
  EXPECT_EQ(all[3].ttl_s, 0);
  for (const RollupEstimate& one : all)
    EXPECT_GT(one.bytes, 0U);
}

TEST_F(RollupEstimateTest, OnlyMetricsWithARuleAndPointsAreThere) {
  PutDay("m", 1);
  EXPECT_TRUE(Estimate("n* 1h").empty());
  const auto other_day =
      tsdb_->retention().EstimateRollups(*MetricRules::Parse("* 1h"), kStart + 2 * 86'400);
  ASSERT_OK(other_day);
  EXPECT_TRUE(other_day->empty());
}

TEST_F(RollupEstimateTest, OfManySeriesSomeAreMeasured) {
  for (int i = 0; i < 200; ++i) {
    OwnedPoint point("many", fmt::format("host={}", i), kStart + 60, int64_t{i});
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }
  const std::vector<RollupEstimate> all = Estimate("many 1h (sum)");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].series, 200U);
  EXPECT_EQ(all[0].points, 200U);
  EXPECT_EQ(all[1].points, 200U);
}

}  // namespace
}  // namespace hourcell::rollup_estimate_test
