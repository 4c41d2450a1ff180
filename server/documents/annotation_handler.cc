#include "server/documents/annotation_handler.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/text/point_text.h"
#include "engine/query/query_time.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/query/annotation_json.h"
#include "server/query/query_handler.h"

namespace hourcell {
namespace {

constexpr std::string_view kMissingStart = "Missing start time";

std::string ParamOf(const HttpRequest& request, std::string_view name) {
  const std::string* const value = request.param(name);
  return value != nullptr ? *value : std::string();
}

// The time of an annotation: whole seconds in seconds, others in milliseconds.
int64_t AnnotationTime(int64_t ms) {
  const bool is_seconds = ms % 1000 == 0 || ms <= int64_t{UINT32_MAX};
  return is_seconds && ms <= kTimestampMsMax ? ms / 1000 : ms;
}

// Parses a parameter as the time of an annotation; 0 if it is absent or empty.
absl::StatusOr<int64_t> TimeParam(const HttpRequest& request, std::string_view name, int64_t now) {
  const std::string text = ParamOf(request, name);
  if (text.empty()) return 0;
  HOURCELL_ASSIGN_OR_RETURN(const int64_t ms, ParseQueryTime(text, /*timezone=*/"", now));
  return AnnotationTime(ms);
}

std::optional<std::string> TextParam(const HttpRequest& request, std::string_view name) {
  std::string text = ParamOf(request, name);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

absl::StatusOr<AnnotationEdit> EditFromParams(const HttpRequest& request, int64_t now_ms) {
  AnnotationEdit edit{.tsuid = ParamOf(request, "tsuid"),
                      .description = TextParam(request, "description"),
                      .notes = TextParam(request, "notes")};
  HOURCELL_ASSIGN_OR_RETURN(edit.start_time, TimeParam(request, "start_time", now_ms));
  HOURCELL_ASSIGN_OR_RETURN(const int64_t end, TimeParam(request, "end_time", now_ms));
  if (end != 0) edit.end_time = end;
  return edit;
}

// Parses the fields of one annotation from a request.
absl::StatusOr<AnnotationEdit> ReadEdit(const HttpRequest& request, int64_t now_ms) {
  HOURCELL_ASSIGN_OR_RETURN(AnnotationEdit edit, request.body.empty()
                                                     ? EditFromParams(request, now_ms)
                                                     : ParseAnnotationJson(request.body));
  if (edit.start_time < 1) return absl::InvalidArgumentError(std::string(kMissingStart));
  return edit;
}

HttpResponse BadRequest(const absl::Status& status) {
  return HttpError(400, status);
}

HttpResponse StatusOnly(int status) {
  HttpResponse response;
  response.status = status;
  return response;
}

HttpResponse Answer(const Annotation& annotation) {
  HttpResponse response;
  AppendAnnotation(annotation, &response.body);
  return response;
}

HttpResponse AnswerList(const std::vector<Annotation>& annotations) {
  HttpResponse response;
  response.body = "[";
  for (const Annotation& annotation : annotations) {
    if (&annotation != annotations.data()) response.body += ',';
    AppendAnnotation(annotation, &response.body);
  }
  response.body += ']';
  return response;
}

HttpResponse GetOne(const AnnotationEdit& edit, Tsdb* tsdb) {
  const auto annotation = tsdb->annotations().Get(edit.tsuid, edit.start_time);
  if (!annotation.ok()) return QueryError(annotation.status());
  if (!annotation->has_value()) return HttpError(404, "Unable to locate annotation in storage");
  return Answer(**annotation);
}

HttpResponse GetGlobal(const AnnotationEdit& edit, Tsdb* tsdb, int64_t now_ms) {
  const Parsed<Timestamp> start = TimestampFromInteger(edit.start_time);
  if (!start.ok()) return HttpError(400, start.error().text);
  int64_t end_ms = now_ms;
  if (edit.end_time) {
    const Parsed<Timestamp> end = TimestampFromInteger(*edit.end_time);
    if (!end.ok()) return HttpError(400, end.error().text);
    end_ms = end->ms;
  }
  QueryControl control;
  const auto memory = tsdb->queries().LeaseQueryMemory(&control);  // until the answer is printed
  const auto annotations = tsdb->annotations().Global(start->ms, end_ms, memory.get());
  return annotations.ok() ? AnswerList(*annotations) : QueryError(annotations.status());
}

HttpResponse Write(const AnnotationEdit& edit, AnnotationWrite write, Tsdb* tsdb) {
  if (edit.sets_nothing()) return StatusOnly(304);
  const auto annotations = tsdb->annotations().Put({&edit, 1}, write);
  return annotations.ok() ? Answer(annotations->front()) : QueryError(annotations.status());
}

HttpResponse HandleOne(
    const HttpRequest& request, HttpMethod method, bool lists, Tsdb* tsdb, int64_t now_ms) {
  const absl::StatusOr<AnnotationEdit> edit = ReadEdit(request, now_ms);
  if (!edit.ok()) return BadRequest(edit.status());
  switch (method) {
    case HttpMethod::kGet:
      return lists ? GetGlobal(*edit, tsdb, now_ms) : GetOne(*edit, tsdb);
    case HttpMethod::kPost:
      return Write(*edit, AnnotationWrite::kMerge, tsdb);
    case HttpMethod::kPut:
      return Write(*edit, AnnotationWrite::kReplace, tsdb);
    case HttpMethod::kDelete: {
      const absl::Status deleted = tsdb->annotations().Delete(edit->tsuid, edit->start_time);
      return deleted.ok() ? StatusOnly(204) : QueryError(deleted);
    }
    case HttpMethod::kOptions:
      break;
  }
  return MethodNotAllowed(request);
}

HttpResponse WriteBulk(const HttpRequest& request, AnnotationWrite write, Tsdb* tsdb) {
  absl::StatusOr<std::vector<AnnotationEdit>> edits = ParseAnnotationsJson(request.body);
  if (!edits.ok()) return BadRequest(edits.status());
  for (size_t i = 0; i < edits->size(); ++i) {
    if ((*edits)[i].start_time >= 1) continue;
    return HttpError(400, kMissingStart, fmt::format("Annotation error: number {}", i + 1));
  }
  std::erase_if(*edits, [](const AnnotationEdit& edit) { return edit.sets_nothing(); });
  QueryControl control;
  const auto memory = tsdb->queries().LeaseQueryMemory(&control);  // until the answer is printed
  const auto annotations = tsdb->annotations().Put(*edits, write, memory.get());
  return annotations.ok() ? AnswerList(*annotations) : QueryError(annotations.status());
}

AnnotationRange RangeFromParams(const HttpRequest& request) {
  AnnotationRange range{.start = ParamOf(request, "start_time"),
                        .end = ParamOf(request, "end_time"),
                        .tsuids = {},
                        .global = request.has_param("global")};
  const std::string tsuids = ParamOf(request, "tsuids");
  std::string_view rest = tsuids;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    std::string tsuid(word);
    absl::StripAsciiWhitespace(&tsuid);
    if (!tsuid.empty()) range.tsuids.push_back(std::move(tsuid));
  }
  return range;
}

HttpResponse AnswerDeleted(const AnnotationRange& range,
                           int64_t start_ms,
                           int64_t end_ms,
                           uint64_t deleted) {
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Key("tsuids");
  if (range.tsuids.empty()) {
    json.RawValue()->append("null");
  } else {
    json.OpenArray();
    for (const std::string& tsuid : range.tsuids)
      json.Value(tsuid);
    json.CloseArray();
  }
  json.Field("global", range.global);
  json.Field("startTime", start_ms);
  json.Field("endTime", end_ms);
  json.Field("totalDeleted", deleted);
  json.CloseObject();
  return response;
}

HttpResponse DeleteBulk(const HttpRequest& request, Tsdb* tsdb, int64_t now_ms) {
  const absl::StatusOr<AnnotationRange> range =
      request.body.empty() ? RangeFromParams(request) : ParseAnnotationRangeJson(request.body);
  if (!range.ok()) return BadRequest(range.status());
  // A start of 0 is valid. A missing start must not select everything.
  if (range->start.empty()) return HttpError(400, "Missing the start time value");
  if (!range->global && range->tsuids.empty()) {
    return HttpError(400, "Missing the TSUIDs or global annotations flag");
  }
  const absl::StatusOr<int64_t> start_ms = ParseQueryTime(range->start, /*timezone=*/"", now_ms);
  if (!start_ms.ok()) return BadRequest(start_ms.status());
  const absl::StatusOr<int64_t> end_ms = ParseQueryTime(range->end, /*timezone=*/"", now_ms);
  if (!end_ms.ok()) return BadRequest(end_ms.status());
  if (*end_ms < *start_ms) {
    return HttpError(400, "The end timestamp cannot be less than the start timestamp");
  }
  const auto deleted =
      tsdb->annotations().DeleteRange(range->tsuids, range->global, *start_ms, *end_ms);
  if (!deleted.ok()) return QueryError(deleted.status());
  return AnswerDeleted(*range, *start_ms, *end_ms, *deleted);
}

HttpResponse HandleBulk(const HttpRequest& request, HttpMethod method, Tsdb* tsdb, int64_t now_ms) {
  switch (method) {
    case HttpMethod::kPost:
      return WriteBulk(request, AnnotationWrite::kMerge, tsdb);
    case HttpMethod::kPut:
      return WriteBulk(request, AnnotationWrite::kReplace, tsdb);
    case HttpMethod::kDelete:
      return DeleteBulk(request, tsdb, now_ms);
    case HttpMethod::kGet:
    case HttpMethod::kOptions:
      break;
  }
  return MethodNotAllowed(request);
}

}  // namespace

HttpResponse HandleAnnotation(const HttpRequest& request, Tsdb* tsdb, WallClock* clock) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  const absl::StatusOr<Route> route = ParseRoute(request.path);
  if (!method || !route.ok()) return MethodNotAllowed(request);
  const int64_t now_ms = clock->NowMs();
  if (route->sub == "bulk") return HandleBulk(request, *method, tsdb, now_ms);
  return HandleOne(request, *method, route->endpoint == "annotations", tsdb, now_ms);
}

}  // namespace hourcell
