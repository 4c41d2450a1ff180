// Runs a GET /api/query of a vector through the stages, on series in memory: the work of an engine
// without storage, UID tables and printing. It knows as much of the m= grammar as the vectors use.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query/columns.h"
#include "engine/query/query_result.h"
#include "engine/query/query_spec.h"
#include "tests/support/query_store.h"

namespace hourcell {

// "GET /api/query?start=1356998400&end=1357041600&m=sum:10s-avg:m{host=*}&ms=true", one m=.
struct ParsedRequest {
  QuerySpec spec;
  bool milliseconds = false;
};
absl::StatusOr<ParsedRequest> ParseRequest(std::string_view http);

// The points of a series as a Span.
Span SpanOf(const StoredSeries& series);

// REQUIRES: one sub query.
absl::StatusOr<std::vector<ResultSeries>> Evaluate(const QuerySpec& spec,
                                                   const std::vector<StoredSeries>& store);

}  // namespace hourcell
