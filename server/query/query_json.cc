#include "server/query/query_json.h"

#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/number.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// Takes integers, integers as text, and doubles in the range of int64, truncated.
absl::StatusOr<int64_t> IntegerField(std::string_view field, element value) {
  if (value.type() == element_type::INT64) return int64_t(value);
  if (value.type() == element_type::STRING) {
    const Parsed<int64_t> number = ParseInteger(std::string_view(value));
    if (number.ok()) return *number;
  }
  if (value.type() == element_type::DOUBLE) {
    const double number(value);
    if (number >= -0x1p63 && number < 0x1p63) return static_cast<int64_t>(number);
  }
  return WrongJsonInteger(field, simdjson::to_string(value));
}

absl::Status ParseRateOptions(element value, RateSpec* rate) {
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("rateOptions", "an object");
  for (const auto [key, field] : object) {
    if (field.is_null()) continue;
    if (key == "counter") {
      HOURCELL_ASSIGN_OR_RETURN(rate->counter, JsonBool(key, field));
    } else if (key == "dropResets") {
      HOURCELL_ASSIGN_OR_RETURN(rate->drop_resets, JsonBool(key, field));
    } else if (key == "counterMax") {
      HOURCELL_ASSIGN_OR_RETURN(rate->counter_max, IntegerField(key, field));
    } else if (key == "resetValue") {
      HOURCELL_ASSIGN_OR_RETURN(rate->reset_value, IntegerField(key, field));
    }
  }
  return absl::OkStatus();
}

absl::Status ParseTags(element value, std::vector<TagFilterSpec>* filters) {
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("tags", "an object");
  for (const auto [tagk, field] : object) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string text, JsonText("tags", field));
    if (tagk.empty() || text.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("invalid tag: {}={}", TextForMessage(tagk), TextForMessage(text)));
    }
    HOURCELL_ASSIGN_OR_RETURN(TagFilterSpec filter,
                              ParseTagValueFilter(tagk, text, /*group_by=*/true));
    filters->push_back(std::move(filter));
  }
  return absl::OkStatus();
}

absl::StatusOr<TagFilterSpec> ParseFilter(element value) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("filters", "an array of objects");
  TagFilterSpec filter;
  std::string type;
  for (const auto [key, field] : object) {
    if (key == "type") {
      HOURCELL_ASSIGN_OR_RETURN(type, JsonText(key, field));
    } else if (key == "tagk") {
      HOURCELL_ASSIGN_OR_RETURN(filter.tagk, JsonText(key, field));
    } else if (key == "filter") {
      HOURCELL_ASSIGN_OR_RETURN(filter.filter, JsonText(key, field));
    } else if (key == "groupBy" || key == "group_by") {
      HOURCELL_ASSIGN_OR_RETURN(filter.group_by, JsonBool(key, field));
    }
  }
  if (filter.tagk.empty()) return absl::InvalidArgumentError("Filter has no tagk");
  HOURCELL_ASSIGN_OR_RETURN(filter.type, ParseFilterType(type));
  if (filter.type == FilterType::kNotKey) {
    filter.group_by = false;  // no value to group by
  } else if (filter.filter.empty()) {
    return absl::InvalidArgumentError("Filter is empty");
  }
  return filter;
}

absl::StatusOr<std::vector<std::string>> ParseTsuids(element value) {
  std::vector<std::string> tsuids;
  if (value.is_null()) return tsuids;
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("tsuids", "an array of strings");
  for (const element item : array) {
    if (!item.is_string()) return WrongJsonType("tsuids", "an array of strings");
    HOURCELL_ASSIGN_OR_RETURN(std::string tsuid, ParseQueryTsuid(std::string_view(item)));
    tsuids.push_back(std::move(tsuid));
  }
  return tsuids;
}

absl::StatusOr<std::vector<double>> ParsePercentiles(element value) {
  std::vector<double> percentiles;
  if (value.is_null()) return percentiles;
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("percentiles", "an array of numbers");
  for (const element item : array) {
    if (!item.is_number()) return WrongJsonType("percentiles", "an array of numbers");
    percentiles.push_back(double(item));
  }
  return percentiles;
}

