#include "server/cli/data/query_exchange.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/point.h"
#include "codec/text/number.h"
#include "engine/query.h"
#include "engine/query/function_spec.h"
#include "server/query/query_echo.h"

namespace hourcell {
namespace {

void AddFilter(const TagFilterSpec& filter, JsonWriter* json) {
  json->OpenObject();
  json->Field("type", FilterTypeName(filter.type));
  json->Field("tagk", filter.tagk);
  json->Field("filter", filter.filter);
  json->Field("groupBy", filter.group_by);
  json->CloseObject();
}

void AddRate(const RateSpec& rate, JsonWriter* json) {
  json->Field("rate", true);
  json->Key("rateOptions");
  json->OpenObject();
  json->Field("counter", rate.counter);
  json->Field("counterMax", rate.counter_max);
  json->Field("resetValue", rate.reset_value);
  json->Field("dropResets", rate.drop_resets);
  json->CloseObject();
}

void AddTexts(std::string_view key, const std::vector<std::string>& texts, JsonWriter* json) {
  if (texts.empty()) return;
  json->Key(key);
  json->OpenArray();
  for (const std::string& text : texts)
    json->Value(text);
  json->CloseArray();
}

// Fields that few queries have: without them, the body is also for servers that do not know them.
void AddRareFields(const SubQuery& query, JsonWriter* json) {
  if (!query.percentiles.empty()) {
    json->Key("percentiles");
    json->OpenArray();
    for (const double percentile : query.percentiles)
      AppendJavaDouble(percentile, json->RawValue());
    json->CloseArray();
  }
  if (query.show_histogram_buckets) json->Field("showHistogramBuckets", true);
  std::vector<std::string> functions;
  for (const FunctionSpec& function : query.functions)
    functions.push_back(FunctionText(function));
  AddTexts("functions", functions, json);
  if (query.rollup_usage != RollupUsage::kNoFallback) {
    json->Field("rollupUsage", RollupUsageName(query.rollup_usage));
  }
  if (query.pre_aggregate) json->Field("preAggregate", true);
}

void AddSubQuery(const SubQuery& query, JsonWriter* json) {
  json->OpenObject();
  json->Field("aggregator", AggregatorName(query.aggregator));
  if (query.tsuids.empty()) json->Field("metric", query.metric);
  AddTexts("tsuids", query.tsuids, json);
  if (query.downsample.has_value()) json->Field("downsample", DownsampleText(*query.downsample));
  if (query.rate.has_value()) AddRate(*query.rate, json);
  json->Field("explicitTags", query.explicit_tags);
  json->Key("filters");
  json->OpenArray();
  for (const TagFilterSpec& filter : query.filters)
    AddFilter(filter, json);
  json->CloseArray();
  AddRareFields(query, json);
  json->CloseObject();
}

// A number of ten digits or fewer means seconds, so it needs the unit "ms". Larger numbers omit the
// unit, which OpenTSDB does not know.
std::string MsText(int64_t ms) {
  constexpr int64_t kElevenDigits = 10'000'000'000;
  return ms < kElevenDigits ? fmt::format("{}ms", ms) : fmt::format("{}", ms);
}

absl::Status NotAnAnswer(std::string_view what) {
  return absl::DataLossError(fmt::format("/api/query: the answer has {}", what));
}

absl::StatusOr<Value> ParseJsonValue(simdjson::dom::element element) {
  int64_t integer = 0;
  if (element.is<int64_t>() && element.get(integer) == simdjson::SUCCESS) {
    return Value::Integer(integer);
  }
  double floating = std::numeric_limits<double>::quiet_NaN();
  std::string_view text;
  if (element.is_null() || (element.get(text) == simdjson::SUCCESS && text == "NaN")) {
    return Value::Float(floating);
  }
  if (element.get(floating) == simdjson::SUCCESS) return Value::Float(floating);
  return NotAnAnswer("a value that is not a number");
}

absl::StatusOr<ResultPoint> ParseJsonPoint(simdjson::dom::element element) {
  ResultPoint point;
  simdjson::dom::element value;
  if (element.at(0).get(point.ms) != simdjson::SUCCESS ||
      element.at(1).get(value) != simdjson::SUCCESS) {
    return NotAnAnswer("a point that is not [time, value]");
  }
  HOURCELL_ASSIGN_OR_RETURN(point.value, ParseJsonValue(value));
  return point;
}

absl::StatusOr<ResultSeries> ParseJsonSeries(simdjson::dom::element element) {
  ResultSeries series;
  simdjson::dom::object tags;
  simdjson::dom::array points;
  std::string_view metric;
  if (element["metric"].get(metric) != simdjson::SUCCESS ||
      element["tags"].get(tags) != simdjson::SUCCESS ||
      element["dps"].get(points) != simdjson::SUCCESS) {
    return NotAnAnswer("a series without metric, tags or dps");
  }
  series.metric = metric;
  for (const auto& [key, value] : tags) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return NotAnAnswer("a tag that is not text");
    series.tags.emplace_back(key, text);
  }
  for (const simdjson::dom::element point : points) {
    HOURCELL_ASSIGN_OR_RETURN(const ResultPoint parsed, ParseJsonPoint(point));
    series.points.push_back(parsed);
  }
  return series;
}

absl::StatusOr<PlanReport> ParseJsonPlan(simdjson::dom::element element) {
  PlanReport plan;
  uint64_t query_index = 0;
  std::string_view method;
  const std::pair<std::string_view, uint64_t*> numbers[] = {
      {"query", &query_index},
      {"metricSeries", &plan.metric_series},
      {"series", &plan.series},
      {"groups", &plan.groups},
      {"hours", &plan.hours},
      {"expectedRows", &plan.expected_rows},
      {"expectedBytes", &plan.expected_bytes},
      {"rows", &plan.cost.rows},
      {"rowsSkipped", &plan.cost.rows_skipped},
      {"points", &plan.cost.points},
      {"bytes", &plan.cost.bytes},
      {"memory", &plan.cost.memory}};
  for (const auto& [name, number] : numbers) {
    if (element[name].get(*number) != simdjson::SUCCESS) {
      return NotAnAnswer(fmt::format("an explanation without {}", name));
    }
  }
  if (element["method"].get(method) != simdjson::SUCCESS) {
    return NotAnAnswer("an explanation without method");
  }
  // Servers without rows of days do not count them.
  if (element["dayRows"].get(plan.cost.day_rows) != simdjson::SUCCESS) plan.cost.day_rows = 0;
  plan.query_index = query_index;
  plan.method = method;
  plan.cost.series = plan.series;
  return plan;
}

}  // namespace

