#include "tests/model/queries/naive_buckets.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include "tests/model/queries/naive_numbers.h"

namespace hourcell {
namespace {

constexpr int64_t kHourS = 3600;

int64_t FloorTo(int64_t value, int64_t step) {
  return value - value % step;
}

int64_t CeilingTo(int64_t value, int64_t step) {
  return FloorTo(value + step - 1, step);
}

// The first instant of a day where `zone` is.
int64_t DayMs(absl::CivilDay day, absl::TimeZone zone) {
  const absl::TimeZone::TimeInfo info = zone.At(absl::CivilSecond(day));
  return absl::ToUnixMillis(info.kind == absl::TimeZone::TimeInfo::SKIPPED ? info.trans : info.pre);
}

bool Elapses(DurationUnit unit) {
  return unit <= DurationUnit::kHour;
}

// The origin of steps in hours and shorter units: the instant that the table of units names.
int64_t ElapsedBaseMs(const DownsampleSpec& spec, int64_t ms) {
  const absl::CivilSecond local = absl::ToCivilSecond(absl::FromUnixMillis(ms), spec.timezone);
  const int64_t second_ms = FloorTo(ms, 1000);
  const int64_t minute_ms = second_ms - local.second() * 1000;
  const int64_t hour_ms = minute_ms - local.minute() * 60'000;
  const int64_t midnight_ms = DayMs(absl::CivilDay(local), spec.timezone);
  switch (spec.unit) {
    case DurationUnit::kMs:
      return 1000 % spec.count == 0 ? second_ms : minute_ms;
    case DurationUnit::kSecond:
      return 60 % spec.count == 0 ? minute_ms : hour_ms;
    case DurationUnit::kMinute:
      return 60 % spec.count == 0 ? hour_ms : midnight_ms;
    default:
      break;
  }
  if (24 % spec.count == 0) return midnight_ms;
  return DayMs(absl::CivilDay(absl::CivilMonth(local)), spec.timezone);
}

absl::CivilDay BaseDay(const DownsampleSpec& spec, int64_t ms) {
  absl::CivilDay day = absl::ToCivilDay(absl::FromUnixMillis(ms), spec.timezone);
  if (spec.unit == DurationUnit::kWeek) {
    while (absl::GetWeekday(day) != absl::Weekday::sunday)
      --day;
    return day;
  }
  if (spec.unit == DurationUnit::kDay && spec.count == 1) return day;
  return absl::CivilDay(day.year(), 1, 1);
}

absl::CivilDay NextDay(const DownsampleSpec& spec, absl::CivilDay day) {
  switch (spec.unit) {
    case DurationUnit::kDay:
      return day + spec.count;
    case DurationUnit::kWeek:
      return day + 7 * spec.count;
    case DurationUnit::kMonth:
      return absl::CivilDay(absl::CivilMonth(day) + spec.count);
    default:
      return absl::CivilDay(day.year() + spec.count, 1, 1);
  }
}

// The boundaries of a calendar, from the one at or before `start_ms` to the second one after
// `until_ms`, which is not before it.
std::vector<int64_t> CalendarBoundaries(const DownsampleSpec& spec,
                                        int64_t start_ms,
                                        int64_t until_ms) {
  std::vector<int64_t> boundaries;
  int after = 0;
  const auto add = [&](int64_t ms) {
    if (ms <= start_ms) boundaries.clear();
    boundaries.push_back(ms);
    if (ms > until_ms) ++after;
  };
  int64_t ms = Elapses(spec.unit) ? ElapsedBaseMs(spec, start_ms) : 0;
  absl::CivilDay day = BaseDay(spec, start_ms);
  while (after < 2) {
    if (Elapses(spec.unit)) {
      add(ms);
      ms += spec.interval_ms;
    } else {
      add(DayMs(day, spec.timezone));
      day = NextDay(spec, day);
    }
  }
  return boundaries;
}

// The boundary after the one at or before `ms`.
int64_t BoundaryAfter(const std::vector<int64_t>& boundaries, int64_t ms) {
  return *std::ranges::upper_bound(boundaries, ms);
}

Value Aggregated(const DownsampleSpec& spec, const std::vector<double>& values) {
  return Value::Float(NaiveAggregate(spec.function, values));
}

// One bucket of start <= t < end, at the start.
std::map<int64_t, Value> DownsampleAll(const std::map<int64_t, Value>& points,
                                       const DownsampleSpec& spec,
                                       const NaiveRange& range) {
  std::vector<double> values;
  for (const auto& [ms, value] : points) {
    if (ms >= range.start_ms && ms < range.end_ms) values.push_back(value.ToDouble());
  }
  if (values.empty()) return {};
  return {{range.start_ms, Aggregated(spec, values)}};
}

}  // namespace

NaiveRange NaiveRangeOf(int64_t start_ms,
                        int64_t end_ms,
                        const std::optional<DownsampleSpec>& downsample) {
  NaiveRange range{.start_ms = start_ms, .end_ms = end_ms};
  if (downsample.has_value() && downsample->calendar) {
    const std::vector<int64_t> boundaries = CalendarBoundaries(*downsample, start_ms, end_ms);
    range.scan_begin_ms = FloorTo(std::max<int64_t>(boundaries.front(), 0), kHourS * 1000);
    range.scan_end_ms = CeilingTo(BoundaryAfter(boundaries, end_ms), kHourS * 1000);
    return range;
  }
  const int64_t start_s = start_ms / 1000;
  const int64_t end_s = end_ms / 1000 + 1;
  const int64_t interval_ms =
      downsample.has_value() && !downsample->all ? downsample->interval_ms : 0;
  int64_t begin_s = start_s;
  int64_t last_s = end_s;
  if (interval_ms != 0) {
    begin_s -= start_s * 1000 % interval_ms / 1000;
    last_s += (interval_ms - end_s * 1000 % interval_ms) / 1000;
  }
  range.scan_begin_ms = FloorTo(begin_s, kHourS) * 1000;
  const bool stays = interval_ms != 0 && last_s % kHourS == 0;
  range.scan_end_ms = (stays ? last_s : FloorTo(last_s, kHourS) + kHourS) * 1000;
  return range;
}

std::map<int64_t, Value> NaiveDownsample(const std::map<int64_t, Value>& points,
                                         const DownsampleSpec& spec,
                                         const NaiveRange& range) {
  if (spec.all) return DownsampleAll(points, spec, range);
  const int64_t interval_ms = spec.interval_ms;
  std::vector<int64_t> boundaries;
  if (spec.calendar) {
    boundaries =
        CalendarBoundaries(spec, range.start_ms, std::max(range.end_ms, range.scan_end_ms));
  }
  const auto bucket_of = [&](int64_t ms) {
    return spec.calendar ? *std::prev(std::ranges::upper_bound(boundaries, ms))
                         : FloorTo(ms, interval_ms);
  };
  const auto next = [&](int64_t ms) {
    return spec.calendar ? BoundaryAfter(boundaries, ms) : ms + interval_ms;
  };
  // By milliseconds the first bucket must be whole within the scanned hours, by the calendar it is
  // the one of the start.
  const int64_t first_ms =
      spec.calendar ? boundaries.front() : CeilingTo(range.scan_begin_ms, interval_ms);
  const int64_t fill_begin_ms =
      spec.calendar ? boundaries.front() : FloorTo(range.scan_begin_ms, interval_ms);
  const int64_t fill_end_ms = spec.calendar ? BoundaryAfter(boundaries, range.end_ms)
                                            : FloorTo(range.scan_end_ms, interval_ms);
  const bool fills = spec.fill != FillPolicy::kNone;

  std::map<int64_t, std::vector<double>> buckets;
  for (const auto& [ms, value] : points) {
    if (ms < first_ms) continue;
    const int64_t bucket_ms = bucket_of(ms);
    if (!fills || bucket_ms < fill_end_ms) buckets[bucket_ms].push_back(value.ToDouble());
  }
  std::map<int64_t, Value> out;
  for (const auto& [ms, values] : buckets)
    out[ms] = Aggregated(spec, values);
  if (!fills) return out;
  const double filling =
      spec.fill == FillPolicy::kZero ? spec.fill_value : std::numeric_limits<double>::quiet_NaN();
  for (int64_t ms = fill_begin_ms; ms < fill_end_ms; ms = next(ms))
    out.try_emplace(ms, Value::Float(filling));
  return out;
}

}  // namespace hourcell