absl::StatusOr<std::vector<FunctionSpec>> ParseFunctions(element value) {
  std::vector<FunctionSpec> functions;
  if (value.is_null()) return functions;
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("functions", "an array of strings");
  if (array.size() > kQueryFunctionsMax) {
    return absl::InvalidArgumentError(fmt::format(
        "functions: too many; expected at most {}, got {}", kQueryFunctionsMax, array.size()));
  }
  for (const element item : array) {
    if (!item.is_string()) return WrongJsonType("functions", "an array of strings");
    HOURCELL_ASSIGN_OR_RETURN(const FunctionSpec function,
                              ParseFunctionSpec(std::string_view(item)));
    functions.push_back(function);
  }
  return functions;
}

// Fields of a sub query that depend on others, or that a repeated field replaces as a whole.
struct SubQueryParts {
  std::string aggregator;
  std::string downsample;
  bool rate = false;
  RateSpec rate_options;
  std::vector<TagFilterSpec> from_tags;
  std::vector<TagFilterSpec> from_filters;
};

absl::Status ReadSubQueryField(std::string_view key,
                               element field,
                               SubQueryParts* parts,
                               SubQuery* query) {
  if (key == "aggregator") {
    HOURCELL_ASSIGN_OR_RETURN(parts->aggregator, JsonText(key, field));
  } else if (key == "metric") {
    HOURCELL_ASSIGN_OR_RETURN(query->metric, JsonText(key, field));
  } else if (key == "downsample") {
    HOURCELL_ASSIGN_OR_RETURN(parts->downsample, JsonText(key, field));
  } else if (key == "rate") {
    HOURCELL_ASSIGN_OR_RETURN(parts->rate, JsonBool(key, field));
  } else if (key == "rateOptions") {
    parts->rate_options = {};
    return ParseRateOptions(field, &parts->rate_options);
  } else if (key == "tags") {
    parts->from_tags.clear();
    return ParseTags(field, &parts->from_tags);
  } else if (key == "filters") {
    parts->from_filters.clear();
    return AppendJsonFilters(field, &parts->from_filters);
  } else if (key == "explicitTags") {
    HOURCELL_ASSIGN_OR_RETURN(query->explicit_tags, JsonBool(key, field));
  } else if (key == "tsuids") {
    HOURCELL_ASSIGN_OR_RETURN(query->tsuids, ParseTsuids(field));
  } else if (key == "percentiles") {
    HOURCELL_ASSIGN_OR_RETURN(query->percentiles, ParsePercentiles(field));
  } else if (key == "functions") {
    HOURCELL_ASSIGN_OR_RETURN(query->functions, ParseFunctions(field));
  } else if (key == "showHistogramBuckets") {
    HOURCELL_ASSIGN_OR_RETURN(query->show_histogram_buckets, JsonBool(key, field));
  } else if (key == "preAggregate" && !field.is_null()) {
    HOURCELL_ASSIGN_OR_RETURN(query->pre_aggregate, JsonBool(key, field));
  } else if (key == "rollupUsage" && !field.is_null()) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string usage, JsonText(key, field));
    query->rollup_usage = ParseRollupUsage(usage);
  }
  return absl::OkStatus();
}

absl::StatusOr<SubQuery> ParseSubQuery(element value) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("queries", "an array of objects");
  SubQueryParts parts;
  SubQuery query;
  for (const auto [key, field] : object) {
    HOURCELL_RETURN_IF_ERROR(ReadSubQueryField(key, field, &parts, &query));
  }
  HOURCELL_ASSIGN_OR_RETURN(query.aggregator, ParseQueryAggregator(parts.aggregator));
  if (query.metric.empty() && query.tsuids.empty()) {
    return absl::InvalidArgumentError("Missing the metric or tsuids, provide at least one");
  }
  if (!parts.downsample.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(query.downsample, ParseDownsampleSpec(parts.downsample));
  }
  if (parts.rate) query.rate = parts.rate_options;
  query.filters = std::move(parts.from_filters);
  for (TagFilterSpec& filter : parts.from_tags)
    query.filters.push_back(std::move(filter));
  return query;
}

// Fields of a request that depend on others.
struct RequestParts {
  QueryTimes times;
  bool use_calendar = false;
  element queries;
  bool has_queries = false;
};

