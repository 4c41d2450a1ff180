#include "server/search_handler.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/number.h"
#include "server/http_error.h"
#include "server/http_router.h"
#include "server/query_handler.h"
#include "server/search_json.h"
#include "server/series_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kOtherTypes[] = {"tsmeta", "tsmeta_summary", "tsuids", "uidmeta",
                                            "annotation"};

absl::Status ReadCountParam(const HttpRequest& request, std::string_view name, uint64_t* count) {
  const std::string* const text = request.param(name);
  if (text == nullptr) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(*count, ParseLookupCount(name, *text));
  return absl::OkStatus();
}

HttpResponse AnswerLookup(const HttpRequest& request, Tsdb* tsdb, Clock* clock) {
  const int64_t start_ms = clock->NowMs();
  absl::StatusOr<LookupQuery> query =
      request.method == "POST" ? ParseLookupJson(request.body) : ParseLookupParams(request);
  if (!query.ok()) return HttpError(400, query.status());
  query->deadline_ms = request.deadline_ms;

  HttpResponse response;
  std::string results;
  const absl::StatusOr<uint64_t> total =
      tsdb->LookupSeries(*query, [&results](const FoundSeries& series) {
        if (!results.empty()) results += ',';
        AppendFoundSeries(series, &results);
        return true;
      });
  if (absl::IsNotFound(total.status()) || absl::IsInvalidArgument(total.status())) {
    return HttpError(404, "Unable to resolve one or more UIDs",
                     std::string(total.status().message()));
  }
  if (!total.ok()) return QueryError(total.status());
  response.body = "{\"type\":\"LOOKUP\",";
  AppendLookupQuery(*query, &response.body);
  response.body += ",\"time\":";
  AppendJavaDouble(static_cast<double>(clock->NowMs() - start_ms), &response.body);
  response.body += ",\"results\":[";
  response.body += results;
  fmt::format_to(std::back_inserter(response.body), "],\"startIndex\":{},\"totalResults\":{}}}",
                 query->start_index, *total);
  return response;
}

}  // namespace

absl::StatusOr<LookupQuery> ParseLookupParams(const HttpRequest& request) {
  const std::string* const m = request.param("m");
  if (m == nullptr) return absl::InvalidArgumentError("Missing parameter <code>m</code>");
  HOURCELL_ASSIGN_OR_RETURN(SeriesText series, ParseSeriesText(*m));
  LookupQuery query{.metric = std::move(series.metric), .tags = std::move(series.tags)};
  query.limit = kLookupLimitDefault;
  HOURCELL_RETURN_IF_ERROR(ReadCountParam(request, "limit", &query.limit));
  HOURCELL_RETURN_IF_ERROR(ReadCountParam(request, "start_index", &query.start_index));
  HOURCELL_RETURN_IF_ERROR(ReadCountParam(request, "startIndex", &query.start_index));
  HOURCELL_RETURN_IF_ERROR(CheckLookup(query));
  return query;
}

HttpResponse HandleSearch(const HttpRequest& request, Tsdb* tsdb, Clock* clock) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method || (*method != HttpMethod::kGet && *method != HttpMethod::kPost)) {
    return MethodNotAllowed(request);
  }
  const absl::StatusOr<Route> route = ParseRoute(request.path);
  const std::string type = route.ok() ? route->sub : std::string();
  if (type == "lookup") return AnswerLookup(request, tsdb, clock);
  if (std::ranges::find(kOtherTypes, type) != std::end(kOtherTypes)) {
    return HttpError(400, "Searching is not enabled");
  }
  return HttpError(400, "Invalid search query type supplied",
                   fmt::format("got {}; want lookup", type.empty() ? "none" : type));
}

}  // namespace hourcell
