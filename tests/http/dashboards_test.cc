// Dashboards that query while points come in: no query fails, no point is missing.
// bench/dashboards.cc measures the same with hundreds of dashboards.

#include <chrono>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/http/dashboard_load.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::dashboards_test {
namespace {

TEST(DashboardsTest, NoQueryFailsAndNoPointIsMissingWhilePointsComeIn) {
  constexpr uint64_t kHosts = 20;
  TempDir directory;
  ServerProcess server(directory.path());
  TelnetSender sender(server.port(), kHosts);
  ASSERT_TRUE(sender.SendNow(360 * kHosts * kDashMetrics));  // an hour

  sender.Start(/*points_per_s=*/20'000);
  const RequestTimes queries = RunDashboards(
      server.port(),
      {.dashboards = 20, .rounds = 2, .panels = 10, .hosts = kHosts, .end_s = sender.end_s()});
  const RequestTimes puts = ProbePuts(server.port(), std::chrono::milliseconds(200));

  ASSERT_TRUE(sender.Stop());
  EXPECT_EQ(queries.ms.size(), 400u);
  EXPECT_EQ(queries.errors, 0u) << queries.first_error;
  EXPECT_EQ(puts.errors, 0u) << puts.first_error;
  EXPECT_GT(sender.sent(), 360 * kHosts * kDashMetrics);
  EXPECT_EQ(CountPoints(server.port(), sender.end_s() + 3600), static_cast<int64_t>(sender.sent()));
}

}  // namespace
}  // namespace hourcell::dashboards_test
