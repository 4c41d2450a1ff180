// QueryRequest: a request to /api/query, parsed, from either form: the query string
// (query_string.h) or a JSON body (query_json.h).
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query/query_spec.h"

namespace hourcell {

// The maximum number of sub queries in one request.
inline constexpr size_t kSubQueriesMax = 1000;

// Options for printing the result.
struct QueryPrinting {
  bool ms = false;      // timestamps in milliseconds, else seconds
  bool arrays = false;  // dps as [[timestamp, value], ...], else as an object
  bool show_tsuids = false;
  bool show_query = false;
  bool show_summary = false;
  bool show_stats = false;
  bool explain = false;  // ours: the plan and cost of each sub query
  bool trace = false;    // ours: the time of each step; with `explain`
  friend bool operator==(const QueryPrinting&, const QueryPrinting&) = default;
};

struct QueryRequest {
  QuerySpec spec;
  QueryPrinting printing;
  bool delete_points = false;
  // Ours: of a deletion. The answer has numbers instead of the points; nothing is deleted.
  bool counts = false;
  bool dry_run = false;
};

// The unparsed times of a request; empty text = absent.
struct QueryTimes {
  std::string start;
  std::string end;
  std::string timezone;
};

// Checks and completes a request whose sub queries are parsed: fills start and end, gives the
// timezone to intervals by the calendar (with `use_calendar` to all but "0all"), drops repeated sub
// queries unless expressions name them. kInvalidArgument: "Missing start time", bad times,
// "End time [e] must be greater than the start time [s]", "Missing queries", more than
// kSubQueriesMax queries, "The timezone specification could not be found".
absl::Status CompleteQueryRequest(const QueryTimes& times,
                                  bool use_calendar,
                                  int64_t now_ms,
                                  QueryRequest* request);

// The upper-case form of a tsuid in hex. kInvalidArgument: empty, an odd count of digits, not hex.
absl::StatusOr<std::string> ParseQueryTsuid(std::string_view text);

// kInvalidArgument "Missing the aggregation function", else as ParseAggregator.
absl::StatusOr<Aggregator> ParseQueryAggregator(std::string_view name);

}  // namespace hourcell
