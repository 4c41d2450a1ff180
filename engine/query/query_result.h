// Results of queries: output series with their points, before printing. A QuerySink receives them
// one by one, as SeriesView; a QueryResult has them all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "engine/query/annotation.h"
#include "engine/query/columns.h"

namespace hourcell {

struct ResultPoint {
  int64_t ms = 0;
  Value value;  // NaN where a fill policy put one
  friend bool operator==(const ResultPoint&, const ResultPoint&) = default;
};

// One output series: a group of a sub query, aggregated. Everything is borrowed and lives until
// QuerySink::OnSeries returns.
struct SeriesView {
  size_t query_index = 0;  // into QuerySpec.queries
  std::string_view metric;
  std::span<const std::pair<std::string_view, std::string_view>> tags;  // common to all members
  std::span<const std::string_view> aggregate_tags;
  std::span<const std::string_view> tsuids;  // bytes, ascending
  bool nan_as_null = false;                  // the fill policy was `null`
  std::span<const Annotation> annotations;   // of the members, by start
  SpanView points;                           // ascending, start <= t <= end; may be empty
};

// Takes a query's results. Not called by two threads at once.
class QuerySink {
 public:
  virtual ~QuerySink() = default;

  // Once, before the first series.
  virtual absl::Status OnBegin(std::span<const Annotation> /*global_annotations*/) {
    return absl::OkStatus();
  }

  // Called sub query by sub query, groups by group-by tag value UIDs. May block, and so delay the
  // query. An error ends the query with that error.
  virtual absl::Status OnSeries(const SeriesView& series) = 0;
};

// SeriesView, owned.
struct ResultSeries {
  size_t query_index = 0;  // into QuerySpec.queries
  std::string metric;
  std::vector<std::pair<std::string, std::string>> tags;  // common to all members
  std::vector<std::string> aggregate_tags;
  std::vector<std::string> tsuids;           // upper-case hex, sorted
  bool nan_as_null = false;                  // the fill policy was `null`
  std::vector<Annotation> annotations = {};  // of the members, by start
  std::vector<ResultPoint> points;           // ascending, start <= ms <= end; may be empty
};

struct QueryResult {
  std::vector<ResultSeries> series;  // sub query by sub query, groups by group-by tag value UIDs
  std::vector<Annotation> global_annotations = {};  // by start
  // The cost of the query.
  uint64_t rows_read = 0;
  uint64_t points_read = 0;
};

}  // namespace hourcell
