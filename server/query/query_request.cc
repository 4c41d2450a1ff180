#include "server/query/query_request.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
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
    return absl::InvalidArgumentError(fmt::format("queries: too many; expected at most {}, got {}",
                                                  kSubQueriesMax, spec.queries.size()));
  }

  HOURCELL_ASSIGN_OR_RETURN(const absl::TimeZone timezone, ParseTimezone(times.timezone));
  auto distinct_end = spec.queries.begin();
  for (auto query = spec.queries.begin(); query != spec.queries.end(); ++query) {
    if (query->downsample && !query->downsample->all) {
      query->downsample->calendar |= use_calendar;
      query->downsample->timezone = timezone;
    }
    const bool is_repeated = std::find(spec.queries.begin(), distinct_end, *query) != distinct_end;
    if (is_repeated && spec.expressions.empty()) continue;
    if (distinct_end != query) *distinct_end = std::move(*query);
    ++distinct_end;
  }
  spec.queries.erase(distinct_end, spec.queries.end());
  return absl::OkStatus();
}

absl::StatusOr<std::string> ParseQueryTsuid(std::string_view text) {
  std::string hex(text);
  absl::AsciiStrToUpper(&hex);
  if (hex.empty() || hex.size() % 2 != 0 ||
      hex.find_first_not_of("0123456789ABCDEF") != std::string::npos) {
    return absl::InvalidArgumentError(fmt::format(
        "tsuid: expected an even number of hexadecimal digits, got {}", QuoteForMessage(text)));
  }
  return hex;
}

absl::StatusOr<Aggregator> ParseQueryAggregator(std::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError("Missing the aggregation function");
  return ParseAggregator(name);
}

}  // namespace hourcell
