// The fields of a time in the proleptic Gregorian calendar, UTC, as Go calculates them for every
// value of PromQL.

#pragma once

#include <cstdint>

namespace hourcell::promql {

struct CalendarTime {
  int64_t year = 0;
  int month = 0;          // 1 to 12
  int day_of_month = 0;   // 1 to 31
  int day_of_week = 0;    // 0: Sunday
  int day_of_year = 0;    // 1 to 366
  int days_in_month = 0;  // 28 to 31
  int hour = 0;
  int minute = 0;
};

// `seconds` since 1970, cut to whole ones. NaN and numbers outside int64_t count as its least
// value. Times outside Go's years (-292277022399 and later) wrap around.
CalendarTime ToCalendarTime(double seconds);

}  // namespace hourcell::promql
