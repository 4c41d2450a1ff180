// RollupInterval: one level of rollups, as `tsd.rollups.config` describes it: a point each
// `interval`, in rows of `rowSpan`.
//
//   row          begins at a multiple of Nh (N = 1 or even), at a day, a month or a year of UTC
//   slot         the number of the interval in its row, from 0; OpenTSDB stores it in 12 bits
//
// A value.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// Slots of a row. From 3840 on they look like qualifiers in milliseconds, and from 4096 on they do
// not fit. OpenTSDB accepts intervals with up to 7774.
inline constexpr int64_t kRollupSlotsMin = 12;
inline constexpr int64_t kRollupSlotsMax = 3840;
inline constexpr int64_t kRollupSlotsOfOpenTsdbMax = 7774;

// The fields of the configuration; empty text = absent.
struct RollupIntervalFields {
  std::string interval = {};               // "1h": the time of a point
  std::string row_span = {};               // "1d": the time of a row
  std::string table = {};                  // of OpenTSDB
  std::string pre_aggregation_table = {};  // of OpenTSDB
  std::string delay_sla = {};              // "2d": the time after which an interval is complete
  bool is_default = false;                 // of the points that are not rolled up
};

class RollupInterval {
 public:
  // kInvalidArgument: an interval below a second or not below the span; a span of another unit than
  // h, d, n, y, or with a multiple of d, n, y, or of an odd number of hours; fewer slots than
  // kRollupSlotsMin or more than kRollupSlotsOfOpenTsdbMax; a delay below a second.
  static absl::StatusOr<RollupInterval> Parse(const RollupIntervalFields& fields);

  const std::string& name() const { return fields_.interval; }
  bool is_default() const { return fields_.is_default; }
  int64_t seconds() const { return seconds_; }
  int64_t slots() const { return slots_; }      // of the longest row
  int64_t delay_s() const { return delay_s_; }  // 0: none

  // The begin of the row, and of the interval, with a time, in seconds since 1970. Intervals are
  // counted from the begin of their row. REQUIRES: time_s >= 0.
  int64_t BaseOf(int64_t time_s) const;
  int64_t StartOf(int64_t time_s) const;

 private:
  RollupInterval() = default;

  RollupIntervalFields fields_;
  int64_t seconds_ = 0;
  int64_t slots_ = 0;
  int64_t delay_s_ = 0;
  char span_unit_ = 'h';
  int64_t span_hours_ = 1;  // of span_unit_ h
};

}  // namespace hourcell
