#include "server/expressions/exp_request.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/query/query_time.h"
#include "server/query/query_json.h"
#include "server/query/query_request.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

absl::Status Missing(std::string_view subject, std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: missing; expected {}", subject, want));
}

absl::StatusOr<object> ObjectOf(std::string_view field, element value) {
  object fields;
  if (value.get(fields)) return WrongJsonType(field, "an object");
  return fields;
}

// The fields of `fields` that are there and not null.
std::optional<element> FieldOf(object fields, std::string_view key) {
  element value;
  if (fields[key].get(value) || value.is_null()) return std::nullopt;
  return value;
}

absl::StatusOr<std::string> TextField(object fields, std::string_view key) {
  const std::optional<element> value = FieldOf(fields, key);
  if (!value.has_value()) return std::string();
  return JsonText(key, *value);
}

absl::StatusOr<bool> BoolField(object fields, std::string_view key, bool otherwise) {
  const std::optional<element> value = FieldOf(fields, key);
  if (!value.has_value()) return otherwise;
  return JsonBool(key, *value);
}

// The objects of a list; none if it is absent.
absl::StatusOr<std::vector<object>> ObjectsOf(object fields, std::string_view key, size_t max) {
  std::vector<object> objects;
  const std::optional<element> value = FieldOf(fields, key);
  if (!value.has_value()) return objects;
  array list;
  if (value->get(list)) return WrongJsonType(key, "an array of objects");
  for (const element item : list) {
    if (objects.size() == max) {
      return absl::InvalidArgumentError(fmt::format("{}: too many; expected at most {}", key, max));
    }
    HOURCELL_ASSIGN_OR_RETURN(object fields_of_item, ObjectOf(key, item));
    objects.push_back(fields_of_item);
  }
  return objects;
}

// A number, or its text; NaN is a text.
absl::StatusOr<double> NumberOf(std::string_view field, element value) {
  if (value.is_number()) return double(value);
  if (value.is_string()) {
    const Parsed<double> number = ParseDouble(std::string_view(value));
    if (number.ok()) return *number;
  }
  return WrongJsonType(field, "a number");
}

absl::StatusOr<std::optional<ExpressionFill>> FillField(object fields) {
  const std::optional<element> value = FieldOf(fields, "fillPolicy");
  if (!value.has_value()) return std::optional<ExpressionFill>();
  HOURCELL_ASSIGN_OR_RETURN(const ExpressionFill fill, ParseExpressionFill(*value));
  return std::optional<ExpressionFill>(fill);
}

// "time".
struct ExpTime {
  QueryTimes times;
  std::string aggregator;
  std::optional<DownsampleSpec> downsample;
  std::optional<ExpressionFill> fill;
  bool rate = false;
};

absl::Status ParseDownsampler(element value, ExpTime* time) {
  HOURCELL_ASSIGN_OR_RETURN(const object fields, ObjectOf("downsampler", value));
  HOURCELL_ASSIGN_OR_RETURN(const std::string interval, TextField(fields, "interval"));
  HOURCELL_ASSIGN_OR_RETURN(const std::string aggregator, TextField(fields, "aggregator"));
  if (interval.empty()) return Missing("downsampler.interval", "such as 1m");
  if (aggregator.empty()) return Missing("downsampler.aggregator", "such as avg");
  HOURCELL_ASSIGN_OR_RETURN(time->downsample,
                            ParseDownsampleSpec(fmt::format("{}-{}", interval, aggregator)));
  HOURCELL_ASSIGN_OR_RETURN(time->fill, FillField(fields));
  return absl::OkStatus();
}

