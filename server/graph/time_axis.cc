#include "server/graph/time_axis.h"

#include <algorithm>
#include <iterator>

#include <absl/time/civil_time.h>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr int64_t kSecondMs = 1'000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;
constexpr int64_t kMonthMs = 30 * kDayMs;
constexpr int64_t kYearMs = 365 * kDayMs;

enum class StepUnit : uint8_t { kMs, kSecond, kDay, kMonth, kYear };

struct TimeStep {
  StepUnit unit;
  int64_t count;  // of the unit
  int64_t ms;     // about
};

// The shortest step that fits at most `ticks_max` times into the range.
TimeStep StepFor(int64_t span_ms, size_t ticks_max) {
  constexpr auto kMs = StepUnit::kMs;
  constexpr auto kSecond = StepUnit::kSecond;
  constexpr TimeStep kSteps[] = {
      {kMs, 1, 1},
      {kMs, 10, 10},
      {kMs, 100, 100},
      {kMs, 500, 500},
      {kSecond, 1, kSecondMs},
      {kSecond, 2, 2 * kSecondMs},
      {kSecond, 5, 5 * kSecondMs},
      {kSecond, 15, 15 * kSecondMs},
      {kSecond, 30, 30 * kSecondMs},
      {kSecond, 60, kMinuteMs},
      {kSecond, 120, 2 * kMinuteMs},
      {kSecond, 300, 5 * kMinuteMs},
      {kSecond, 600, 10 * kMinuteMs},
      {kSecond, 1'800, 30 * kMinuteMs},
      {kSecond, 3'600, kHourMs},
      {kSecond, 7'200, 2 * kHourMs},
      {kSecond, 10'800, 3 * kHourMs},
      {kSecond, 21'600, 6 * kHourMs},
      {kSecond, 43'200, 12 * kHourMs},
      {StepUnit::kDay, 1, kDayMs},
      {StepUnit::kDay, 2, 2 * kDayMs},
      {StepUnit::kDay, 7, 7 * kDayMs},
      {StepUnit::kDay, 14, 14 * kDayMs},
      {StepUnit::kMonth, 1, kMonthMs},
      {StepUnit::kMonth, 3, 3 * kMonthMs},
      {StepUnit::kMonth, 6, 6 * kMonthMs},
  };
  const auto ticks = static_cast<int64_t>(ticks_max);
  for (const TimeStep& step : kSteps) {
    if (span_ms / step.ms < ticks) return step;
  }
  for (int64_t years = 1;; years *= 10) {
    for (const int64_t factor : {1, 2, 5}) {
      const int64_t count = years * factor;
      if (span_ms / (count * kYearMs) < ticks) return {StepUnit::kYear, count, count * kYearMs};
    }
  }
}

int64_t FloorTo(int64_t value, int64_t count) {
  const int64_t rest = value % count;
  return value - (rest < 0 ? rest + count : rest);
}

// Round times by the zone's clock, from one at or before the start.
class RoundTimes {
 public:
  RoundTimes(const TimeStep& step, int64_t start_ms, const absl::TimeZone& zone)
      : step_(step), zone_(zone), ms_(FloorTo(start_ms, step.count)) {
    const absl::CivilSecond civil = absl::ToCivilSecond(absl::FromUnixMillis(start_ms), zone);
    const absl::CivilDay day(civil);
    second_ = absl::CivilSecond(day) + FloorTo(civil - absl::CivilSecond(day), step.count);
    constexpr int kThursday = 3;  // 1970-01-01, counted from Monday
    const absl::CivilDay epoch(1970, 1, 1);
    day_ = epoch + (FloorTo(day - epoch + kThursday, step.count) - kThursday);
    const absl::CivilMonth month(civil);
    month_ = absl::CivilMonth(0, 1, 1) + FloorTo(month - absl::CivilMonth(0, 1, 1), step.count);
    year_ = absl::CivilYear(FloorTo(absl::CivilYear(civil).year(), step.count));
  }

  // The next one in milliseconds.
  int64_t Next() {
    switch (step_.unit) {
      case StepUnit::kMs:
        return Exchange(&ms_);
      case StepUnit::kSecond:
        return ToMs(Exchange(&second_));
      case StepUnit::kDay:
        return ToMs(Exchange(&day_));
      case StepUnit::kMonth:
        return ToMs(Exchange(&month_));
      case StepUnit::kYear:
        break;
    }
    return ToMs(Exchange(&year_));
  }

 private:
  template <typename T>
  T Exchange(T* next) {
    const T now = *next;
    *next += step_.count;
    return now;
  }
  template <typename T>
  int64_t ToMs(const T& civil) const {
    return absl::ToUnixMillis(absl::FromCivil(absl::CivilSecond(civil), zone_));
  }

  const TimeStep step_;
  const absl::TimeZone zone_;
  int64_t ms_;
  absl::CivilSecond second_;
  absl::CivilDay day_;
  absl::CivilMonth month_;
  absl::CivilYear year_;
};

}  // namespace

std::string_view TimeFormatOf(int64_t span_ms) {
  if (span_ms < 10 * kSecondMs) return "%H:%M:%E3S";
  if (span_ms < 35 * kMinuteMs) return "%H:%M:%S";
  if (span_ms <= kDayMs) return "%H:%M";
  if (span_ms <= 7 * kDayMs) return "%a %H:%M";
  if (span_ms <= 14 * kDayMs) return "%a %d %H:%M";
  if (span_ms <= 90 * kDayMs) return "%b %d";
  return "%Y/%m/%d";
}

std::vector<plot::Tick> TimeTicks(int64_t start_ms,
                                  int64_t end_ms,
                                  size_t ticks_max,
                                  const absl::TimeZone& zone,
                                  std::string_view format) {
  HOURCELL_DCHECK(start_ms < end_ms && ticks_max >= 2);
  const std::string pattern(format.empty() ? TimeFormatOf(end_ms - start_ms) : format);
  std::vector<plot::Tick> ticks;
  RoundTimes times(StepFor(end_ms - start_ms, ticks_max), start_ms, zone);
  int64_t last = start_ms - 1;
  // A clock that is put back repeats times, and one put forward skips some.
  for (size_t i = 0; i < ticks_max + 3; ++i) {
    const int64_t ms = times.Next();
    if (ms > end_ms) break;
    if (ms <= last) continue;
    last = ms;
    ticks.push_back({.value = static_cast<double>(ms),
                     .label = absl::FormatTime(pattern, absl::FromUnixMillis(ms), zone)});
  }
  return ticks;
}

}  // namespace hourcell
