// QuerySpec: a parsed query. The server parses `m=` strings and JSON bodies
// (server/query/query_string.h, server/query/query_json.h); names are still text here.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "codec/limits.h"
#include "codec/rollups/rollup_config.h"
#include "engine/query/aggregator.h"
#include "engine/query/function_spec.h"
#include "engine/query/query_node.h"

namespace hourcell {

// How a filter matches the value of a tag key. OpenTSDB's types by their names in lower case.
enum class FilterType : uint8_t {
  kLiteralOr,      // literal_or: equals one of the |-separated values, which may be quoted
  kILiteralOr,     // iliteral_or: the same without case
  kNotLiteralOr,   // not_literal_or: the series has the key, with another value
  kNotILiteralOr,  // not_iliteral_or
  kWildcard,       // wildcard: * globs
  kIWildcard,      // iwildcard: the same without case
  kRegexp,         // regexp: found anywhere in the value
  kNotKey,         // not_key: the series lacks the key; its text is empty
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

// The filter of an old-style tag value (tags map, {k=v}): "*" = wildcard; "a", "a|b", and texts
// that begin with a quoted name (codec/text/quoted_name.h) = literal_or; another text with a * =
// iwildcard; "type(text)" = that type; "not_key()" never groups. kInvalidArgument: unknown type,
// missing ")", empty parentheses (of not_key: not empty), empty text.
absl::StatusOr<TagFilterSpec> ParseTagValueFilter(std::string_view tagk,
                                                  std::string_view text,
                                                  bool group_by);

// The value of a bucket without points; kZero: DownsampleSpec.fill_value.
enum class FillPolicy : uint8_t { kNone, kNan, kNull, kZero };

enum class DurationUnit : uint8_t { kMs, kSecond, kMinute, kHour, kDay, kWeek, kMonth, kYear };

struct DownsampleSpec {
  int64_t interval_ms = 0;                 // nominal: a month is 30 days; 0 with `all`
  bool all = false;                        // "0all": one bucket, the whole range
  Aggregator function = Aggregator::kAvg;  // never kNone
  FillPolicy fill = FillPolicy::kNone;
  double fill_value = 0;  // for kZero; other than 0 for "scalar(x)"

  // The interval as written; a count of 0: only interval_ms is set, as by a program.
  int64_t count = 0;
  DurationUnit unit = DurationUnit::kMs;

  // Buckets by the calendar of `timezone` instead of by milliseconds since 1970. REQUIRES a count.
  bool calendar = false;
  absl::TimeZone timezone = {};

  // True if they mean the same: "60m" is "1h", except by a calendar.
  friend bool operator==(const DownsampleSpec& a, const DownsampleSpec& b);
};

// "<n><unit>[c]-<function>[-<fill>]", "0all-<function>[-<fill>]"; c = by the calendar, of UTC until
// timezone is set. Fill policies: none, nan, null, zero, and, beyond OpenTSDB, scalar(<number>).
// kInvalidArgument with OpenTSDB's texts ("Invalid downsampling specifier 'x': must provide at
// least interval and function", ...); scalar without a number.
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
  // Upper-case hex. If there are any, they select the series, all of one metric, in one group;
  // `metric` and `filters` are ignored.
  std::vector<std::string> tsuids = {};
  std::vector<TagFilterSpec> filters;
  bool explicit_tags = false;
  std::optional<DownsampleSpec> downsample;
  std::optional<RateSpec> rate;
  // With one of these, the query reads the histograms of the series instead of their numbers: a
  // result for each percentile (0 to 100), and one for each bucket of values. The aggregator is sum
  // or none, and the function of the downsampling is sum. Rates and fill policies are ignored.
  std::vector<double> percentiles = {};
  bool show_histogram_buckets = false;
  // Functions of the set of groups, the last one first: its result is the input of the one before.
  std::vector<FunctionSpec> functions = {};
  // Of no meaning without Options::rollups.
  RollupUsage rollup_usage = RollupUsage::kNoFallback;
  bool pre_aggregate = false;  // of the series that were written as pre-aggregates

  bool is_of_histograms() const { return !percentiles.empty() || show_histogram_buckets; }
  friend bool operator==(const SubQuery&, const SubQuery&) = default;
};

// Windows of time. The reader of a query's points calculates one function of each window, such as
// sum_over_time of PromQL. Window i has the points in [end - range, end], where end is
// first_end_ms + i * step_ms. INVARIANT: step_ms >= 1, range_ms >= 0.
struct WindowSpec {
  // The function depends on this and on the number of points.
  enum class Needs : uint8_t {
    kSum,   // the sum to a relative error of 1e-12
    kMin,   // the least value
    kMax,   // the greatest value
    kEnds,  // the first and the last point
  };
  Needs needs = Needs::kSum;
  int64_t first_end_ms = 0;
  int64_t step_ms = 1;
  size_t count = 1;
  int64_t range_ms = 0;
};

// How the rows of a sub query's series are read.
enum class ReadMethod : uint8_t {
  kCheapest,    // the cheapest of the others, estimated from the counts
  kPointReads,  // each row by its key
  kSkipScan,    // a scan that skips rows of other series
  kLinearScan,  // a scan of every row of the metric between the first series and the last
};
std::string_view ReadMethodName(ReadMethod method);  // "point reads", ...

// How the series of a sub query are divided among the threads that read them.
enum class ReadDivision : uint8_t {
  kByBucket,  // the series of a salt bucket, and so of few regions, to one thread
  kBySeries,  // neighbours by tsuid to one thread
};

inline constexpr uint64_t kQuickPointsOfGiven = 8;

// Limits of a query that runs quickly or not at all.
struct QuickBounds {
  uint64_t series = 0;  // examined by the plan of a sub query
  uint64_t rows = 0;    // of all sub queries, if each hour and series had one
  // Decoded points, of all sub queries. A point passed to the sink (a bucket, or a point without
  // downsampling) counts as kQuickPointsOfGiven more: the time it takes, mostly for printing.
  uint64_t points = 0;
  uint64_t bytes = 0;  // of memory, of a sub query
};

struct QuerySpec {
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  std::vector<SubQuery> queries;
  // Trees of functions over the sub queries; empty: each sub query is a result. If there are any,
  // their leaves, from left to right, are all sub queries in turn.
  std::vector<QueryNode> expressions = {};
  // The query's deadline, in milliseconds of std::chrono::steady_clock; 0 = none.
  int64_t deadline_ms = 0;
  // Return all points of the hours read, also those outside [start, end] (/q?ascii).
  bool keep_scanned = false;
  // Answer sub queries from rollups where they can; false: from the points of their metric alone.
  bool may_use_rollups = true;
  // The store's own reading: neither the limits nor the timeout of queries apply.
  bool without_limits = false;
  // Return special values, too (Value::is_special). REQUIRES: no aggregation, no downsampling.
  bool special_values = false;
  // If set, the sink may get few points in place of a row's (engine/query/stages/condenser.h): the
  // function of each window is the same. REQUIRES: no aggregation, no downsampling.
  std::optional<WindowSpec> windows = {};
  // The annotations to find.
  bool annotations = true;
  bool global_annotations = false;
  // If set, only the calling thread works on the query, within these bounds, and without waiting
  // for a disk. If they are not enough, the query ends with kAborted: at its plan, before it reads,
  // or when it exceeds them; the sink may have received results by then.
  std::optional<QuickBounds> quick = {};
  // For tests and comparisons; results do not depend on it.
  ReadMethod read_method = ReadMethod::kCheapest;
  ReadDivision read_division = ReadDivision::kByBucket;
};

}  // namespace hourcell
