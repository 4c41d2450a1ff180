// The file of tsd.query.limits.overrides.config: limits for metrics by their names.
//
//   [{"metric": "^debug\\.",       regular expression (RE2), found anywhere in the name
//     "dataPointsLimit": 1000000,  read by one sub query
//     "byteLimit": 100000000,
//     "rowLimit": 100000, "seriesLimit": 1000,
//     "rangeLimit": "30d"},        a duration, or milliseconds
//    ...]
//
// A limit that is missing, 0 or null means no limit. The first matching entry counts, with all its
// limits. OpenTSDB's "regex" is read as "metric". Options::Validate checks that the expressions
// compile.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/options.h"

namespace hourcell {

// kInvalidArgument: malformed; the message has the entry, the field, and its actual and expected
// value. Pure; thread-safe.
absl::StatusOr<std::vector<MetricQueryLimits>> ParseQueryLimits(std::string_view text);

// Reads the file. kNotFound: it cannot be read; kInvalidArgument as above, after the path.
absl::StatusOr<std::vector<MetricQueryLimits>> LoadQueryLimits(const std::string& path);

}  // namespace hourcell
