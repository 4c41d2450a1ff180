#include "codec/rollups/rollup_interval.h"

#include <absl/status/status.h>
#include <absl/time/civil_time.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rollups/rollup_duration.h"

namespace hourcell {
namespace {

constexpr int64_t kHourSeconds = 3600;
constexpr int64_t kDaySeconds = 86'400;

// Its unit, its hours if the unit is h, and the seconds of its longest row.
struct RollupRowSpan {
  char unit = 'h';
  int64_t hours = 1;
  int64_t seconds = 0;
};

absl::StatusOr<RollupRowSpan> ParseRowSpan(std::string_view text) {
  HOURCELL_ASSIGN_OR_RETURN(const CountAndUnit span, SplitRollupDuration("rowSpan", text));
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
  HOURCELL_ASSIGN_OR_RETURN(interval.seconds_, RollupDurationSeconds("interval", fields.interval));
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
  HOURCELL_ASSIGN_OR_RETURN(interval.delay_s_, RollupDurationSeconds("delaySla", fields.delay_sla));
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
