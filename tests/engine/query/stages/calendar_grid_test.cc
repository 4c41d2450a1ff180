#include "engine/query/stages/calendar_grid.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/query/query_time.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::calendar_grid_test {
namespace {

CalendarGrid Grid(std::string_view interval, std::string_view timezone, int64_t anchor_ms) {
  auto spec = ParseDownsampleSpec(std::string(interval) + "c-sum");
  EXPECT_OK(spec);
  const auto zone = ParseTimezone(timezone);
  EXPECT_OK(zone);
  spec->timezone = zone.value_or(absl::UTCTimeZone());
  return CalendarGrid(*spec, anchor_ms);
}

// A local date as milliseconds.
int64_t At(std::string_view text, std::string_view timezone) {
  const auto ms = ParseQueryTime(text, timezone, 0);
  EXPECT_OK(ms) << text;
  return ms.value_or(0);
}

TEST(CalendarGridTest, OpenTsdbVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "calendar-align")) {
    const std::string interval = TextOf(vector.given, "interval");
    const std::string timezone = TextOf(vector.given, "timezone");
    SCOPED_TRACE(interval + " " + timezone);
    const int64_t ms = IntOf(vector.given, "ts_ms");

    EXPECT_EQ(Grid(interval, timezone, ms).Floor(ms), IntOf(vector.expect, "bucket_start_ms"));
    ++run;
  }
  EXPECT_EQ(run, 20);
}

TEST(CalendarGridTest, DaysFollowTheClockOfTheirZone) {
  const std::string_view berlin = "Europe/Berlin";
  const CalendarGrid grid = Grid("1d", berlin, At("2013/03/30", berlin));

  const int64_t change = grid.Next(At("2013/03/30", berlin));

  EXPECT_EQ(change, At("2013/03/31", berlin));
  EXPECT_EQ(grid.Next(change), At("2013/04/01", berlin));
  EXPECT_EQ(grid.Next(change) - change, 23 * 3'600'000);
  EXPECT_EQ(grid.Floor(At("2013/03/31-23:59:59", berlin)), change);
}

// Sao Paulo's summer time began at midnight: that day lacked midnight.
TEST(CalendarGridTest, ADayWithoutMidnightBeginsAtTheChange) {
  const std::string_view zone = "America/Sao_Paulo";
  const CalendarGrid grid = Grid("1d", zone, At("2018/11/03", zone));

  const int64_t day = grid.Next(At("2018/11/03", zone));

  EXPECT_EQ(day, At("2018/11/04-01:00", zone));
  EXPECT_EQ(grid.Floor(day - 1), At("2018/11/03", zone));
  EXPECT_EQ(grid.Floor(day), day);
  EXPECT_EQ(grid.Next(day), At("2018/11/05", zone));
}

// In the Azores the clock goes back from 01:00 to 00:00, so midnight comes twice.
TEST(CalendarGridTest, ADayOfTwoMidnightsBeginsAtTheFirst) {
  const std::string_view zone = "Atlantic/Azores";
  const int64_t before = At("2013/10/26", zone);
  const CalendarGrid grid = Grid("1d", zone, before);

  const int64_t day = grid.Next(before);

  EXPECT_EQ(day - before, 24 * 3'600'000);
  EXPECT_EQ(grid.Next(day) - day, 25 * 3'600'000);
  EXPECT_EQ(grid.Floor(day + 3'600'000), day);
}

TEST(CalendarGridTest, HoursElapse) {
  const std::string_view berlin = "Europe/Berlin";
  const int64_t midnight = At("2013/03/31", berlin);
  const CalendarGrid grid = Grid("4h", berlin, midnight + 1);

  // 2 to 3 o'clock is not there, so the second bucket begins at 5.
  EXPECT_EQ(grid.Floor(midnight + 1), midnight);
  EXPECT_EQ(grid.Next(midnight), At("2013/03/31-05:00", berlin));
}

