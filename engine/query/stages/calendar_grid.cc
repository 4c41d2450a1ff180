#include "engine/query/stages/calendar_grid.h"

#include <algorithm>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;

// Far beyond any point, so that arithmetic on boundaries cannot overflow.
constexpr int64_t kFarMs = int64_t{1} << 52;
constexpr int64_t kStepsMax = 1'000'000;

int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Larger counts of calendar units than any range of time would exceed the range of years.
int64_t BoundedCount(const DownsampleSpec& spec) {
  const bool elapses = spec.unit <= DurationUnit::kHour;
  return elapses ? spec.count : std::min(spec.count, kStepsMax);
}

// The first instant of a local day.
int64_t DayStartMs(absl::CivilDay day, absl::TimeZone timezone) {
  const absl::TimeZone::TimeInfo info = timezone.At(absl::CivilSecond(day));
  const bool is_skipped = info.kind == absl::TimeZone::TimeInfo::SKIPPED;
  return absl::ToUnixMillis(is_skipped ? info.trans : info.pre);
}

// The start of the local hour of `ms`; computed by elapsed time, because an hour may occur twice.
int64_t HourStartMs(int64_t ms, absl::CivilSecond local) {
  const int64_t in_second = ms - FloorDivide(ms, kSecondMs) * kSecondMs;
  return ms - local.minute() * kMinuteMs - local.second() * kSecondMs - in_second;
}

// The base of the steps of a unit of elapsed time.
int64_t ElapsedBaseMs(int64_t count, DurationUnit unit, int64_t ms, absl::TimeZone timezone) {
  const absl::CivilSecond local = absl::ToCivilSecond(absl::FromUnixMillis(ms), timezone);
  const int64_t hour_ms = HourStartMs(ms, local);
  const int64_t minute_ms = hour_ms + local.minute() * kMinuteMs;
  switch (unit) {
    case DurationUnit::kMs:
      return 1000 % count == 0 ? minute_ms + local.second() * kSecondMs : minute_ms;
    case DurationUnit::kSecond:
      return 60 % count == 0 ? minute_ms : hour_ms;
    case DurationUnit::kMinute:
      return 60 % count == 0 ? hour_ms : DayStartMs(absl::CivilDay(local), timezone);
    default:
      break;
  }
  const absl::CivilDay day =
      24 % count == 0 ? absl::CivilDay(local) : absl::CivilDay(absl::CivilMonth(local));
  return DayStartMs(day, timezone);
}

absl::CivilDay BaseDay(int64_t count, DurationUnit unit, absl::CivilDay day) {
  if (unit == DurationUnit::kWeek) {
    return absl::PrevWeekday(day + 1, absl::Weekday::sunday);
  }
  if (unit == DurationUnit::kDay && count == 1) return day;
  return absl::CivilDay(absl::CivilYear(day));
}

}  // namespace

CalendarGrid::CalendarGrid(const DownsampleSpec& spec, int64_t anchor_ms)
    : count_(BoundedCount(spec)), unit_(spec.unit), timezone_(spec.timezone) {
  HOURCELL_CHECK(spec.calendar && spec.count > 0);
  anchor_ms = std::clamp(anchor_ms, -kFarMs, kFarMs);
  if (unit_ <= DurationUnit::kHour) {
    base_ms_ = ElapsedBaseMs(count_, unit_, anchor_ms, timezone_);
    step_ms_ = std::min(spec.interval_ms, kFarMs);
  } else {
    base_day_ =
        BaseDay(count_, unit_, absl::ToCivilDay(absl::FromUnixMillis(anchor_ms), timezone_));
  }
}

int64_t CalendarGrid::Floor(int64_t ms) const {
  ms = std::clamp(ms, -kFarMs, kFarMs);
  if (step_ms_ > 0) return base_ms_ + FloorDivide(ms - base_ms_, step_ms_) * step_ms_;
  return Boundary(IndexOf(ms));
}

int64_t CalendarGrid::Next(int64_t ms) const {
  if (step_ms_ > 0) return ms + step_ms_;
  return Boundary(IndexOf(ms) + 1);
}

int64_t CalendarGrid::Boundary(int64_t index) const {
  const int64_t steps = index * count_;
  switch (unit_) {
    case DurationUnit::kDay:
      return DayStartMs(base_day_ + steps, timezone_);
    case DurationUnit::kWeek:
      return DayStartMs(base_day_ + 7 * steps, timezone_);
    case DurationUnit::kMonth:
      return DayStartMs(absl::CivilDay(absl::CivilMonth(base_day_) + steps), timezone_);
    default:
      return DayStartMs(absl::CivilDay(absl::CivilYear(base_day_) + steps), timezone_);
  }
}

int64_t CalendarGrid::IndexOf(int64_t ms) const {
  const absl::CivilDay day = absl::ToCivilDay(absl::FromUnixMillis(ms), timezone_);
  switch (unit_) {
    case DurationUnit::kDay:
      return FloorDivide(day - base_day_, count_);
    case DurationUnit::kWeek:
      return FloorDivide(day - base_day_, 7 * count_);
    case DurationUnit::kMonth:
      return FloorDivide(absl::CivilMonth(day) - absl::CivilMonth(base_day_), count_);
    default:
      return FloorDivide(absl::CivilYear(day) - absl::CivilYear(base_day_), count_);
  }
}

}  // namespace hourcell
