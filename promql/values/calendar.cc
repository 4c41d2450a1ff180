#include "promql/values/calendar.h"

#include <algorithm>
#include <array>
#include <limits>

namespace hourcell::promql {
namespace {

constexpr uint64_t kDaySeconds = 86400;
constexpr uint64_t kDays400Years = 146097;
constexpr uint64_t kDays100Years = 36524;
constexpr uint64_t kDays4Years = 1461;

// Go counts from a year that is 1 modulo 400, so that all its times are positive.
constexpr int64_t kFirstYear = -292277022399;
constexpr uint64_t kSecondsFromFirstYearTo1970 = 9223372028715321600U;

int64_t WholeSeconds(double seconds) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (seconds >= -kLimit && seconds < kLimit) return static_cast<int64_t>(seconds);
  return std::numeric_limits<int64_t>::min();
}

// Divides `*days` by the days of a cycle; the remainder stays in `*days`.
uint64_t TakeCycles(uint64_t* days, uint64_t cycle, uint64_t max) {
  const uint64_t cycles = std::min(*days / cycle, max);
  *days -= cycles * cycle;
  return cycles;
}

void SetMonthAndDay(int day, bool is_leap_year, CalendarTime* time) {
  const std::array days_of_months{31, is_leap_year ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
                                  31};
  size_t month = 0;
  while (day >= days_of_months[month])
    day -= days_of_months[month++];
  time->month = static_cast<int>(month) + 1;
  time->day_of_month = day + 1;
  time->days_in_month = days_of_months[month];
}

}  // namespace

CalendarTime ToCalendarTime(double seconds) {
  const uint64_t since_first =
      static_cast<uint64_t>(WholeSeconds(seconds)) + kSecondsFromFirstYearTo1970;
  uint64_t days = since_first / kDaySeconds;
  CalendarTime time;
  time.hour = static_cast<int>(since_first % kDaySeconds / 3600);
  time.minute = static_cast<int>(since_first % 3600 / 60);
  time.day_of_week = static_cast<int>((days + 1) % 7);  // the first day was a Monday
  // The last year of 400 and of 4 is a leap year. So the last part of a cycle is a day longer.
  uint64_t years = 400 * TakeCycles(&days, kDays400Years, std::numeric_limits<uint64_t>::max());
  years += 100 * TakeCycles(&days, kDays100Years, 3);
  years += 4 * TakeCycles(&days, kDays4Years, 24);
  years += TakeCycles(&days, 365, 3);
  time.year = kFirstYear + static_cast<int64_t>(years);
  const bool is_leap_year = time.year % 4 == 0 && (time.year % 100 != 0 || time.year % 400 == 0);
  time.day_of_year = static_cast<int>(days) + 1;
  SetMonthAndDay(static_cast<int>(days), is_leap_year, &time);
  return time;
}

}  // namespace hourcell::promql
