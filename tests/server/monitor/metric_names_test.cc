#include "server/monitor/metric_names.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace hourcell::metric_names_test {
namespace {

TEST(MetricNamesTest, NamesFollowFromTheStatistics) {
  EXPECT_EQ(FamilyName("rpc.received", FindMetricName("rpc.received", StatKind::kCounter)),
            "hourcell_rpc_received");
  EXPECT_EQ(FamilyName("uid.cache-hit", nullptr), "hourcell_uid_cache_hit");
  // Prometheus takes "hours" for a unit.
  EXPECT_EQ(FamilyName("hours.open", FindMetricName("hours.open", StatKind::kGauge)),
            "hourcell_open_rows");
}

TEST(MetricNamesTest, AGaugeAndACounterOfOneNameAreTwoFamilies) {
  const MetricName* const gauge = FindMetricName("connectionmgr.connections", StatKind::kGauge);
  const MetricName* const counter = FindMetricName("connectionmgr.connections", StatKind::kCounter);
  ASSERT_NE(gauge, counter);
  EXPECT_NE(FamilyName("connectionmgr.connections", gauge),
            FamilyName("connectionmgr.connections", counter));
  EXPECT_EQ(FindMetricName("no.such", StatKind::kGauge), nullptr);
}

TEST(MetricNamesTest, EachFamilyIsThereOnceAndHasASentence) {
  std::set<std::string> families;
  for (const MetricName& row : MetricNames()) {
    EXPECT_TRUE(families.insert(FamilyName(row.stat, &row)).second) << row.stat;
    EXPECT_TRUE(row.help.ends_with('.')) << row.stat;
  }
}

}  // namespace
}  // namespace hourcell::metric_names_test
