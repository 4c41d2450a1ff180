#include "server/access/series_allowance.h"

#include <cstddef>

#include <fmt/format.h>
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

TEST(ClientAllowancesTest, EachAddressHasAnAllowance) {
  ManualClock clock(0);
  Stats stats;
  ClientAllowances clients(10, &clock, &stats);

  EXPECT_EQ(clients.QuotaOf("10.0.0.1")(12), 10U);
  EXPECT_EQ(clients.QuotaOf("10.0.0.1")(1), 0U);
  EXPECT_EQ(clients.QuotaOf("::ffff:10.0.0.1")(1), 0U) << "the same client";
  EXPECT_EQ(clients.QuotaOf("10.0.0.2")(3), 3U);
  clock.Advance(kHourMs / 2);
  EXPECT_EQ(clients.QuotaOf("10.0.0.1")(12), 5U);

  EXPECT_EQ(stats.counter("rpc.put.new_series", {{"result", "created"}})->value(), 18U);
  EXPECT_EQ(stats.counter("rpc.put.new_series", {{"result", "refused"}})->value(), 11U);
}

TEST(ClientAllowancesTest, AHostSharesTheAllowanceOfItsPrefix) {
  ManualClock clock(0);
  Stats stats;
  ClientAllowances clients(10, &clock, &stats);

  EXPECT_EQ(clients.QuotaOf("2001:db8::1")(10), 10U);
  EXPECT_EQ(clients.QuotaOf("2001:db8::ffff:2")(1), 0U);
  EXPECT_EQ(clients.QuotaOf("2001:db8:0:1::1")(1), 1U);
}

TEST(ClientAllowancesTest, FurtherAddressesShareOneUntilAnAllowanceIsFullAgain) {
  ManualClock clock(0);
  Stats stats;
  ClientAllowances clients(10, &clock, &stats);
  const auto address = [](size_t i) { return fmt::format("10.0.{}.{}", i / 256, i % 256); };
  for (size_t i = 0; i < kAllowancesMax; ++i)
    EXPECT_EQ(clients.QuotaOf(address(i))(10), 10U);

  EXPECT_EQ(clients.QuotaOf(address(kAllowancesMax))(6), 6U);
  EXPECT_EQ(clients.QuotaOf(address(kAllowancesMax + 1))(6), 4U) << "shared";

  clock.Advance(kHourMs);
  EXPECT_EQ(clients.QuotaOf(address(kAllowancesMax + 2))(10), 10U);
  EXPECT_EQ(clients.QuotaOf(address(kAllowancesMax + 3))(10), 10U);
}

}  // namespace
}  // namespace hourcell::series_allowance_test
