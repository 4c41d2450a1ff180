// RollupRules: the settings of rollups that are written, and the point of a level that such a point
// becomes (docs/decisions/0036-rollups-are-metrics.md):
//
//   rollup 1h-sum cpu 1356998400 42 host=a       _rollup/1h-sum/cpu      host=a
//   rollup 1h-sum:max cpu 1356998400 42 dc=x     _rollup/1h-sum-agg/cpu  dc=x _aggregate=MAX
//   rollup max cpu 1356998400 42 dc=x            _rollup/agg/cpu         dc=x _aggregate=MAX
//
// Immutable; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/point.h"
#include "codec/rollups/rollup_config.h"
#include "codec/text/number.h"
#include "server/config/config.h"

namespace hourcell {

// The answer to every rollup while they are off.
inline constexpr std::string_view kRollupsAreOff =
    "rollups are off; set tsd.rollups.enable and tsd.rollups.config";

struct RollupRules {
  std::optional<RollupConfig> config = {};    // nullopt: off
  std::string aggregate_tagk = "_aggregate";  // tsd.rollups.agg_tag_key
  std::string raw_aggregate = "RAW";          // tsd.rollups.raw_agg_tag_value
  bool block_derived = true;                  // tsd.rollups.block_derived: no avg and dev
  bool tag_raw = false;                       // tsd.rollups.tag_raw
};

// Errors of LoadRollupConfig.
absl::StatusOr<RollupRules> RollupRulesOf(const Config& config);

// The differences of a level's point from the point that was sent.
struct LevelPoint {
  std::string metric;
  std::string aggregate = {};  // value of the tag `aggregate_tagk`; empty: without the tag
  Timestamp timestamp;         // the begin of the interval; without one, as sent
  friend bool operator==(const LevelPoint&, const LevelPoint&) = default;
};

// Errors in OpenTSDB's order. kIllegalArgument: rollups are off; the interval or the aggregator is
// missing; milliseconds; a tag `aggregate_tagk` with another value than the group-by aggregator, or
// without one; avg or dev while they are blocked; an unknown aggregator; the metric of a level.
// kNoSuchRollup: the interval is not configured, or is that of the points themselves.
Parsed<LevelPoint> LevelPointOf(const RollupRules& rules,
                                const RollupTarget& target,
                                const PointView& sent);

}  // namespace hourcell
