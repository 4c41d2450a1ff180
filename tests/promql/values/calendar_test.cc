#include "promql/values/calendar.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/promql/values/column_text.h"

namespace hourcell::promql {
namespace {

// Date, time, day of the week, day of the year, days in the month.
std::string CalendarText(double seconds) {
  const CalendarTime time = ToCalendarTime(seconds);
  return fmt::format("{}-{}-{} {}:{} {} {} {}", time.year, time.month, time.day_of_month, time.hour,
                     time.minute, time.day_of_week, time.day_of_year, time.days_in_month);
}

TEST(CalendarTest, KnowsLeapYears) {
  EXPECT_EQ(CalendarText(0), "1970-1-1 0:0 4 1 31");
  EXPECT_EQ(CalendarText(951782400), "2000-2-29 0:0 2 60 29");
  EXPECT_EQ(CalendarText(1709164799), "2024-2-28 23:59 3 59 29");
  EXPECT_EQ(CalendarText(1735603200), "2024-12-31 0:0 2 366 31");
  EXPECT_EQ(CalendarText(4102444800), "2100-1-1 0:0 5 1 31");
  EXPECT_EQ(CalendarText(4107456000), "2100-2-28 0:0 0 59 28");
}

TEST(CalendarTest, TimesBefore1970AreOfTheSameCalendar) {
  EXPECT_EQ(CalendarText(-1), "1969-12-31 23:59 3 365 31");
  EXPECT_EQ(CalendarText(-62135596800), "1-1-1 0:0 1 1 31");
}

TEST(CalendarTest, SecondsAreCutTowardsZero) {
  EXPECT_EQ(CalendarText(59.999), CalendarText(59));
  EXPECT_EQ(CalendarText(-0.5), CalendarText(0));
}

TEST(CalendarTest, EveryValueHasTheTimeThatGoGivesIt) {
  EXPECT_EQ(CalendarText(1e18), "31688740476-10-23 1:46 5 297 31");
  EXPECT_EQ(CalendarText(-1e18), "-31688736537-3-10 22:13 2 69 31");
  EXPECT_EQ(CalendarText(kTestNan), "292277026596-12-4 15:30 0 339 31");
  EXPECT_EQ(CalendarText(kTestInfinity), CalendarText(kTestNan));
  EXPECT_EQ(CalendarText(1e300), CalendarText(kTestNan));
}

}  // namespace
}  // namespace hourcell::promql