absl::StatusOr<ExpTime> ParseTime(object request) {
  const std::optional<element> value = FieldOf(request, "time");
  if (!value.has_value()) return Missing("time", "an object with start and aggregator");
  HOURCELL_ASSIGN_OR_RETURN(const object fields, ObjectOf("time", *value));
  ExpTime time;
  if (const auto start = FieldOf(fields, "start")) {
    HOURCELL_ASSIGN_OR_RETURN(time.times.start, JsonTime("start", *start));
  }
  if (const auto end = FieldOf(fields, "end")) {
    HOURCELL_ASSIGN_OR_RETURN(time.times.end, JsonTime("end", *end));
  }
  HOURCELL_ASSIGN_OR_RETURN(time.times.timezone, TextField(fields, "timezone"));
  HOURCELL_ASSIGN_OR_RETURN(time.aggregator, TextField(fields, "aggregator"));
  HOURCELL_ASSIGN_OR_RETURN(time.rate, BoolField(fields, "rate", false));
  if (time.times.start.empty()) return Missing("time.start", "a time");
  if (time.aggregator.empty()) return Missing("time.aggregator", "such as sum");
  if (const auto downsampler = FieldOf(fields, "downsampler")) {
    HOURCELL_RETURN_IF_ERROR(ParseDownsampler(*downsampler, &time));
  }
  return time;
}

struct ExpFilter {
  std::string id;
  std::vector<TagFilterSpec> tags;
  bool explicit_tags = false;
};

absl::StatusOr<std::string> IdField(object fields) {
  HOURCELL_ASSIGN_OR_RETURN(std::string id, TextField(fields, "id"));
  HOURCELL_RETURN_IF_ERROR(CheckExpressionId(id));
  return id;
}

absl::StatusOr<std::vector<ExpFilter>> ParseFilterSets(object request) {
  std::vector<ExpFilter> filters;
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<object> list,
                            ObjectsOf(request, "filters", kSubQueriesMax));
  for (const object fields : list) {
    ExpFilter filter;
    HOURCELL_ASSIGN_OR_RETURN(filter.id, IdField(fields));
    if (std::ranges::find(filters, filter.id, &ExpFilter::id) != filters.end()) {
      return absl::InvalidArgumentError(
          fmt::format("filter {}: repeated; expected different ids", filter.id));
    }
    if (const auto tags = FieldOf(fields, "tags")) {
      HOURCELL_RETURN_IF_ERROR(AppendJsonFilters(*tags, &filter.tags));
    }
    HOURCELL_ASSIGN_OR_RETURN(filter.explicit_tags, BoolField(fields, "explicitTags", false));
    filters.push_back(std::move(filter));
  }
  return filters;
}

// "1d", "-1d" or "1d-ago", in milliseconds.
absl::StatusOr<int64_t> ParseTimeOffset(std::string_view text) {
  if (text.empty()) return 0;
  std::string_view duration = text;
  if (duration.starts_with('-')) duration.remove_prefix(1);
  if (duration.ends_with("-ago")) duration.remove_suffix(4);
  const absl::StatusOr<Duration> parsed = ParseDurationText(duration);
  if (parsed.ok()) return parsed->ms;
  return absl::InvalidArgumentError(
      fmt::format("timeOffset: expected a duration such as 1d, got {}", QuoteForMessage(text)));
}

absl::StatusOr<SubQuery> ParseSubQueryOf(object fields,
                                         const ExpTime& time,
                                         const std::vector<ExpFilter>& filters) {
  SubQuery query;
  HOURCELL_ASSIGN_OR_RETURN(query.metric, TextField(fields, "metric"));
  if (query.metric.empty()) return Missing("metrics.metric", "the name of a metric");
  HOURCELL_ASSIGN_OR_RETURN(std::string aggregator, TextField(fields, "aggregator"));
  HOURCELL_ASSIGN_OR_RETURN(
      query.aggregator, ParseQueryAggregator(aggregator.empty() ? time.aggregator : aggregator));
  query.downsample = time.downsample;
  if (time.rate) query.rate = RateSpec();
  HOURCELL_ASSIGN_OR_RETURN(const std::string id, TextField(fields, "filter"));
  if (id.empty()) return query;
  const auto filter = std::ranges::find(filters, id, &ExpFilter::id);
  if (filter == filters.end()) {
    return absl::InvalidArgumentError(
        fmt::format("filter {}: not defined; expected an id of filters", QuoteForMessage(id)));
  }
  query.filters = filter->tags;
  query.explicit_tags = filter->explicit_tags;
  return query;
}

