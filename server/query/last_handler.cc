#include "server/query/last_handler.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/query/last_json.h"
#include "server/query/query_request.h"
#include "server/text/json_text.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

absl::Status AddTsuids(std::string_view list, LastQuery* query) {
  LastSubQuery sub_query;
  do {
    const size_t comma = std::min(list.find(','), list.size());
    HOURCELL_ASSIGN_OR_RETURN(std::string tsuid, ParseQueryTsuid(list.substr(0, comma)));
    sub_query.tsuids.push_back(std::move(tsuid));
    list.remove_prefix(std::min(comma + 1, list.size()));
  } while (!list.empty());
  query->queries.push_back(std::move(sub_query));
  return absl::OkStatus();
}

absl::Status AddSeries(std::string_view text, LastQuery* query) {
  HOURCELL_ASSIGN_OR_RETURN(SeriesText series, ParseSeriesText(text));
  if (series.metric.empty()) {
    return absl::InvalidArgumentError("Missing the metric or tsuids, provide at least one");
  }
  query->queries.push_back(
      {.metric = std::move(series.metric), .tags = std::move(series.tags), .tsuids = {}});
  return absl::OkStatus();
}

// The text of a query in the list of queries.
std::string ListedText(const LastQuery& query) {
  std::string text = "{\"type\":\"LAST\",\"queries\":[";
  size_t listed = 0;
  for (; listed < query.queries.size() && text.size() < kListedQueryBytesMax; ++listed) {
    const LastSubQuery& sub_query = query.queries[listed];
    if (listed > 0) text.push_back(',');
    if (!sub_query.tsuids.empty()) {
      fmt::format_to(std::back_inserter(text), "{{\"tsuids\":{}}}", sub_query.tsuids.size());
      continue;
    }
    text += "{\"metric\":";
    AppendJsonString(sub_query.metric, &text);
    fmt::format_to(std::back_inserter(text), ",\"tags\":{}}}", sub_query.tags.size());
  }
  fmt::format_to(std::back_inserter(text), "],\"queriesNotListed\":{}}}",
                 query.queries.size() - listed);
  return text;
}

absl::Status Print(const LastQuery& query, Tsdb* tsdb, QueryControl* control, BodyWriter* body) {
  absl::Status offered;
  bool is_first = true;
  body->buffer() += '[';
  const absl::Status read = tsdb->queries().LastPoints(
      query,
      [&](const LastPoint& point) {
        if (!offered.ok()) return;
        if (!std::exchange(is_first, false)) body->buffer() += ',';
        AppendLastPoint(point, query.resolve, &body->buffer());
        offered = body->Offer();
        if (!offered.ok()) control->Cancel();
      },
      control);
  HOURCELL_RETURN_IF_ERROR(offered);
  HOURCELL_RETURN_IF_ERROR(read);
  body->buffer() += ']';
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LastQuery> ParseLastParams(const HttpRequest& request) {
  LastQuery query;
  query.resolve = request.has_param("resolve");
  if (const std::string* const hours = request.param("back_scan"); hours != nullptr) {
    const char* const end = hours->data() + hours->size();
    const auto [rest, error] = std::from_chars(hours->data(), end, query.back_hours);
    if (error != std::errc() || rest != end) {
      return absl::InvalidArgumentError("Unable to parse back_scan parameter");
    }
  }
  for (const auto& [name, value] : request.params) {
    if (name == "timeseries") HOURCELL_RETURN_IF_ERROR(AddSeries(value, &query));
  }
  for (const auto& [name, value] : request.params) {
    if (name == "tsuids") HOURCELL_RETURN_IF_ERROR(AddTsuids(value, &query));
  }
  if (query.queries.empty()) return absl::InvalidArgumentError("Missing sub queries");
  if (query.queries.size() > kSubQueriesMax) {
    return absl::InvalidArgumentError(fmt::format("queries: too many; expected at most {}, got {}",
                                                  kSubQueriesMax, query.queries.size()));
  }
  return query;
}

HttpResponse HandleLast(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<LastQuery> query =
      request.method == "POST" ? ParseLastJson(request.body) : ParseLastParams(request);
  if (!query.ok()) return HttpError(400, query.status());
  // OpenTSDB limits its search by back_scan. Here an old point costs no more than a new one.
  query->back_hours = 0;
  query->deadline_ms = request.deadline_ms;
  std::string text = ListedText(*query);
  const auto print = [tsdb = service.tsdb, parsed = *std::move(query)](QueryControl* control,
                                                                       BodyWriter* body) {
    return Print(parsed, tsdb, control, body);
  };
  return ListedResponse(service, request, std::move(text), print, &QueryError);
}

}  // namespace hourcell
