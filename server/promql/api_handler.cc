#include "server/promql/api_handler.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "promql/text/parser.h"
#include "server/config/build_info.h"
#include "server/config/version.h"
#include "server/http/body/body_writer.h"
#include "server/promql/prom_response.h"
#include "server/promql/request_params.h"

namespace hourcell {
namespace {

// The API is that of this version of Prometheus. Clients choose their requests by it.
constexpr std::string_view kPrometheusVersion = "2.42.0";

constexpr size_t kTsdbMetricsDefault = 10;
constexpr size_t kTsdbMetricsMax = 10'000;

absl::Status PrintTsdb(const MetricSearch& search,
                       Tsdb* tsdb,
                       QueryControl* control,
                       BodyWriter* body) {
  HOURCELL_ASSIGN_OR_RETURN(const MetricRanking ranking,
                            tsdb->names().RankMetrics(search, control));
  JsonWriter json(&body->buffer());
  json.OpenObject();
  json.Field("status", "success");
  json.Key("data");
  json.OpenObject();
  json.Key("headStats");
  json.OpenObject();
  json.Field("numSeries", ranking.series);
  for (const std::string_view unknown : {"numLabelPairs", "chunkCount", "minTime", "maxTime"})
    json.Field(unknown, 0);
  json.CloseObject();
  json.Key("seriesCountByMetricName");
  json.OpenArray();
  for (const RankedMetric& metric : ranking.metrics) {
    json.OpenObject();
    json.Field("name", metric.name);
    json.Field("value", metric.series);
    json.CloseObject();
  }
  json.CloseArray();
  for (const std::string_view unknown :
       {"labelValueCountByLabelName", "memoryInBytesByLabelName", "seriesCountByLabelValuePair"}) {
    json.Key(unknown);
    json.OpenArray();
    json.CloseArray();
  }
  json.CloseObject();
  json.CloseObject();
  return absl::OkStatus();
}

}  // namespace

HttpResponse HandleFormatQuery(const HttpRequest& request) {
  const absl::StatusOr<PromParams> params = PromParams::Of(request);
  if (!params.ok()) return PromBadData(MessageOf(params.status()));
  const absl::StatusOr<promql::ExpressionPtr> expression = promql::ParseQuery(params->Get("query"));
  if (!expression.ok()) return PromBadParameter("query", expression.status());
  std::string data;
  AppendJsonString(promql::ExpressionText(**expression), &data);
  return PromSuccess(data);
}

HttpResponse HandleQueryExemplars(const HttpRequest& request) {
  const absl::StatusOr<PromParams> params = PromParams::Of(request);
  if (!params.ok()) return PromBadData(MessageOf(params.status()));
  for (const std::string_view name : {"start", "end"}) {
    const absl::StatusOr<int64_t> ms = PromTimeOf(*params, name, /*absent_ms=*/0);
    if (!ms.ok()) return PromBadParameter(name, ms.status());
  }
  const absl::StatusOr<promql::ExpressionPtr> expression = promql::ParseQuery(params->Get("query"));
  return expression.ok() ? PromSuccess("[]") : PromBadData(MessageOf(expression.status()));
}

HttpResponse NoPromRules() {
  return PromSuccess(R"({"groups":[]})");
}

HttpResponse NoPromAlerts() {
  return PromSuccess(R"({"alerts":[]})");
}

HttpResponse PromBuildInfoResponse() {
  std::string data;
  JsonWriter json(&data);
  json.OpenObject();
  json.Field("version", kPrometheusVersion);
  json.Field("revision", ThisBuild().commit);
  json.Field("branch", "");
  json.Field("buildUser", "");
  json.Field("buildDate", "");
  json.Field("goVersion", "");
  json.Field("application", "Hourcell");
  json.Field("applicationVersion", kHourcellVersion);
  json.CloseObject();
  return PromSuccess(data);
}

HttpResponse HandlePromTsdb(const HttpRequest& request, const QueryService& service) {
  MetricSearch search{.order = MetricOrder::kSeries, .limit = kTsdbMetricsDefault};
  search.deadline_ms = request.deadline_ms;
  if (const std::string* const text = request.param("limit")) {
    const std::optional<uint64_t> limit = ParseUnsigned(*text);
    if (!limit.has_value() || *limit == 0 || *limit > kTsdbMetricsMax) {
      return PromBadParameter("limit", fmt::format("expected 1 to {}, got {}", kTsdbMetricsMax,
                                                   QuoteForMessage(*text)));
    }
    search.limit = static_cast<size_t>(*limit);
  }
  const auto print = [search, tsdb = service.tsdb](QueryControl* control, BodyWriter* body) {
    return PrintTsdb(search, tsdb, control, body);
  };
  return ListedResponse(service, request, R"({"type":"PROMQL_TSDB"})", print, &PromFailure);
}

}  // namespace hourcell
