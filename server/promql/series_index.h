// SeriesIndex: the labels of series, their names and values, from the index of a store, without
// reading points. With times, only series that have points on the days (UTC) of these times are
// found, as far as the index knows the days (LookupQuery::with_points).
//
// Errors are those of a query. Thread-compatible.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "engine/query/last_query.h"
#include "engine/query/memory_account.h"
#include "promql/labels.h"
#include "promql/text/expression.h"
#include "server/inputs/prometheus/prom_series_reader.h"

namespace hourcell {

class SeriesIndex {
 public:
  using VisitText = absl::FunctionRef<absl::Status(const std::string&)>;
  // False: the next series is one of another metric.
  using VisitLabels = absl::FunctionRef<absl::StatusOr<bool>(const promql::Labels&)>;

  // All are borrowed, and outlive the object. `memory` holds the regular expressions and the list
  // of metrics.
  SeriesIndex(const PromSeriesReader* reader,
              PromReadWork work,
              MemoryHold* memory,
              std::optional<PointTimes> times = {})
      : reader_(*reader), work_(work), memory_(*memory), times_(times) {}

  // Visits each series that matches at least once. An error of `visit` ends it. kInvalidArgument:
  // a regular expression is invalid, or series without labels match.
  absl::Status VisitSeries(std::span<const promql::LabelMatcher> matchers, VisitLabels visit);

  // These visit a text at least once.
  absl::Status VisitMetrics(VisitText visit);
  absl::Status VisitLabelNames(VisitText visit);  // also __name__, if there is a metric
  absl::Status VisitLabelValues(const std::string& name, VisitText visit);  // not of __name__

 private:
  absl::Status LookUp(const LookupQuery& query,
                      absl::FunctionRef<absl::StatusOr<bool>(const FoundSeries&)> visit);
  absl::Status VisitNames(UidKind kind, absl::FunctionRef<absl::Status(std::string_view)> visit);
  absl::Status VisitKeysWithPoints(absl::FunctionRef<absl::Status(std::string_view)> visit);

  const PromSeriesReader& reader_;
  const PromReadWork work_;
  MemoryHold& memory_;
  const std::optional<PointTimes> times_;
};

}  // namespace hourcell
