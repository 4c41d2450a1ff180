#include "server/lab/store_fleet.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bench/lab/simulate/input/fleet.h"
#include "tests/server/api_fixture.h"

namespace hourcell::store_fleet_test {
namespace {

constexpr int64_t kDayS = 86'400;

class StoreFleetTest : public ApiTest {
 protected:
  // The clock's day is the fourth.
  static constexpr int64_t kYesterdayS = kStartS + 2 * kDayS;

  std::string Fleet() {
    const absl::StatusOr<StoreFleet> fleet = FleetOfStore(&tsdb(), clock_.NowMs(), 0);
    EXPECT_OK(fleet);
    if (!fleet.ok()) return "";
    EXPECT_OK(ParseFleet(fleet->fleet));
    return fleet->fleet;
  }
};

TEST_F(StoreFleetTest, AStoreWithoutSeriesHasNone) {
  EXPECT_THAT(FleetOfStore(&tsdb(), clock_.NowMs(), 0),
              StatusIs(absl::StatusCode::kNotFound, testing::HasSubstr("it has no series")));
}

TEST_F(StoreFleetTest, TagsAreThoseWithTheMostValues) {
  for (int i = 0; i < 24; ++i) {
    Put({"net", fmt::format("all=1 dev/no=d{} host=h{}", i % 3, i % 8), kStartS, i});
  }
  EXPECT_EQ(Fleet(), "metrics=1,tags=host:8/dev_no:3,interval=60s,duration=1d");
}

TEST_F(StoreFleetTest, ActiveSeriesCountAndNewHostsAreChurn) {
  for (int host = 0; host < 10; ++host) {
    Put({"cpu", fmt::format("host=h{}", host), kYesterdayS - kDayS, 1});
    Put({"cpu", fmt::format("host=h{}", host + 5), kYesterdayS, 1});
  }
  for (int host = 0; host < 5; ++host)
    Put({"mem", fmt::format("host=h{}", host), kYesterdayS, 1});
  // 10 of the 15 series of cpu are active: about 13 of all 20, 7 for each metric. Of the 10 hosts
  // of yesterday 5 are new.
  EXPECT_EQ(Fleet(), "metrics=2,tags=host:7,interval=60s,duration=1d,churn=0.500");
}

TEST_F(StoreFleetTest, NamesASeriesOfTheLargestMetric) {
  Put({"a", "host=x", kStartS, 1});
  Put({"b", "host=x", kStartS, 1});
  Put({"b", "host=y", kStartS, 1});
  const absl::StatusOr<StoreFleet> fleet = FleetOfStore(&tsdb(), clock_.NowMs(), 0);
  ASSERT_OK(fleet);
  EXPECT_EQ(fleet->metric, "b");
  EXPECT_EQ(fleet->metric_bytes, 3u);
  EXPECT_EQ(fleet->tsuid, std::string("\0\0\2\0\0\1\0\0\1", 9));
}

}  // namespace
}  // namespace hourcell::store_fleet_test
