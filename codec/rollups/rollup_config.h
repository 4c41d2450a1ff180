// RollupConfig: `tsd.rollups.config`: the stored aggregates with their ids, and the intervals. Also
// the levels that a query reads, the metrics with their points, and the texts of the `rollup`
// command.
//
// Immutable; thread-safe. Names of aggregates are in lower case.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rollups/rollup_interval.h"

namespace hourcell {

// Ids of stored aggregates: 7 bits of a qualifier.
inline constexpr int64_t kRollupIdMax = 127;

struct RollupAggregate {
  std::string name = {};
  int64_t id = 0;
  friend bool operator==(const RollupAggregate&, const RollupAggregate&) = default;
};

// How a query may use rollups.
enum class RollupUsage : uint8_t {
  kNoFallback,   // the best level only
  kFallback,     // if a level lacks points of the query, the next one; at last the raw points
  kFallbackRaw,  // if the best level lacks points of the query, the raw points
  kRaw,          // the raw points
};
// ROLLUP_NOFALLBACK, ROLLUP_FALLBACK, ...
std::string_view RollupUsageName(RollupUsage usage);
// Case-insensitive; other texts are kNoFallback, as in OpenTSDB.
RollupUsage ParseRollupUsage(std::string_view text);

// The content of a summarizing point. OpenTSDB's texts: "1h-sum" (interval and aggregator),
// "1h-sum:max" (of series that were grouped by max), "max" (grouped, not rolled up).
struct RollupTarget {
  std::string interval = {};    // empty: not rolled up
  std::string aggregator = {};  // empty: absent
  std::string group_by = {};    // empty: not grouped
  friend bool operator==(const RollupTarget&, const RollupTarget&) = default;
};
// Reads such a text. The aggregator of "max" is max, as in OpenTSDB. Parts may be missing or
// unknown. kInvalidArgument: empty.
absl::StatusOr<RollupTarget> ParseRollupTarget(std::string_view text);

class RollupConfig {
 public:
  // kInvalidArgument: no aggregate or interval; an id that repeats or is not in 0..kRollupIdMax; a
  // name or an interval that repeats; an interval that does not parse or has more than
  // kRollupSlotsMax slots; a table that is missing; other than one default interval.
  static absl::StatusOr<RollupConfig> Make(std::vector<RollupAggregate> aggregates,
                                           const std::vector<RollupIntervalFields>& intervals);

  std::span<const RollupAggregate> aggregates() const { return aggregates_; }
  std::span<const RollupInterval> intervals() const { return intervals_; }

  // Null: not configured. The default interval is found, too.
  const RollupInterval* Find(std::string_view interval) const;
  // In any case.
  std::optional<uint8_t> IdOf(std::string_view aggregate) const;

  // The stored aggregates from which a downsample function is computed: sum and count for avg,
  // itself for most others. Empty: none are.
  std::vector<std::string> StoredFor(std::string_view function) const;

  // The levels to read, in turn; null: the raw points. `downsample_ms` is 0 for a query without an
  // interval. A level fits if its interval divides that of the query.
  std::vector<const RollupInterval*> Reads(int64_t downsample_ms,
                                           std::string_view function,
                                           RollupUsage usage) const;

  // The metrics of all levels of a metric.
  std::vector<std::string> MetricsOf(std::string_view metric) const;

 private:
  RollupConfig() = default;

  std::vector<RollupAggregate> aggregates_;
  std::vector<RollupInterval> intervals_;  // the longest first
};

// The time until which a query reads a level, and from which on it reads the raw points: the last
// multiple of the downsample interval that is complete after the level's delay. nullopt: the level
// alone, as without a delay or an interval. Not above the query's start: the raw points alone.
std::optional<int64_t> RollupCutMs(int64_t now_ms,
                                   int64_t end_ms,
                                   int64_t delay_s,
                                   int64_t downsample_ms);

// All metrics with points of levels begin with it.
inline constexpr std::string_view kRollupMetricPrefix = "_rollup/";

// The metric that has the points of a level: "_rollup/1h-sum/cpu.user"; of grouped series
// "_rollup/1h-sum-agg/cpu.user", and "_rollup/agg/cpu.user" without an interval.
std::string RollupMetric(const RollupTarget& target, std::string_view metric);

// The metric whose points a metric of a level summarizes: "cpu.user" of the above. Empty: `metric`
// is another.
std::string_view SummarizedMetric(std::string_view metric);

}  // namespace hourcell
