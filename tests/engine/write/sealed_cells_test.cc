#include "engine/write/sealed_cells.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cells/day_cell.h"
#include "codec/rows/row_span.h"
#include "engine/days/hour_place.h"
#include "tests/support/status_matchers.h"

namespace hourcell::sealed_cells_test {
namespace {

using testing::ElementsAre;

constexpr uint32_t kDay = 1'356'998'400;
constexpr uint32_t kPointsMax = 20;

class SealedCellsTest : public testing::Test {
 protected:
  // Adds an hour of `count` integers, `step_s` apart, from `value` on.
  void Add(
      SeriesNumber series, uint32_t hour, uint32_t count, int64_t value, uint32_t step_s = 60) {
    OpenHourPoints& points = points_.emplace_back();
    for (uint32_t i = 0; i < count; ++i)
      points.Append(i * step_s * 1000, false, Value::Integer(value + i));
    const uint32_t base_time_s = kDay + hour * kHourSpan.seconds;
    const FrozenHour frozen{.info = {.series = series, .base_time_s = base_time_s},
                            .points = &points};
    std::string key = bucket_;
    AppendBigEndian(base_time_s, kTimeFieldBytes, &key);
    cells_.Add(places_++, frozen, key + fmt::format("{}", series));
  }

  // "key: places: hours or points of the cell".
  std::vector<std::string> Merges() {
    std::vector<std::string> lines;
    for (size_t i = 0; i < cells_.merges().size(); ++i) {
      const Mutation& merge = cells_.merges()[i];
      EXPECT_EQ(merge.kind, Mutation::Kind::kMerge);
      CellColumns columns;
      EXPECT_OK(DecodeCell(merge.value, &columns));
      lines.push_back(fmt::format("{}: {}: {} of {}", merge.key.substr(1 + kTimeFieldBytes),
                                  fmt::join(cells_.PlacesOf(i), ","),
                                  IsDayCell(merge.value) ? "day" : "hour", columns.size()));
    }
    return lines;
  }

  std::deque<OpenHourPoints> points_;  // stay in place
  size_t places_ = 0;
  std::string bucket_ = "a";  // of the salt, before the base time
  SealedCells cells_{{.day_points_max = kPointsMax, .base_time_at = 1, .keeps_hour_cells = true}};
};

TEST_F(SealedCellsTest, HoursOfFewPointsOfADayAreOneMerge) {
  for (uint32_t hour = 20; hour < 27; ++hour)
    Add(1, hour, 2, hour);
  Add(2, 20, 3, 5, 1200);
  cells_.Finish();
  EXPECT_THAT(Merges(),
              ElementsAre("1: 0,1,2,3: day of 8", "2: 7: day of 3", "1: 4,5,6: day of 6"));
  EXPECT_EQ(cells_.hour_cells().size(), 8u);
}

// The buckets of the salt may change in a day.
TEST_F(SealedCellsTest, HoursOfAnotherBucketAreAnotherMerge) {
  Add(1, 0, 2, 1);
  Add(1, 1, 2, 1);
  bucket_ = "b";
  Add(1, 2, 2, 1);
  Add(1, 3, 2, 1);
  cells_.Finish();
  EXPECT_THAT(Merges(), ElementsAre("1: 0,1: day of 4", "1: 2,3: day of 4"));
}

// The bytes are those of the hours' merge: rows do not depend on how hours were sealed.
TEST_F(SealedCellsTest, ADayHasTheBytesOfItsHoursMerged) {
  for (uint32_t hour = 3; hour < 24; hour += 2)
    Add(1, hour, 12, hour, 300);
  cells_.Finish();
  ASSERT_EQ(cells_.merges().size(), 1u);
  std::vector<std::string> days;
  for (const SealedCells::HourCell& hour : cells_.hour_cells())
    AppendDayCellOfHour(static_cast<uint32_t>(3 + 2 * hour.place), hour.cell, &days.emplace_back());
  std::string merged;
  const std::vector<std::string_view> operands(days.begin(), days.end());
  MergeCells({}, operands, &merged);
  EXPECT_EQ(cells_.merges()[0].value, merged);
}

TEST_F(SealedCellsTest, HoursOfManyPointsHaveTheirOwnMerges) {
  Add(1, 0, 2, 1);
  Add(1, 1, kPointsMax, 1);
  Add(1, 2, 10, 1, 10);  // a part of an hour of 360 points
  Add(1, 3, 2, 1);
  cells_.Finish();
  EXPECT_THAT(Merges(), ElementsAre("1: 0,3: day of 4", "1: 1: hour of 20", "1: 2: hour of 10"));
}

// An hour that was opened again while it was sealed: the later point of an instant wins.
TEST_F(SealedCellsTest, HoursOfOneBaseTimeShareACell) {
  Add(1, 5, 2, 100);
  Add(1, 5, 1, 200);
  Add(1, 6, kPointsMax, 300);
  Add(1, 6, kPointsMax, 400);
  cells_.Finish();
  EXPECT_THAT(Merges(), ElementsAre("1: 0,1: day of 2", "1: 2,3: hour of 20"));
  CellColumns columns;
  ASSERT_OK(DecodeHourOfDay(cells_.merges()[0].value, 5, &columns));
  EXPECT_EQ(columns.value(0), Value::Integer(200));
  EXPECT_EQ(columns.value(1), Value::Integer(101));
  ASSERT_EQ(cells_.hour_cells().size(), 2u);
  EXPECT_EQ(cells_.hour_cells()[1].place, 2u);
}

TEST(SealedCellsOfFormat1Test, CellsWithOpenTsdbsBytesAreOfHours) {
  OpenHourPoints points;
  points.Append(0, false, Value::Integer(1));
  SealedCells cells({.encoding = CellEncoding::kOpenTsdb, .day_points_max = kPointsMax});
  for (uint32_t hour = 0; hour < 2; ++hour) {
    const uint32_t base_time_s = kDay + hour * kHourSpan.seconds;
    std::string key;
    AppendBigEndian(base_time_s, kTimeFieldBytes, &key);
    cells.Add(hour, {.info = {.series = 1, .base_time_s = base_time_s}, .points = &points}, key);
  }
  cells.Finish();
  ASSERT_EQ(cells.merges().size(), 2u);
  EXPECT_FALSE(IsDayCell(cells.merges()[0].value));
  EXPECT_TRUE(cells.hour_cells().empty());
}

}  // namespace
}  // namespace hourcell::sealed_cells_test
