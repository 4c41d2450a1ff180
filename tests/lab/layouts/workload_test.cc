#include "bench/lab/layouts/workload.h"

#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::layouts::workload_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

constexpr uint64_t kSeed = 7;

TEST(WorkloadTest, HasAboutAsManyPointsAsAskedForAndSaysHowManyExactly) {
  for (const WorkloadKind kind : kWorkloadKinds) {
    SCOPED_TRACE(std::string(WorkloadName(kind)));
    const Workload workload(kind, 100'000, kSeed);
    uint64_t points = 0;
    std::set<std::pair<uint32_t, uint32_t>> rows;
    for (size_t group = 0; group < workload.groups(); ++group) {
      for (const RowRef& row : workload.Group(group)) {
        points += workload.PointsOf(row, false).size();
        EXPECT_TRUE(rows.emplace(row.series, row.hour).second);
      }
    }

    EXPECT_EQ(points, workload.points());
    EXPECT_EQ(rows.size(), workload.series().size() * workload.hours());
    EXPECT_NEAR(static_cast<double>(points), 100'000, 30'000);
  }
}

TEST(WorkloadTest, PointsAreInTheirHourInOrderAndTheSameEachTime) {
  const Workload workload(WorkloadKind::kFleet, 20'000, kSeed);
  const CellColumns columns = workload.PointsOf({3, 1}, true);

  for (size_t i = 1; i < columns.size(); ++i)
    EXPECT_LT(columns.offset_ms[i - 1], columns.offset_ms[i]);
  EXPECT_LT(columns.offset_ms.back(), 3'600'000u);
  EXPECT_EQ(columns, Workload(WorkloadKind::kFleet, 20'000, kSeed).PointsOf({3, 1}, true));
  EXPECT_FALSE(columns == Workload(WorkloadKind::kFleet, 20'000, kSeed + 1).PointsOf({3, 1}, true));
}

TEST(WorkloadTest, QualifierWidthChangesNoInstantAndNoValue) {
  const Workload workload(WorkloadKind::kHotSeries, 20'000, kSeed);
  const CellColumns seconds = workload.PointsOf({3, 0}, false);
  const CellColumns ms = workload.PointsOf({3, 0}, true);

  EXPECT_EQ(seconds.offset_ms, ms.offset_ms);
  EXPECT_EQ(seconds.bits, ms.bits);
  EXPECT_FALSE(seconds.qualifier(0).is_ms);
  EXPECT_TRUE(ms.qualifier(0).is_ms);
}

TEST(WorkloadTest, AFleetComesHourByHourABackfillSeriesBySeries) {
  const Workload fleet(WorkloadKind::kFleet, 50'000, kSeed);
  const Workload backfill(WorkloadKind::kBackfill, 50'000, kSeed);

  EXPECT_EQ(fleet.groups(), fleet.hours());
  EXPECT_EQ(fleet.Group(1).size(), fleet.series().size());
  EXPECT_EQ(fleet.Group(1)[5].hour, 1u);
  EXPECT_EQ(backfill.Group(1)[0].series, 0u);
  EXPECT_EQ(backfill.Group(1)[0].hour, 1u);
  EXPECT_EQ(backfill.Group(backfill.hours())[0].series, 1u);
}

TEST(WorkloadTest, FewHotSeriesHaveMostPoints) {
  const Workload workload(WorkloadKind::kHotSeries, 200'000, kSeed);
  uint64_t hot_series = 0;
  uint64_t hot_points = 0;
  for (uint32_t i = 0; i < workload.series().size(); ++i) {
    const size_t points = workload.PointsOf({i, 0}, false).size();
    if (points < 3'600) continue;
    ++hot_series;
    hot_points += points * workload.hours();
  }

  EXPECT_EQ(hot_series * 10, workload.series().size());
  EXPECT_GT(hot_points * 10, workload.points() * 8);
}

TEST(WorkloadTest, TagsAreWideOrNot) {
  EXPECT_EQ(Workload(WorkloadKind::kFleet, 1, kSeed).series()[0].tags.size(), 2 * kTagPairBytes);
  EXPECT_EQ(Workload(WorkloadKind::kWideTags, 1, kSeed).series()[0].tags.size(), 8 * kTagPairBytes);
  EXPECT_EQ(Workload(WorkloadKind::kSingleSeries, 100'000, kSeed).series().size(), 1u);
}

TEST(WorkloadTest, NamesAreFoundAgain) {
  for (const WorkloadKind kind : kWorkloadKinds)
    EXPECT_THAT(FindWorkload(WorkloadName(kind)), IsOkAndHolds(kind));
  EXPECT_THAT(FindWorkload("fleets").status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("fleet, hot, single")));
}

// `count` series with a point every `interval_s`.
GivenFleet Given(size_t count, uint32_t interval_s) {
  GivenFleet fleet;
  for (size_t i = 0; i < count; ++i) {
    fleet.series.push_back({.metric = std::string("\0\0\1", 3),
                            .tags = std::string("\0\0\1\0", 4) + static_cast<char>(i / 256) +
                                    static_cast<char>(i % 256),
                            .interval_s = interval_s});
  }
  return fleet;
}

TEST(WorkloadTest, GivenSeriesLastAsLongAsThePointsDo) {
  const Workload few(Given(10, 60), 60'000, 1);
  EXPECT_EQ(few.hours(), 24u);  // at most a day
  EXPECT_EQ(few.points(), 10u * 24 * 60);
  const Workload some(Given(100, 60), 60'000, 1);
  EXPECT_EQ(some.hours(), 10u);
  EXPECT_EQ(some.points(), 60'000u);
  EXPECT_EQ(some.rows_at_once(), 100u);
  std::set<std::string> tags;
  bool is_in_order = true;
  for (size_t i = 0; i < 100; ++i) {
    tags.insert(some.series()[i].tags);
    is_in_order = is_in_order && some.series()[i].tags == Given(100, 60).series[i].tags;
  }
  EXPECT_EQ(tags.size(), 100u);
  EXPECT_FALSE(is_in_order);
  EXPECT_EQ(some.PointsOf({.series = 7, .hour = 3}, false).size(), 60u);
}

TEST(WorkloadTest, OfManyGivenSeriesARandomPartHasTwoHours) {
  const Workload part(Given(5'000, 60), 60'000, 1);
  EXPECT_EQ(part.hours(), 2u);
  EXPECT_EQ(part.series().size(), 500u);
  EXPECT_EQ(part.points(), 60'000u);
  EXPECT_NE(part.series()[0].tags, Given(1, 60).series[0].tags);
  const Workload again(Given(5'000, 60), 60'000, 1);
  EXPECT_EQ(part.series()[9].tags, again.series()[9].tags);
}

TEST(WorkloadTest, APartOfTheGivenSeriesHasAWholeDay) {
  const Workload part(Given(5'000, 60), 60'000, 1, WorkloadKind::kGivenDay);
  EXPECT_EQ(part.hours(), 24u);
  EXPECT_EQ(part.series().size(), 42u);
  EXPECT_EQ(part.points(), 42u * 24 * 60);
  EXPECT_EQ(part.series()[9].tags, Workload(Given(5'000, 60), 60'000, 1).series()[9].tags);
}

TEST(WorkloadTest, RareGivenSeriesHaveAPointAnHour) {
  const Workload rare(Given(3, 3'600), 1'000, 1);
  EXPECT_EQ(rare.points(), 72u);
  EXPECT_EQ(rare.PointsOf({.series = 2, .hour = 23}, false).size(), 1u);
}

}  // namespace
}  // namespace hourcell::layouts::workload_test
