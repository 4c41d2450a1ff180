// The text of tsd.rollups.config, OpenTSDB's JSON:
//
//   {"aggregationIds": {"sum": 0, "count": 1},
//    "intervals": [{"table": "tsdb", "preAggregationTable": "tsdb-agg", "interval": "1m",
//                   "rowSpan": "1h", "defaultInterval": true},
//                  {"table": "tsdb-1h", "preAggregationTable": "tsdb-agg-1h", "interval": "1h",
//                   "rowSpan": "1d", "delaySla": "2h"}]}
//
// Unknown fields are skipped, as in OpenTSDB. The tables must be named, but points of all intervals
// are in the store's data table.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/rollups/metric_rules.h"
#include "codec/rollups/rollup_config.h"

namespace hourcell {

// kInvalidArgument: no JSON; a field of another type; an aggregate that is not an aggregator; the
// errors of RollupConfig::Make. Pure; thread-safe.
absl::StatusOr<RollupConfig> ParseRollupConfig(std::string_view text);

// Of the value of the setting: the JSON, or the path of a file with it, which ends in ".json".
// kNotFound: it cannot be read.
absl::StatusOr<RollupConfig> LoadRollupConfig(const std::string& value);

// Of tsd.rollups.rules; empty: no rules. kInvalidArgument: the errors of MetricRules::Parse.
absl::StatusOr<std::optional<MetricRules>> ReadMetricRules(std::string_view value);

}  // namespace hourcell
