#include "server/changes/change_handler.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/text/number.h"
#include "engine/tsdb.h"
#include "server/changes/change_request.h"
#include "server/changes/change_search.h"
#include "server/changes/churn_search.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"

namespace hourcell {
namespace {

std::string_view ChangeTypeName(ChangeType type) {
  switch (type) {
    case ChangeType::kMoved:
      return "moved";
    case ChangeType::kStarted:
      return "started";
    case ChangeType::kEnded:
      break;
  }
  return "ended";
}

void AddChangeTimes(const ChangeTimes& times, JsonWriter* json) {
  json->Field("before", times.before_ms());
  json->Field("start", times.start_ms);
  json->Field("end", times.end_ms);
  json->Field("step", times.step_ms);
}

// The text in the list of queries.
std::string ListedChanges(const ChangeRequest& request) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", "CHANGES");
  AddChangeTimes(request.times, &json);
  json.Key("tags");
  json.OpenArray();
  for (const TagMatch& tag : request.tags)
    json.Value(tag.tagk + "=" + tag.tagv);
  json.CloseArray();
  if (!request.metric.empty()) json.Field("metric", request.metric);
  json.CloseObject();
  return text;
}

void AddDouble(std::string_view key, double value, JsonWriter* json) {
  json->Key(key);
  AppendJavaDouble(value, json->RawValue());
}

void AddRangeValues(std::string_view key, const RangeValues& range, JsonWriter* json) {
  json->Key(key);
  json->OpenObject();
  json->Field("values", static_cast<uint64_t>(range.values));
  if (range.values > 0) {
    AddDouble("mean", range.mean, json);
    AddDouble("min", range.min, json);
    AddDouble("max", range.max, json);
  }
  json->CloseObject();
}

void AddChangedSeries(const std::vector<std::pair<std::string, std::string>>& tags,
                      std::string_view tsuid,
                      ChangeType type,
                      JsonWriter* json) {
  json->Key("tags");
  json->OpenObject();
  for (const auto& [tagk, tagv] : tags)
    json->Field(tagk, tagv);
  json->CloseObject();
  json->Field("tsuid", tsuid);
  json->Field("change", ChangeTypeName(type));
}

void AddChange(const ChangedMetric& change, JsonWriter* json) {
  json->OpenObject();
  json->Field("metric", change.metric);
  AddChangedSeries(change.tags, change.tsuid, change.score.type, json);
  AddDouble("score", change.score.score, json);
  json->Field("rate", change.score.is_rate);
  json->Field("series", change.series);
  json->Field("moved", change.moved);
  AddRangeValues("before", change.score.before, json);
  AddRangeValues("now", change.score.now, json);
  json->Key("line");
  json->OpenArray();
  for (const auto& [ms, value] : change.score.line) {
    json->OpenArray();
    json->Value(ms);
    AppendJavaDouble(value, json->RawValue());
    json->CloseArray();
  }
  json->CloseArray();
  json->CloseObject();
}

absl::Status PrintChanges(const ChangeRequest& request,
                          const QueryService& service,
                          int64_t deadline_ms,
                          QueryControl* control,
                          BodyWriter* body) {
  const std::unique_ptr<MemoryAccount> memory = service.tsdb->queries().LeaseQueryMemory(control);
  HOURCELL_ASSIGN_OR_RETURN(const ChangeReport report,
                            FindChanges(request, service, deadline_ms, control, memory.get()));
  JsonWriter json(&body->buffer());
  json.OpenObject();
  AddChangeTimes(request.times, &json);
  json.Field("series", report.series);
  json.Field("compared", report.compared);
  json.Field("metrics", report.metrics);
  json.Field("timedOut", report.timed_out);
  json.Key("changes");
  json.OpenArray();
  for (const ChangedMetric& change : report.changes) {
    AddChange(change, &json);
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  json.CloseArray();
  json.CloseObject();
  return absl::OkStatus();
}

// The text in the list of queries.
std::string ListedChurn(const ChurnRequest& request) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", "CHURN");
  AddChangeTimes(request.times, &json);
  json.Field("metric", request.metric);
  json.CloseObject();
  return text;
}

absl::Status PrintChurn(const ChurnRequest& request,
                        const QueryService& service,
                        int64_t deadline_ms,
                        QueryControl* control,
                        BodyWriter* body) {
  const std::unique_ptr<MemoryAccount> memory = service.tsdb->queries().LeaseQueryMemory(control);
  HOURCELL_ASSIGN_OR_RETURN(const ChurnReport report,
                            FindChurn(request, service, deadline_ms, control, memory.get()));
  JsonWriter json(&body->buffer());
  json.OpenObject();
  AddChangeTimes(request.times, &json);
  json.Field("series", report.series);
  json.Field("started", report.started);
  json.Field("ended", report.ended);
  json.Key("list");
  json.OpenArray();
  for (const ChurnedSeries& series : report.list) {
    json.OpenObject();
    AddChangedSeries(series.tags, series.tsuid, series.type, &json);
    json.Field("first", series.first_ms);
    json.Field("last", series.last_ms);
    json.CloseObject();
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  json.CloseArray();
  json.CloseObject();
  return absl::OkStatus();
}

}  // namespace

HttpResponse HandleChanges(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<ChangeRequest> parsed =
      ParseChangeRequest(request, service.clock->NowMs(), service.timezone);
  if (!parsed.ok()) return HttpError(400, parsed.status());
  std::string text = ListedChanges(*parsed);
  const auto print = [&service, deadline_ms = request.deadline_ms, search = *std::move(parsed)](
                         QueryControl* control, BodyWriter* body) {
    return PrintChanges(search, service, deadline_ms, control, body);
  };
  return ListedResponse(service, request, std::move(text), print, &QueryError);
}

HttpResponse HandleChurn(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<ChurnRequest> parsed =
      ParseChurnRequest(request, service.clock->NowMs(), service.timezone);
  if (!parsed.ok()) return HttpError(400, parsed.status());
  std::string text = ListedChurn(*parsed);
  const auto print = [&service, deadline_ms = request.deadline_ms, search = *std::move(parsed)](
                         QueryControl* control, BodyWriter* body) {
    return PrintChurn(search, service, deadline_ms, control, body);
  };
  return ListedResponse(service, request, std::move(text), print, &QueryError);
}

}  // namespace hourcell
