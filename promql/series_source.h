// SeriesSource: the port through which PromQL reads series. Implemented by the server, and in tests
// by a list of series.

#pragma once

#include <cstdint>
#include <span>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "promql/columns.h"
#include "promql/label_matcher.h"
#include "promql/labels.h"

namespace hourcell::promql {

// A read of a selector: all series that match, with their points in [start_ms, end_ms].
struct SeriesRequest {
  std::span<const LabelMatcher> matchers;  // the metric name is a matcher of __name__
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
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
