#include "server/admin/region_handler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/region_admin.h"
#include "server/admin/region_json.h"
#include "server/http/http_status.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

HttpResponse Answer(absl::StatusOr<std::string> body) {
  if (!body.ok()) return FailureResponse(Failed::kChange, body.status());
  HttpResponse response;
  response.body = *std::move(body);
  return response;
}

// The beginning of an answer.
std::string Head(std::string_view table) {
  std::string body = "{\"table\":";
  AppendJsonString(table, &body);
  return body;
}

std::string TableOf(const HttpRequest& request) {
  const std::string* const table = request.param("table");
  return table == nullptr ? "data" : *table;
}

ListDetail DetailOf(const HttpRequest& request) {
  return request.has_param("explain") ? ListDetail::kExplained : ListDetail::kPlain;
}

absl::StatusOr<std::string> ListRegions(RegionAdmin* admin,
                                        const std::string& table,
                                        ListDetail detail) {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<ListedRegion> regions, admin->List(table, detail));
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<RollingProgress> rolling,
                            admin->UnfinishedRollingSplit(table));
  std::string body = Head(table) + ",\"regions\":";
  AppendRegions(regions, &body);
  if (rolling.has_value()) {
    body += ",\"rolling\":";
    AppendRolling(*rolling, &body);
  }
  return body + "}";
}

absl::StatusOr<std::string> CheckRegions(RegionAdmin* admin, const std::string& table) {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> findings, admin->Check(table));
  std::string body = Head(table) + ",\"findings\":[";
  for (const std::string& finding : findings) {
    if (&finding != findings.data()) body += ',';
    AppendJsonString(finding, &body);
  }
  return body + "]}";
}

absl::StatusOr<std::string> ListLoads(RegionAdmin* admin, const HttpRequest& request) {
  uint64_t since_ms = 0;
  if (const std::string* const since = request.param("since"); since != nullptr) {
    const std::optional<uint64_t> ms = ParseUnsigned(*since);
    if (!ms.has_value()) {
      return absl::InvalidArgumentError(
          fmt::format("since: expected milliseconds since 1970, got {}", QuoteForMessage(*since)));
    }
    since_ms = *ms;
  }
  const std::string table = TableOf(request);
  HOURCELL_ASSIGN_OR_RETURN(const RegionLoadReport report,
                            admin->Loads(table, since_ms, DetailOf(request)));
  std::string body;
  AppendRegionLoads(table, report, &body);
  return body;
}

absl::StatusOr<std::string> PlanSplit(RegionAdmin* admin, const SplitRequest& request) {
  HOURCELL_ASSIGN_OR_RETURN(const SplitPlan plan, admin->PlanSplit(request));
  std::string body;
  JsonWriter json(&body);
  json.OpenObject();
  json.Field("table", request.table);
  AppendSplitPlan(plan, &json);
  json.CloseObject();
  return body;
}

absl::StatusOr<std::string> SplitRegion(RegionAdmin* admin, const std::string& request) {
  HOURCELL_ASSIGN_OR_RETURN(const SplitBody wanted, ParseSplitJson(request));
  if (wanted.is_dry_run) return PlanSplit(admin, wanted.split);
  HOURCELL_ASSIGN_OR_RETURN(const SplitDone done, admin->Split(wanted.split));
  std::string body =
      Head(wanted.split.table) + ",\"parent\":" + std::to_string(done.parent) + ",\"daughters\":";
  AppendRegions(done.daughters, &body);
  return body + "}";
}

absl::StatusOr<std::string> MergeRegions(RegionAdmin* admin, const std::string& request) {
  HOURCELL_ASSIGN_OR_RETURN(const MergeRequest wanted, ParseMergeJson(request));
  HOURCELL_ASSIGN_OR_RETURN(const ListedRegion merged, admin->Merge(wanted.table, wanted.regions));
  std::string body = Head(wanted.table) + ",\"merged\":";
  AppendRegion(merged, &body);
  return body + "}";
}

absl::StatusOr<std::string> RollRegions(RegionAdmin* admin, const std::string& request) {
  HOURCELL_ASSIGN_OR_RETURN(const RollingSplitRequest wanted, ParseRollingJson(request));
  std::string body = Head(wanted.table);
  if (wanted.abandon) {
    HOURCELL_RETURN_IF_ERROR(admin->AbandonRollingSplit(wanted.table));
    return body + ",\"abandoned\":true}";
  }
  HOURCELL_ASSIGN_OR_RETURN(const RollingProgress progress,
                            admin->RollingSplit(wanted.table, wanted.split));
  body += ",\"rolling\":";
  AppendRolling(progress, &body);
  return body + "}";
}

std::optional<HttpResponse> RefusalOf(const absl::Status& status) {
  if (status.ok()) return std::nullopt;
  return FailureResponse(Failed::kChange, status);
}

}  // namespace

HttpResponse RegionHandler::List(const HttpRequest& request) {
  return Answer(ListRegions(tsdb_->maintenance().regions(), TableOf(request), DetailOf(request)));
}

HttpResponse RegionHandler::Loads(const HttpRequest& request) {
  return Answer(ListLoads(tsdb_->maintenance().regions(), request));
}

HttpResponse RegionHandler::Check(const HttpRequest& request) {
  return Answer(CheckRegions(tsdb_->maintenance().regions(), TableOf(request)));
}

HttpResponse RegionHandler::Split(const HttpRequest& request) {
  return Answer(SplitRegion(tsdb_->maintenance().regions(), request.body));
}

HttpResponse RegionHandler::Merge(const HttpRequest& request) {
  return Answer(MergeRegions(tsdb_->maintenance().regions(), request.body));
}

HttpResponse RegionHandler::Rolling(const HttpRequest& request) {
  return Answer(RollRegions(tsdb_->maintenance().regions(), request.body));
}

std::optional<HttpResponse> RegionHandler::RefuseSplit(const HttpRequest& request) {
  return RefusalOf(ParseSplitJson(request.body).status());
}

std::optional<HttpResponse> RegionHandler::RefuseMerge(const HttpRequest& request) {
  return RefusalOf(ParseMergeJson(request.body).status());
}

std::optional<HttpResponse> RegionHandler::RefuseRolling(const HttpRequest& request) {
  return RefusalOf(ParseRollingJson(request.body).status());
}

std::optional<RollingProgress> RegionHandler::RollingSoFar(const std::string& table) const {
  absl::StatusOr<std::optional<RollingProgress>> rolling =
      tsdb_->maintenance().regions()->UnfinishedRollingSplit(table);
  if (!rolling.ok()) return std::nullopt;
  return *std::move(rolling);
}

}  // namespace hourcell
