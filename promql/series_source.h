// SeriesSource: the port through which PromQL reads series. Implemented by the server, and in tests
// by a list of series.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "promql/columns.h"
#include "promql/label_matcher.h"
#include "promql/labels.h"

namespace hourcell::promql {

// A range function depends on this and on the number of points in its windows.
enum class WindowNeeds : uint8_t {
  kPoints,  // each point
  kSum,     // the sum of the values, to a relative error of 1e-12
  kMin,     // the least value
  kMax,     // the greatest value
  kEnds,    // the first and the last point
};

// A read of a selector: all series that match, with their points in [start_ms, end_ms].
struct SeriesRequest {
  std::span<const LabelMatcher> matchers;  // the metric name is a matcher of __name__
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  // If `needs` is not kPoints: points that no window divides may come as fewer, with weights. There
  // are `windows` windows, [end - range_ms, end]; their ends are end_ms, end_ms - step_ms, ...
  WindowNeeds needs = WindowNeeds::kPoints;
  int64_t range_ms = 0;
  int64_t step_ms = 1;
  size_t windows = 1;
};

class SeriesSource {
 public:
  virtual ~SeriesSource() = default;

  // Visits each series once, in any order. Stale markers are points. Series without points in the
  // range may be left out. An error of `visit` ends it and is returned.
  virtual absl::Status Read(
      const SeriesRequest& request,
      absl::FunctionRef<absl::Status(const Labels& labels, PointsView points)> visit) = 0;
};

}  // namespace hourcell::promql
