// FunctionSpec: a function of sets of series, with its parameters. Two kinds come before the
// aggregator of a sub query:
//
//   top(10,max)     of the groups that follow, the 10 with the highest maximum
//   bottom(3,last)  the 3 with the lowest last point
//
// The others are those of /api/query/gexp, whose texts engine/expressions/function_tree.h parses.
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// The maximum number of series that a function keeps.
inline constexpr size_t kRankedSeriesMax = 10'000;
// The maximum number of functions of a sub query.
inline constexpr size_t kQueryFunctionsMax = 4;

struct FunctionSpec {
  enum class Kind : uint8_t {
    kTop,
    kBottom,
    kHighestMax,      // the `count` series with the highest maximum, the highest first
    kHighestCurrent,  // the same by the value at the last time of any series
    kScale,           // each value times `factor`
    kAbsolute,
    kMovingAverage,  // of the last `count` points, or of a window of `span_ms` if not 0
    kFirstDiff,      // each value minus the one before
    kTimeShift,      // each time plus `span_ms`
    kAlias,          // the metric is `text`, with tag values for each @tagk
    // Of two or more inputs: series with equal tags make one.
    kSumSeries,
    kDiffSeries,
    kMultiplySeries,
    kDivideSeries,
  };
  // The value of a series that decides its place.
  enum class By : uint8_t { kMax, kMin, kAvg, kLast, kSum };

  Kind kind = Kind::kTop;
  size_t count = 1;  // of series to keep, 1 to kRankedSeriesMax; of points in a window
  By by = By::kMax;
  double factor = 1;
  int64_t span_ms = 0;
  std::string text = {};
  friend bool operator==(const FunctionSpec&, const FunctionSpec&) = default;
};

// Parses "top(10,max)". Names are in lower case, without blanks. kInvalidArgument: another form, a
// count outside 1 to kRankedSeriesMax.
absl::StatusOr<FunctionSpec> ParseFunctionSpec(std::string_view text);

// The text that ParseFunctionSpec parses to `spec`. REQUIRES: top or bottom.
std::string FunctionText(const FunctionSpec& spec);

}  // namespace hourcell
