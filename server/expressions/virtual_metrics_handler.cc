#include "server/expressions/virtual_metrics_handler.h"

#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "server/expressions/expression_text.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/http/http_status.h"
#include "server/query/query_run.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

// The change that a POST requests.
struct VirtualMetricRequest {
  std::string metric;
  std::string expression;
  std::optional<double> missing;
};

absl::StatusOr<VirtualMetricRequest> ReadVirtualMetricRequest(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  VirtualMetricRequest request;
  for (const auto [key, value] : object) {
    if (key == "metric") {
      HOURCELL_ASSIGN_OR_RETURN(request.metric, JsonText(key, value));
    } else if (key == "expression") {
      HOURCELL_ASSIGN_OR_RETURN(request.expression, JsonText(key, value));
    } else if (key == "missing") {
      double number = 0;
      if (value.is_null()) continue;
      if (value.get(number)) return WrongJsonType(key, "a number");
      request.missing = number;
    } else {
      return absl::InvalidArgumentError(fmt::format(
          "body: expected metric, expression and missing, got {}", QuoteForMessage(key)));
    }
  }
  if (request.metric.empty()) return absl::InvalidArgumentError("metric: missing");
  if (request.expression.empty()) return absl::InvalidArgumentError("expression: missing");
  return request;
}

HttpResponse ListAll(Tsdb* tsdb) {
  const absl::StatusOr<std::vector<VirtualMetric>> metrics = tsdb->names().ListVirtualMetrics();
  if (!metrics.ok()) return QueryError(metrics.status());
  HttpResponse response;
  response.body = VirtualMetricsJson(*metrics);
  return response;
}

HttpResponse DefineOne(const HttpRequest& request, Tsdb* tsdb) {
  const absl::StatusOr<VirtualMetricRequest> read = ReadVirtualMetricRequest(request.body);
  if (!read.ok()) return HttpError(400, read.status());
  const absl::StatusOr<MetricExpression> expression =
      ParseMetricExpression(read->expression, read->missing);
  if (!expression.ok()) return HttpError(400, expression.status());
  const absl::Status defined = tsdb->names().DefineMetric(read->metric, *expression);
  return defined.ok() ? ListAll(tsdb) : FailureResponse(Failed::kChange, defined);
}

HttpResponse DropOne(const HttpRequest& request, Tsdb* tsdb) {
  const std::string* const metric = request.param("metric");
  if (metric == nullptr) return HttpError(400, "Missing parameter <code>metric</code>");
  const absl::Status dropped = tsdb->names().DropMetric(*metric);
  return dropped.ok() ? ListAll(tsdb) : FailureResponse(Failed::kChange, dropped);
}

}  // namespace

std::string VirtualMetricsJson(const std::vector<VirtualMetric>& metrics) {
  std::string body;
  JsonWriter json(&body);
  json.OpenObject();
  json.Key("metrics");
  json.OpenArray();
  for (const VirtualMetric& metric : metrics) {
    json.OpenObject();
    json.Field("metric", metric.name);
    json.Field("expression", MetricExpressionText(metric.expression));
    if (metric.expression.missing.has_value()) {
      json.Key("missing");
      AppendJavaDouble(*metric.expression.missing, json.RawValue());
    }
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return body;
}

HttpResponse HandleVirtualMetrics(const HttpRequest& request, Tsdb* tsdb) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (method == HttpMethod::kGet) return ListAll(tsdb);
  if (method == HttpMethod::kPost) return DefineOne(request, tsdb);
  if (method == HttpMethod::kDelete) return DropOne(request, tsdb);
  return MethodNotAllowed(request);
}

}  // namespace hourcell
