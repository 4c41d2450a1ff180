#include "codec/rollups/rollup_interval.h"

#include <optional>

#include <absl/status/status.h>
#include <absl/time/civil_time.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr int64_t kHourSeconds = 3600;
constexpr int64_t kDaySeconds = 86'400;
constexpr int64_t kCountMax = 1'000'000;  // of a duration: no product below overflows

struct CountAndUnit {
  int64_t count = 0;
  std::string_view unit;
};

absl::StatusOr<CountAndUnit> SplitDuration(std::string_view field, std::string_view text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const std::optional<uint64_t> count = ParseUnsigned(text.substr(0, digits));
  if (digits == std::string_view::npos || !count.has_value() || *count == 0 || *count > kCountMax) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a duration such as 10m, got {}", field, QuoteForMessage(text)));
  }
  return CountAndUnit{.count = static_cast<int64_t>(*count), .unit = text.substr(digits)};
}

// A month is 30 days and a year 365, as OpenTSDB counts durations.
absl::StatusOr<int64_t> DurationSeconds(std::string_view field, std::string_view text) {
  HOURCELL_ASSIGN_OR_RETURN(const CountAndUnit duration, SplitDuration(field, text));
  if (duration.unit == "ms") return duration.count / 1000;
  int64_t seconds = 0;
  if (duration.unit == "s") seconds = 1;
  if (duration.unit == "m") seconds = 60;
  if (duration.unit == "h") seconds = kHourSeconds;
  if (duration.unit == "d") seconds = kDaySeconds;
  if (duration.unit == "w") seconds = 7 * kDaySeconds;
  if (duration.unit == "n") seconds = 30 * kDaySeconds;
  if (duration.unit == "y") seconds = 365 * kDaySeconds;
  if (seconds != 0) return duration.count * seconds;
  return absl::InvalidArgumentError(
      fmt::format("{}: expected a unit of ms s m h d w n y, got {}", field, QuoteForMessage(text)));
}

// Its unit, its hours if the unit is h, and the seconds of its longest row.
struct RollupRowSpan {
  char unit = 'h';
  int64_t hours = 1;
  int64_t seconds = 0;
};

absl::StatusOr<RollupRowSpan> ParseRowSpan(std::string_view text) {
  HOURCELL_ASSIGN_OR_RETURN(const CountAndUnit span, SplitDuration("rowSpan", text));
  if (span.unit == "h" && (span.count == 1 || span.count % 2 == 0)) {
    return RollupRowSpan{.unit = 'h', .hours = span.count, .seconds = span.count * kHourSeconds};
  }
  if (span.count == 1) {
    if (span.unit == "d") return RollupRowSpan{.unit = 'd', .seconds = kDaySeconds};
    if (span.unit == "n") return RollupRowSpan{.unit = 'n', .seconds = 32 * kDaySeconds};
    if (span.unit == "y") return RollupRowSpan{.unit = 'y', .seconds = 366 * kDaySeconds};
  }
  return absl::InvalidArgumentError(
      fmt::format("rowSpan: expected 1h, an even number of hours, 1d, 1n or 1y, got {}",
                  QuoteForMessage(text)));
}

// The first day of the month, or of the year, with a time.
int64_t CalendarStart(int64_t time_s, char unit) {
  const absl::CivilDay epoch(1970, 1, 1);
  const absl::CivilDay day = epoch + time_s / kDaySeconds;
  const absl::CivilDay start(day.year(), unit == 'y' ? 1 : day.month(), 1);
  return (start - epoch) * kDaySeconds;
}

}  // namespace

absl::StatusOr<RollupInterval> RollupInterval::Parse(const RollupIntervalFields& fields) {
  RollupInterval interval;
  interval.fields_ = fields;
  HOURCELL_ASSIGN_OR_RETURN(interval.seconds_, DurationSeconds("interval", fields.interval));
  HOURCELL_ASSIGN_OR_RETURN(const RollupRowSpan span, ParseRowSpan(fields.row_span));
  interval.span_unit_ = span.unit;
  interval.span_hours_ = span.hours;
  if (interval.seconds_ < 1 || interval.seconds_ >= span.seconds) {
    return absl::InvalidArgumentError(
        fmt::format("interval: expected a second or more, and less than a row of {}, got {}",
                    fields.row_span, QuoteForMessage(fields.interval)));
  }
  interval.slots_ = span.seconds / interval.seconds_;
  if (interval.slots_ < kRollupSlotsMin || interval.slots_ > kRollupSlotsOfOpenTsdbMax) {
    return absl::InvalidArgumentError(fmt::format(
        "interval {} in a row of {}: expected {} to {} intervals a row, got {}", fields.interval,
        fields.row_span, kRollupSlotsMin, kRollupSlotsOfOpenTsdbMax, interval.slots_));
  }
  if (fields.delay_sla.empty()) return interval;
  HOURCELL_ASSIGN_OR_RETURN(interval.delay_s_, DurationSeconds("delaySla", fields.delay_sla));
  if (interval.delay_s_ >= 1) return interval;
  return absl::InvalidArgumentError(fmt::format("delaySla: expected a second or more, got {}",
                                                QuoteForMessage(fields.delay_sla)));
}

int64_t RollupInterval::BaseOf(int64_t time_s) const {
  HOURCELL_DCHECK(time_s >= 0);
  switch (span_unit_) {
    case 'h':
      return time_s - time_s % (span_hours_ * kHourSeconds);
    case 'd':
      return time_s - time_s % kDaySeconds;
    default:
      return CalendarStart(time_s, span_unit_);
  }
}

int64_t RollupInterval::StartOf(int64_t time_s) const {
  return time_s - (time_s - BaseOf(time_s)) % seconds_;
}

}  // namespace hourcell