TEST(CalendarGridTest, MonthsHaveTheirLengths) {
  const CalendarGrid grid = Grid("1n", "", At("2012/01/31", ""));
  std::vector<int64_t> got = {grid.Floor(At("2012/01/31", ""))};
  for (int i = 0; i < 3; ++i)
    got.push_back(grid.Next(got.back()));

  EXPECT_EQ(got, (std::vector<int64_t>{At("2012/01/01", ""), At("2012/02/01", ""),
                                       At("2012/03/01", ""), At("2012/04/01", "")}));
}

TEST(CalendarGridTest, StepsGoOnBeyondTheYearOfTheAnchor) {
  const CalendarGrid months = Grid("5n", "", At("2015/12/15", ""));
  const CalendarGrid weeks = Grid("2w", "", At("2015/12/15", ""));

  EXPECT_EQ(months.Next(At("2015/11/01", "")), At("2016/04/01", ""));
  EXPECT_EQ(weeks.Floor(At("2015/12/15", "")), At("2015/12/13", ""));
  EXPECT_EQ(weeks.Floor(At("2016/01/09", "")), At("2015/12/27", ""));
  // A Sunday belongs to the week that it begins.
  EXPECT_EQ(Grid("2w", "", At("2015/12/13", "")).Floor(At("2015/12/13", "")), At("2015/12/13", ""));
  // Before the anchor too.
  EXPECT_EQ(weeks.Floor(At("2015/12/12", "")), At("2015/11/29", ""));
  EXPECT_EQ(Grid("5y", "", At("2015/12/15", "")).Next(At("2015/01/01", "")), At("2020/01/01", ""));
}

TEST(CalendarGridTest, ExtremesDoNotOverflow) {
  for (const std::string_view interval : {"1ms", "7s", "45m", "5h", "1d", "9d", "1w", "1n", "1y",
                                          "9223372036854775807ms", "106751991167d", "292471208y"}) {
    SCOPED_TRACE(interval);
    const CalendarGrid grid = Grid(interval, "Asia/Kabul", INT64_MAX);
    EXPECT_LE(grid.Floor(0), 0);
    EXPECT_GT(grid.Next(grid.Floor(0)), 0);
    EXPECT_LE(grid.Floor(INT64_MIN), grid.Floor(INT64_MAX));
  }
}

// Whatever the interval and zone, boundaries ascend and each instant is in the bucket it floors to.
TEST(CalendarGridTest, BucketsTileTime) {
  const std::vector<std::string_view> zones = {"",
                                               "Europe/Berlin",
                                               "America/Sao_Paulo",
                                               "Atlantic/Azores",
                                               "Pacific/Apia",
                                               "Australia/Lord_Howe"};
  const std::vector<std::string_view> intervals = {"250ms", "7s", "30m", "4h", "5h", "1d",
                                                   "3d",    "1w", "2w",  "1n", "7n", "1y"};
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::string_view zone = zones[random.Below(zones.size())];
    const std::string_view interval = intervals[random.Below(intervals.size())];
    SCOPED_TRACE(testing::Message() << "seed " << seed << " " << interval << " " << zone);
    const auto anchor_ms = static_cast<int64_t>(random.Below(1'600'000'000'000));
    const auto ms = anchor_ms + static_cast<int64_t>(random.Below(200'000'000'000));
    const CalendarGrid grid = Grid(interval, zone, anchor_ms);

    const int64_t begin_ms = grid.Floor(ms);
    const int64_t end_ms = grid.Next(begin_ms);

    EXPECT_LE(begin_ms, ms);
    EXPECT_GT(end_ms, ms);
    EXPECT_EQ(grid.Floor(begin_ms), begin_ms);
    EXPECT_EQ(grid.Floor(end_ms - 1), begin_ms);
    EXPECT_EQ(grid.Floor(end_ms), end_ms);
  }
}

}  // namespace
}  // namespace hourcell::calendar_grid_test
