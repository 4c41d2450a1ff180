#include "bench/lab/simulate/row_choice.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/options.h"

namespace hourcell::row_choice_test {
namespace {

// An hour of `points` points of a series of metric 1.
SourcePut Hour(uint64_t points) {
  static const std::string tsuid = *FromHex("000001000001000002");
  return {.parts = {.tsuid = tsuid, .metric_bytes = 3},
          .puts = points,
          .begins_row = true,
          .is_hour = true};
}

// 2013-01-01 02:00.
std::string HourKey() {
  return *FromHex("00000150e24320000001000002");
}
std::string DayKey() {
  return *FromHex("00000100007ab5000001000002");
}

RowChoice ChoiceOf(std::string_view layout,
                   const CellSettings& cells = {},
                   std::string_view distributor = "none") {
  return RowChoice(*KeyMaker::Make(layout, distributor), cells);
}

TEST(RowChoiceTest, HoursOfFewPointsShareTheRowOfTheirDay) {
  const std::string key = HourKey();
  RowChoice choice = ChoiceOf("opentsdb");
  const ChosenRow many = choice.RowOf(key, Hour(250));
  EXPECT_EQ(many.key, key);
  EXPECT_TRUE(many.begins);
  const ChosenRow few = choice.RowOf(key, Hour(249));
  EXPECT_EQ(ToHex(few.key), ToHex(DayKey()));
  EXPECT_TRUE(few.begins);
  EXPECT_FALSE(choice.RowOf(key, Hour(12)).begins);
  EXPECT_EQ(choice.RowOf(key, Hour(250)).key, key);

  const std::string salted_key = "\x05" + key;
  RowChoice salted = ChoiceOf("salted:20");
  EXPECT_EQ(ToHex(salted.RowOf(salted_key, Hour(12)).key), "05" + ToHex(DayKey()));
}

TEST(RowChoiceTest, OtherKeysAndPointsKeepTheirRows) {
  const std::string key = HourKey();
  const CellSettings hbase{.model = CellModel::kHBase};
  RowChoice choices[] = {ChoiceOf("tags-first"), ChoiceOf("stored"), ChoiceOf("opentsdb", hbase),
                         ChoiceOf("opentsdb", {.day_row_points = 0}),
                         ChoiceOf("opentsdb", {}, "xxh3:4")};
  for (RowChoice& choice : choices) {
    EXPECT_EQ(choice.RowOf(key, Hour(12)).key, key);
    EXPECT_TRUE(choice.RowOf(key, Hour(12)).begins);
  }
  RowChoice choice = ChoiceOf("opentsdb");
  SourcePut point = Hour(1);
  point.is_hour = false;
  EXPECT_EQ(choice.RowOf(key, point).key, key);
  SourcePut keyed = Hour(1);
  keyed.key = key;
  EXPECT_EQ(choice.RowOf(key, keyed).key, key);
}

TEST(RowChoiceTest, WithRowsOfDaysTheFirstHourBeginsTheRow) {
  const std::string key = HourKey();
  RowChoice choice = ChoiceOf("metric+day+tags");
  EXPECT_TRUE(choice.RowOf(key, Hour(360)).begins);
  EXPECT_FALSE(choice.RowOf(key, Hour(360)).begins);
  EXPECT_EQ(choice.RowOf(key, Hour(360)).key, key);
}

TEST(RowChoiceTest, TheLimitIsThatOfAStore) {
  EXPECT_EQ(CellSettings().day_row_points, Options().day_row_points);
}

}  // namespace
}  // namespace hourcell::row_choice_test
