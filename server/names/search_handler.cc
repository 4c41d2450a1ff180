#include "server/names/search_handler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/clock.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/names/search_json.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kLookupType = "LOOKUP";
constexpr std::string_view kOtherTypes[] = {"tsmeta", "tsmeta_summary", "tsuids", "uidmeta",
                                            "annotation"};

absl::Status ReadCountParam(const HttpRequest& request, std::string_view name, uint64_t* count) {
  const std::string* const text = request.param(name);
  if (text == nullptr) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(*count, ParseLookupCount(name, *text));
  return absl::OkStatus();
}

// Prints the series of an answer as they are found.
class LookupWriter {
 public:
  // All are borrowed.
  LookupWriter(const LookupQuery& query, MonotonicClock* clock, BodyWriter* body)
      : query_(query), clock_(*clock), body_(*body), start_ms_(clock->MonotonicMs()) {}

  void Begin() {
    json_.OpenObject();
    json_.Field("type", kLookupType);
    AddLookupQuery(query_, &json_);
    json_.Key("time");
    time_at_ = json_.RawValue()->size();
    json_.Key("results");
    json_.OpenArray();
  }
  // False if the client hung up: see status().
  bool Add(const FoundSeries& series) {
    AppendFoundSeries(series, json_.RawValue());
    if (body_.buffer().size() >= kBodyPieceBytes) InsertTime();
    status_ = body_.Offer();
    return status_.ok();
  }
  void Finish(uint64_t total) {
    InsertTime();
    json_.CloseArray();
    json_.Field("startIndex", query_.start_index);
    json_.Field("totalResults", total);
    json_.CloseObject();
  }

  const absl::Status& status() const { return status_; }

 private:
  // Inserts the elapsed time before the series. A long answer has the time to its first piece.
  void InsertTime() {
    if (!time_at_.has_value()) return;
    std::string text;
    AppendJavaDouble(static_cast<double>(clock_.MonotonicMs() - start_ms_), &text);
    body_.buffer().insert(*time_at_, text);
    time_at_.reset();
  }

  const LookupQuery& query_;
  MonotonicClock& clock_;
  BodyWriter& body_;
  JsonWriter json_{&body_.buffer()};
  const int64_t start_ms_;
  std::optional<size_t> time_at_;  // the place of the time in the buffer; nothing once inserted
  absl::Status status_;
};

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
    LookupWriter writer(parsed, service.clock, body);
    writer.Begin();
    const auto add = [&writer](const FoundSeries& series) { return writer.Add(series); };
    const absl::StatusOr<uint64_t> total =
        service.tsdb->queries().LookupSeries(parsed, add, control);
    HOURCELL_RETURN_IF_ERROR(writer.status());
    HOURCELL_RETURN_IF_ERROR(total.status());
    writer.Finish(*total);
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
  if (std::ranges::find(kOtherTypes, type) != std::end(kOtherTypes)) {
    return HttpError(400, "Searching is not enabled");
  }
  return HttpError(
      400, "Invalid search query type supplied",
      fmt::format("expected lookup, got {}", type.empty() ? "none" : TextForMessage(type)));
}

}  // namespace hourcell
