#include "server/query_request.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/query/query_time.h"

namespace hourcell {

absl::Status CompleteQueryRequest(const QueryTimes& times,
                                  bool use_calendar,
                                  int64_t now_ms,
                                  QueryRequest* request) {
  QuerySpec& spec = request->spec;
  if (times.start.empty()) return absl::InvalidArgumentError("Missing start time");
  HOURCELL_ASSIGN_OR_RETURN(spec.start_ms, ParseQueryTime(times.start, times.timezone, now_ms));
  HOURCELL_ASSIGN_OR_RETURN(spec.end_ms, ParseQueryTime(times.end, times.timezone, now_ms));
  if (spec.end_ms <= spec.start_ms) {
    return absl::InvalidArgumentError(fmt::format(
        "End time [{}] must be greater than the start time [{}]", spec.end_ms, spec.start_ms));
  }
  if (spec.queries.empty()) return absl::InvalidArgumentError("Missing queries");
  if (spec.queries.size() > kSubQueriesMax) {
    return absl::InvalidArgumentError(fmt::format("queries: too many; got {}; want at most {}",
                                                  spec.queries.size(), kSubQueriesMax));
  }

  std::vector<SubQuery> distinct;
  for (SubQuery& query : spec.queries) {
    if (use_calendar && query.downsample && !query.downsample->all) {
      return absl::InvalidArgumentError("calendar downsampling is not available yet");
    }
    if (std::find(distinct.begin(), distinct.end(), query) == distinct.end()) {
      distinct.push_back(std::move(query));
    }
  }
  spec.queries = std::move(distinct);
  return absl::OkStatus();
}

absl::StatusOr<Aggregator> ParseQueryAggregator(std::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError("Missing the aggregation function");
  return ParseAggregator(name);
}

}  // namespace hourcell