std::string QueryBody(const QuerySpec& spec, bool explain) {
  std::string body;
  JsonWriter json(&body);
  json.OpenObject();
  json.Field("start", MsText(spec.start_ms));
  json.Field("end", MsText(spec.end_ms));
  json.Field("msResolution", true);
  json.Key("queries");
  json.OpenArray();
  for (const SubQuery& query : spec.queries)
    AddSubQuery(query, &json);
  json.CloseArray();
  if (explain) json.Field("explain", true);
  json.CloseObject();
  return body;
}

absl::StatusOr<QueryReply> ParseQueryReply(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  if (parser.parse(body.data(), body.size()).get(list) != simdjson::SUCCESS) {
    return NotAnAnswer("no list of series");
  }
  QueryReply reply;
  for (const simdjson::dom::element element : list) {
    simdjson::dom::array plans;
    if (element["explain"].get(plans) != simdjson::SUCCESS) {
      HOURCELL_ASSIGN_OR_RETURN(ResultSeries series, ParseJsonSeries(element));
      reply.series.push_back(std::move(series));
      continue;
    }
    for (const simdjson::dom::element item : plans) {
      HOURCELL_ASSIGN_OR_RETURN(PlanReport plan, ParseJsonPlan(item));
      reply.plans.push_back(std::move(plan));
    }
  }
  return reply;
}

}  // namespace hourcell