// The parts of a request until its queries are complete.
class ExpParser {
 public:
  absl::StatusOr<ExpRequest> Parse(object fields, int64_t now_ms, std::string_view timezone) {
    HOURCELL_ASSIGN_OR_RETURN(ExpTime time, ParseTime(fields));
    if (time.times.timezone.empty()) time.times.timezone = timezone;
    HOURCELL_RETURN_IF_ERROR(AddMetrics(fields, time));
    HOURCELL_RETURN_IF_ERROR(AddExpressions(fields));
    HOURCELL_RETURN_IF_ERROR(SetInputs());
    states_.resize(request_.expressions.size());
    for (size_t i = 0; i < request_.expressions.size(); ++i)
      HOURCELL_RETURN_IF_ERROR(AddToOrder(i));
    HOURCELL_RETURN_IF_ERROR(AddOutputs(fields));
    for (ExpRequest::Fetch& fetch : request_.fetches) {
      QueryRequest query;
      query.spec = std::move(fetch.spec);
      HOURCELL_RETURN_IF_ERROR(
          CompleteQueryRequest(time.times, /*use_calendar=*/false, now_ms, &query));
      fetch.spec = std::move(query.spec);
      if (fetch.offset_ms > fetch.spec.start_ms) {
        return absl::InvalidArgumentError(
            "timeOffset: expected a time after 1970, got an earlier one");
      }
      fetch.spec.start_ms -= fetch.offset_ms;
      fetch.spec.end_ms -= fetch.offset_ms;
      fetch.spec.annotations = false;
    }
    return std::move(request_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  // The set with this id; nothing: no metric and no expression has it.
  std::optional<size_t> SetOf(std::string_view id) const {
    const auto metric = std::ranges::find(request_.metrics, id, &ExpRequest::Metric::id);
    if (metric != request_.metrics.end()) {
      return static_cast<size_t>(metric - request_.metrics.begin());
    }
    const auto found = std::ranges::find(request_.expressions, id, &ExpRequest::Expression::id);
    if (found == request_.expressions.end()) return std::nullopt;
    return request_.metrics.size() + static_cast<size_t>(found - request_.expressions.begin());
  }

  absl::StatusOr<std::string> NewId(object fields) const {
    HOURCELL_ASSIGN_OR_RETURN(std::string id, IdField(fields));
    if (SetOf(id).has_value()) {
      return absl::InvalidArgumentError(
          fmt::format("id {}: repeated; expected different ids of metrics and expressions", id));
    }
    return id;
  }

  // Equal sub queries of one offset are read once.
  void Fetch(SubQuery query, int64_t offset_ms, ExpRequest::Metric* metric) {
    auto fetch = std::ranges::find(request_.fetches, offset_ms, &ExpRequest::Fetch::offset_ms);
    if (fetch == request_.fetches.end()) {
      request_.fetches.push_back({.offset_ms = offset_ms, .spec = {}});
      fetch = request_.fetches.end() - 1;
    }
    std::vector<SubQuery>& queries = fetch->spec.queries;
    const auto found = std::ranges::find(queries, query);
    metric->fetch = static_cast<size_t>(fetch - request_.fetches.begin());
    metric->sub_query = static_cast<size_t>(found - queries.begin());
    if (found == queries.end()) queries.push_back(std::move(query));
  }

  absl::Status AddMetrics(object fields, const ExpTime& time) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<ExpFilter> filters, ParseFilterSets(fields));
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<object> list,
                              ObjectsOf(fields, "metrics", kSubQueriesMax));
    if (list.empty()) return Missing("metrics", "at least one");
    for (const object of : list) {
      ExpRequest::Metric metric;
      HOURCELL_ASSIGN_OR_RETURN(metric.id, NewId(of));
      HOURCELL_ASSIGN_OR_RETURN(SubQuery query, ParseSubQueryOf(of, time, filters));
      for (const TagFilterSpec& filter : query.filters)
        metric.query_tags.push_back(filter.tagk);
      std::ranges::sort(metric.query_tags);
      HOURCELL_ASSIGN_OR_RETURN(const std::optional<ExpressionFill> fill, FillField(of));
      metric.fill = fill.value_or(time.fill.value_or(ExpressionFill()));
      HOURCELL_ASSIGN_OR_RETURN(const std::string offset, TextField(of, "timeOffset"));
      HOURCELL_ASSIGN_OR_RETURN(const int64_t offset_ms, ParseTimeOffset(offset));
      Fetch(std::move(query), offset_ms, &metric);
      request_.metrics.push_back(std::move(metric));
    }
    return absl::OkStatus();
  }

  static absl::Status ParseJoin(element value, JoinedExpression* joined) {
    HOURCELL_ASSIGN_OR_RETURN(const object fields, ObjectOf("join", value));
    HOURCELL_ASSIGN_OR_RETURN(const std::string name, TextField(fields, "operator"));
    const std::string lower = LowerCase(name);
    if (lower == "intersection") {
      joined->join = JoinSet::kIntersection;
    } else if (!lower.empty() && lower != "union") {
      return absl::InvalidArgumentError(fmt::format(
          "join.operator: expected union or intersection, got {}", QuoteForMessage(name)));
    }
    HOURCELL_ASSIGN_OR_RETURN(joined->by_query_tags, BoolField(fields, "useQueryTags", false));
    HOURCELL_ASSIGN_OR_RETURN(joined->by_aggregated, BoolField(fields, "includeAggTags", true));
    return absl::OkStatus();
  }

  absl::Status AddExpressions(object fields) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<object> list,
                              ObjectsOf(fields, "expressions", kExpressionsMax));
    for (const object of : list) {
      HOURCELL_ASSIGN_OR_RETURN(std::string id, NewId(of));
      HOURCELL_ASSIGN_OR_RETURN(std::string text, TextField(of, "expr"));
      if (text.empty()) return Missing("expressions.expr", "a formula");
      absl::StatusOr<Formula> formula = Formula::Parse(text);
      if (!formula.ok()) {
        return absl::InvalidArgumentError(fmt::format("{} of {}", MessageOf(formula.status()), id));
      }
      ExpRequest::Expression added{
          .id = std::move(id),
          .joined = {.text = std::move(text), .formula = *std::move(formula)},
          .fill = {}};
      if (const auto join = FieldOf(of, "join")) {
        HOURCELL_RETURN_IF_ERROR(ParseJoin(*join, &added.joined));
      }
      HOURCELL_ASSIGN_OR_RETURN(added.fill, FillField(of));
      request_.expressions.push_back(std::move(added));
    }
    return absl::OkStatus();
  }

  absl::Status SetInputs() {
    for (ExpRequest::Expression& expression : request_.expressions) {
      for (const std::string& variable : expression.joined.formula.variables()) {
        const std::optional<size_t> set = SetOf(variable);
        if (!set.has_value()) {
          return absl::InvalidArgumentError(
              fmt::format("expression {}: variable {}: not defined; expected an id of metrics or "
                          "expressions",
                          expression.id, QuoteForMessage(variable)));
        }
        expression.inputs.push_back(*set);
      }
    }
    return absl::OkStatus();
  }

  // Adds an expression after all that it uses. At most kExpressionsMax calls in each other.
  absl::Status AddToOrder(size_t i) {
    const ExpRequest::Expression& expression = request_.expressions[i];
    if (states_[i] == State::kDone) return absl::OkStatus();
    if (states_[i] == State::kOpen) {
      return absl::InvalidArgumentError(fmt::format("Circular reference found: {}", expression.id));
    }
    states_[i] = State::kOpen;
    for (const size_t input : expression.inputs) {
      if (input < request_.metrics.size()) continue;
      const size_t used = input - request_.metrics.size();
      if (used == i) {
        return absl::InvalidArgumentError(
            fmt::format("Self referencing expression found: {}", expression.id));
      }
      HOURCELL_RETURN_IF_ERROR(AddToOrder(used));
    }
    states_[i] = State::kDone;
    request_.order.push_back(i);
    return absl::OkStatus();
  }

  absl::Status AddOutputs(object fields) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<object> list,
                              ObjectsOf(fields, "outputs", kExpressionOutputsMax));
    for (const object of : list) {
      HOURCELL_ASSIGN_OR_RETURN(const std::string id, IdField(of));
      HOURCELL_ASSIGN_OR_RETURN(std::string alias, TextField(of, "alias"));
      const std::optional<size_t> set = SetOf(id);
      if (set.has_value()) request_.outputs.push_back({.alias = std::move(alias), .set = *set});
    }
    if (!list.empty()) return absl::OkStatus();
    const size_t metrics = request_.metrics.size();
    const bool has_expressions = !request_.expressions.empty();
    const size_t end = metrics + request_.expressions.size();
    for (size_t set = has_expressions ? metrics : 0; set < end; ++set)
      request_.outputs.push_back({.alias = {}, .set = set});
    return absl::OkStatus();
  }

  ExpRequest request_;
  std::vector<State> states_;  // of the expressions
};

}  // namespace