absl::Status ReadField(std::string_view key,
                       element field,
                       RequestParts* parts,
                       QueryRequest* request) {
  QueryPrinting& printing = request->printing;
  if (key == "start") {
    HOURCELL_ASSIGN_OR_RETURN(parts->times.start, JsonTime(key, field));
  } else if (key == "end") {
    HOURCELL_ASSIGN_OR_RETURN(parts->times.end, JsonTime(key, field));
  } else if (key == "timezone") {
    HOURCELL_ASSIGN_OR_RETURN(parts->times.timezone, JsonText(key, field));
  } else if (key == "useCalendar") {
    HOURCELL_ASSIGN_OR_RETURN(parts->use_calendar, JsonBool(key, field));
  } else if (key == "msResolution") {
    HOURCELL_ASSIGN_OR_RETURN(printing.ms, JsonBool(key, field));
  } else if (key == "showTSUIDs") {
    HOURCELL_ASSIGN_OR_RETURN(printing.show_tsuids, JsonBool(key, field));
  } else if (key == "showQuery") {
    HOURCELL_ASSIGN_OR_RETURN(printing.show_query, JsonBool(key, field));
  } else if (key == "showSummary") {
    HOURCELL_ASSIGN_OR_RETURN(printing.show_summary, JsonBool(key, field));
  } else if (key == "showStats") {
    HOURCELL_ASSIGN_OR_RETURN(printing.show_stats, JsonBool(key, field));
  } else if (key == "explain") {
    HOURCELL_ASSIGN_OR_RETURN(printing.explain, JsonBool(key, field));
  } else if (key == "showTrace") {
    HOURCELL_ASSIGN_OR_RETURN(printing.trace, JsonBool(key, field));
  } else if (key == "noAnnotations") {
    HOURCELL_ASSIGN_OR_RETURN(const bool none, JsonBool(key, field));
    request->spec.annotations = !none;
  } else if (key == "globalAnnotations") {
    HOURCELL_ASSIGN_OR_RETURN(request->spec.global_annotations, JsonBool(key, field));
  } else if (key == "delete") {
    HOURCELL_ASSIGN_OR_RETURN(request->delete_points, JsonBool(key, field));
  } else if (key == "counts") {
    HOURCELL_ASSIGN_OR_RETURN(request->counts, JsonBool(key, field));
  } else if (key == "dryRun") {
    HOURCELL_ASSIGN_OR_RETURN(request->dry_run, JsonBool(key, field));
  } else if (key == "queries") {
    parts->queries = field;
    parts->has_queries = !field.is_null();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> JsonTime(std::string_view field, element value) {
  if (value.type() != element_type::DOUBLE) return JsonText(field, value);
  const double number(value);
  if (!(std::fabs(number) < 1e15)) return WrongJsonType(field, "a time");
  return number == std::trunc(number) ? fmt::format("{:.0f}", number)
                                      : fmt::format("{:.3f}", number);
}

absl::Status AppendJsonFilters(element value, std::vector<TagFilterSpec>* filters) {
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("filters", "an array of objects");
  for (const element item : array) {
    HOURCELL_ASSIGN_OR_RETURN(TagFilterSpec filter, ParseFilter(item));
    filters->push_back(std::move(filter));
  }
  return absl::OkStatus();
}

absl::StatusOr<QueryRequest> ParseQueryJson(const std::string& body,
                                            int64_t now_ms,
                                            std::string_view default_timezone) {
  if (body.empty()) return absl::InvalidArgumentError("Missing message content");
  if (body.size() > kQueryBodyBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("query body: too long; expected at most {} bytes, got {}", kQueryBodyBytesMax,
                    body.size()));
  }
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(body).get(object)) return BadJson(body, error);
  QueryRequest request;
  RequestParts parts;
  for (const auto [key, field] : object) {
    HOURCELL_RETURN_IF_ERROR(ReadField(key, field, &parts, &request));
  }
  if (parts.has_queries) {
    simdjson::dom::array queries;
    if (parts.queries.get(queries)) return WrongJsonType("queries", "an array of objects");
    for (const element item : queries) {
      HOURCELL_ASSIGN_OR_RETURN(SubQuery query, ParseSubQuery(item));
      request.spec.queries.push_back(std::move(query));
    }
  }
  if (parts.times.timezone.empty()) parts.times.timezone = default_timezone;
  HOURCELL_RETURN_IF_ERROR(CompleteQueryRequest(parts.times, parts.use_calendar, now_ms, &request));
  return request;
}

}  // namespace hourcell
