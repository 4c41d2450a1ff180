#include "server/names/search_handler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/names/meta_search.h"
#include "server/names/search_json.h"
#include "server/names/search_writer.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kLookupType = "LOOKUP";

absl::Status ReadCountParam(const HttpRequest& request, std::string_view name, uint64_t* count) {
  const std::string* const text = request.param(name);
  if (text == nullptr) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(*count, ParseLookupCount(name, *text));
  return absl::OkStatus();
}

// The text of a query in the list of queries.
std::string ListedText(const LookupQuery& query) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", kLookupType);
  AddLookupQuery(query, &json);
  json.CloseObject();
  return text;
}

HttpResponse LookupError(const absl::Status& status) {
  if (!absl::IsNotFound(status) && !absl::IsInvalidArgument(status)) return QueryError(status);
  return HttpError(404, "Unable to resolve one or more UIDs", std::string(status.message()));
}

HttpResponse AnswerLookup(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<LookupQuery> query =
      request.method == "POST" ? ParseLookupJson(request.body) : ParseLookupParams(request);
  if (!query.ok()) return HttpError(400, query.status());
  query->deadline_ms = request.deadline_ms;
  std::string text = ListedText(*query);
  const auto print = [&service, parsed = *std::move(query)](QueryControl* control,
                                                            BodyWriter* body) -> absl::Status {
    SearchWriter writer(service.clock, body);
    writer.Begin(kLookupType, [&](JsonWriter* json) { AddLookupQuery(parsed, json); });
    const auto add = [&writer](const FoundSeries& series) {
      AppendFoundSeries(series, writer.NextResult());
      return writer.Offer();
    };
    const absl::StatusOr<uint64_t> total =
        service.tsdb->queries().LookupSeries(parsed, add, control);
    HOURCELL_RETURN_IF_ERROR(writer.status());
    HOURCELL_RETURN_IF_ERROR(total.status());
    writer.Finish(parsed.start_index, *total);
    return absl::OkStatus();
  };
  return ListedResponse(service, request, std::move(text), print, &LookupError);
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

HttpResponse HandleSearch(const HttpRequest& request, const QueryService& service) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method || (*method != HttpMethod::kGet && *method != HttpMethod::kPost)) {
    return MethodNotAllowed(request);
  }
  const absl::StatusOr<Route> route = ParseRoute(request.path);
  const std::string type = route.ok() ? route->sub : std::string();
  if (type == "lookup") return AnswerLookup(request, service);
  if (const std::optional<SearchType> searched = ParseSearchType(type)) {
    return AnswerSearch(*searched, request, service);
  }
  return HttpError(
      400, "Invalid search query type supplied",
      fmt::format("expected annotation, lookup, tsmeta, tsmeta_summary, tsuids or uidmeta, got {}",
                  type.empty() ? "none" : TextForMessage(type)));
}

}  // namespace hourcell