absl::StatusOr<ExpressionFill> ParseExpressionFill(element value) {
  HOURCELL_ASSIGN_OR_RETURN(const object fields, ObjectOf("fillPolicy", value));
  HOURCELL_ASSIGN_OR_RETURN(const std::string name, TextField(fields, "policy"));
  double number = 0;
  if (const auto field = FieldOf(fields, "value")) {
    HOURCELL_ASSIGN_OR_RETURN(number, NumberOf("fillPolicy.value", *field));
  }
  const std::string policy = LowerCase(name);
  if (policy.empty() || policy == "scalar") return ExpressionFill{.value = number};
  const bool is_nan = policy == "none" || policy == "nan" || policy == "null";
  if (!is_nan && policy != "zero") {
    return absl::InvalidArgumentError(
        fmt::format("fillPolicy.policy: expected none, nan, null, zero or scalar, got {}",
                    QuoteForMessage(name)));
  }
  if (number != 0 && !(is_nan && std::isnan(number))) {
    return absl::InvalidArgumentError(fmt::format(
        "fillPolicy.value: expected no value with the policy {}, got {}", policy, number));
  }
  return ExpressionFill{.value = is_nan ? kNan : 0, .nan_as_null = policy == "null"};
}

absl::Status CheckExpressionId(std::string_view id) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  const bool is_digit = id.size() == 1 && id[0] >= '0' && id[0] <= '9';
  if (id.empty() || is_digit || !std::ranges::all_of(id, is_part)) {
    return absl::InvalidArgumentError(fmt::format(
        "id: expected letters and digits, not a single digit, got {}", QuoteForMessage(id)));
  }
  if (IsReservedWord(id)) {
    return absl::InvalidArgumentError(
        fmt::format("id: expected a word that is not reserved in formulas, got {}", id));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExpRequest> ParseExpJson(const std::string& body,
                                        int64_t now_ms,
                                        std::string_view default_timezone) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const object fields, ParseJsonObject(body, &parser));
  HOURCELL_ASSIGN_OR_RETURN(ExpRequest request,
                            ExpParser().Parse(fields, now_ms, default_timezone));
  request.body = simdjson::minify(fields);
  return request;
}

}  // namespace hourcell
