// QuerySpec: what a query asks, already parsed. Parsing of `m=` strings and JSON bodies is the
// server's (server/query_string.h, server/query_json.h); names are still text here.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/limits.h"

namespace hourcell {

// How a filter matches the value of a tag key. OpenTSDB's types by their names in lower case.
enum class FilterType : uint8_t {
  kLiteralOr,      // literal_or: equals one of the |-separated values
  kILiteralOr,     // iliteral_or: the same without case
  kNotLiteralOr,   // not_literal_or: the series has the key, with another value
  kNotILiteralOr,  // not_iliteral_or
  kWildcard,       // wildcard: * globs
  kIWildcard,      // iwildcard: the same without case
  kRegexp,         // regexp: found anywhere in the value
};
std::string_view FilterTypeName(FilterType type);
// Case-insensitive. kInvalidArgument "Could not find a tag value filter of the type: x".
absl::StatusOr<FilterType> ParseFilterType(std::string_view name);

struct TagFilterSpec {
  std::string tagk;
  FilterType type = FilterType::kLiteralOr;
  std::string filter;  // as written: "web01|web02", "web*", "web.*"
  bool group_by = false;
  friend bool operator==(const TagFilterSpec&, const TagFilterSpec&) = default;
};

// The filter of an old-style tag value (tags map, {k=v}): "*" = wildcard; "a", "a|b" = literal_or;
// another text with a * = iwildcard; "type(text)" = that type.
// kInvalidArgument: unknown type, missing ")", empty parentheses, empty text.
absl::StatusOr<TagFilterSpec> ParseTagValueFilter(std::string_view tagk,
                                                  std::string_view text,
                                                  bool group_by);

enum class Aggregator : uint8_t {
  kSum,
  kMin,
  kMax,
  kAvg,
  kCount,
  kDev,
  kNone,
  kZimsum,
  kMimmin,
  kMimmax,
};
std::string_view AggregatorName(Aggregator aggregator);
// Case-sensitive. kInvalidArgument "No such aggregation function: x".
absl::StatusOr<Aggregator> ParseAggregator(std::string_view name);
// All names, in the order of the enum.
std::vector<std::string_view> AggregatorNames();

enum class FillPolicy : uint8_t { kNone, kNan, kNull, kZero };

struct DownsampleSpec {
  int64_t interval_ms = 0;                 // 0 with `all`
  bool all = false;                        // "0all": one bucket, the whole range
  Aggregator function = Aggregator::kAvg;  // never kNone
  FillPolicy fill = FillPolicy::kNone;
  friend bool operator==(const DownsampleSpec&, const DownsampleSpec&) = default;
};

// "<n><unit>-<function>[-<fill>]", "0all-<function>". kInvalidArgument with OpenTSDB's texts
// ("Invalid downsampling specifier 'x': must provide at least interval and function", ...).
// Calendar intervals ("1dc-sum") are kUnimplemented.
absl::StatusOr<DownsampleSpec> ParseDownsampleSpec(std::string_view text);

struct RateSpec {
  bool counter = false;
  int64_t counter_max = INT64_MAX;
  int64_t reset_value = 0;
  bool drop_resets = false;
  friend bool operator==(const RateSpec&, const RateSpec&) = default;
};

struct SubQuery {
  Aggregator aggregator = Aggregator::kSum;
  std::string metric;
  std::vector<TagFilterSpec> filters;
  bool explicit_tags = false;
  std::optional<DownsampleSpec> downsample;
  std::optional<RateSpec> rate;
  friend bool operator==(const SubQuery&, const SubQuery&) = default;
};

struct QuerySpec {
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  std::vector<SubQuery> queries;
  // Unix milliseconds after which the query is given up; 0 = none.
  int64_t deadline_ms = 0;
};

}  // namespace hourcell
