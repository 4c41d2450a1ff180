// QueryResult: output series with their points, before printing.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codec/point.h"
#include "engine/query/annotation.h"

namespace hourcell {

struct ResultPoint {
  int64_t ms = 0;
  Value value;  // NaN where a fill policy put one
  friend bool operator==(const ResultPoint&, const ResultPoint&) = default;
};

// One output series: a group of a sub query, aggregated.
struct ResultSeries {
  size_t query_index = 0;  // into QuerySpec.queries
  std::string metric;
  std::vector<std::pair<std::string, std::string>> tags;  // common to all members
  std::vector<std::string> aggregate_tags;
  std::vector<std::string> tsuids;           // upper-case hex, sorted
  bool nan_as_null = false;                  // the fill policy was `null`
  std::vector<Annotation> annotations = {};  // of the members, by start; none are stored yet
  std::vector<ResultPoint> points;           // ascending, start <= ms <= end; may be empty
};

struct QueryResult {
  std::vector<ResultSeries> series;  // sub query by sub query, groups by group-by tag value UIDs
  std::vector<Annotation> global_annotations = {};  // by start; none are stored yet
  // What it cost.
  uint64_t rows_read = 0;
  uint64_t points_read = 0;
};

}  // namespace hourcell
