#include "server/cli/query/query_text.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/point.h"
#include "codec/text/number.h"
#include "engine/query.h"
#include "server/cli/query/java_text.h"
#include "server/query/query_echo.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

void AppendField(std::string_view name, std::string_view text, std::string* out) {
  AppendJsonString(name, out);
  out->push_back(':');
  AppendJsonString(text, out);
}

void AppendFilter(const TagFilterSpec& filter, std::string* out) {
  out->push_back('{');
  AppendField("type", FilterTypeName(filter.type), out);
  out->push_back(',');
  AppendField("tagk", filter.tagk, out);
  out->push_back(',');
  AppendField("filter", filter.filter, out);
  fmt::format_to(std::back_inserter(*out), ",\"groupBy\":{}}}", filter.group_by);
}

void AppendSubQuery(const SubQuery& query, std::string* out) {
  out->push_back('{');
  AppendField("aggregator", AggregatorName(query.aggregator), out);
  out->push_back(',');
  AppendField("metric", query.metric, out);
  if (query.downsample.has_value()) {
    out->push_back(',');
    AppendField("downsample", DownsampleText(*query.downsample), out);
  }
  if (query.rate.has_value()) {
    fmt::format_to(std::back_inserter(*out),
                   ",\"rate\":true,\"rateOptions\":{{\"counter\":{},\"counterMax\":{},"
                   "\"resetValue\":{},\"dropResets\":{}}}",
                   query.rate->counter, query.rate->counter_max, query.rate->reset_value,
                   query.rate->drop_resets);
  }
  fmt::format_to(std::back_inserter(*out), ",\"explicitTags\":{},\"filters\":[",
                 query.explicit_tags);
  for (size_t i = 0; i < query.filters.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendFilter(query.filters[i], out);
  }
  out->append("]}");
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
  plan.query_index = query_index;
  plan.method = method;
  plan.cost.series = plan.series;
  return plan;
}

}  // namespace

std::string QueryBody(const QuerySpec& spec, bool explain) {
  // "Nms": a bare number of ten digits or fewer would be read as seconds.
  std::string body =
      fmt::format("{{\"start\":\"{}ms\",\"end\":\"{}ms\",\"msResolution\":true,\"queries\":[",
                  spec.start_ms, spec.end_ms);
  for (size_t i = 0; i < spec.queries.size(); ++i) {
    if (i > 0) body.push_back(',');
    AppendSubQuery(spec.queries[i], &body);
  }
  body.append(explain ? "],\"explain\":true}" : "]}");
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

void AppendSeriesLines(const ResultSeries& series, std::string* out) {
  std::vector<TagView> tags;
  for (const auto& [key, value] : series.tags)
    tags.push_back({key, value});
  std::string tail = " ";
  AppendJavaTags(tags, &tail);
  tail.push_back('\n');
  for (const ResultPoint& point : series.points) {
    fmt::format_to(std::back_inserter(*out), "{} {} ", series.metric, point.ms);
    if (point.value.is_integer()) {
      fmt::format_to(std::back_inserter(*out), "{}", point.value.integer());
    } else {
      AppendJavaDouble(point.value.floating(), out);
    }
    out->append(tail);
  }
}

}  // namespace hourcell
