#include "server/query/query_string.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "codec/text/quoted_name.h"
#include "server/http/http_router.h"

namespace hourcell {
namespace {

constexpr size_t kPartsMin = 2;
constexpr size_t kPartsMax = 5;

// The characters that have a meaning in a sub query, and rarely occur in names.
constexpr std::array<bool, 256> kIsMark = [] {
  std::array<bool, 256> is_mark = {};
  for (const char c : std::string_view("\"=:,{}()[]|"))
    is_mark[static_cast<uint8_t>(c)] = true;
  return is_mark;
}();

// Most texts have fewer parts.
using TextParts = absl::InlinedVector<std::string_view, 8>;

// The parts of `text` between separators; separators in quotes or `open` ... `close` do not count.
TextParts SplitOutside(std::string_view text, char separator, char open, char close) {
  TextParts parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!kIsMark[static_cast<uint8_t>(text[i])]) continue;
    if (const size_t end = text[i] == '"' ? SkipQuoted(text, i) : i; end != i) {
      i = end - 1;
    } else if (text[i] == open) {
      ++depth;
    } else if (text[i] == close) {
      depth = std::max(depth - 1, 0);
    } else if (text[i] == separator && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Parses the whole `text`, the rate option `name`, as a signed decimal number.
absl::Status ParseCounterOption(std::string_view name, std::string_view text, int64_t* number) {
  // Java's parseLong takes a '+', from_chars does not.
  const std::string_view digits =
      text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  const char* const text_end = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), text_end, *number);
  if (end != text_end || error == std::errc::invalid_argument) {
    return absl::InvalidArgumentError(fmt::format(
        "{} value of counter was not a number, received '{}'", name, TextForMessage(text)));
  }
  if (error == std::errc()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{} value of counter does not fit, received '{}', expected {} to {}", name,
                  TextForMessage(text), INT64_MIN, INT64_MAX));
}

// `word` is "rate" or "rate{...}".
absl::StatusOr<RateSpec> ParseRateOption(std::string_view word) {
  RateSpec rate;
  if (word.size() == 4) return rate;
  if (word.size() < 6 || word[4] != '{' || !word.ends_with('}')) {
    return absl::InvalidArgumentError(
        fmt::format("Invalid rate options specification: {}", TextForMessage(word)));
  }
  const auto parts = SplitOutside(word.substr(5, word.size() - 6), ',', '{', '}');
  if (parts.size() > 3) {
    return absl::InvalidArgumentError(
        fmt::format("Incorrect number of values in rate options specification, must be "
                    "counter[,counter max value,reset value], recieved: {} parts",
                    parts.size()));
  }
  rate.counter = parts[0].ends_with("counter");
  rate.drop_resets = parts[0] == "dropcounter";
  if (parts.size() > 1 && !parts[1].empty()) {
    HOURCELL_RETURN_IF_ERROR(ParseCounterOption("Max", parts[1], &rate.counter_max));
  }
  if (parts.size() > 2 && !parts[2].empty()) {
    HOURCELL_RETURN_IF_ERROR(ParseCounterOption("Reset", parts[2], &rate.reset_value));
  }
  return rate;
}

bool StartsWithRate(std::string_view word) {
  constexpr std::string_view kRate = "rate";
  return word.size() >= kRate.size() &&
         std::equal(kRate.begin(), kRate.end(), word.begin(),
                    [](char want, char got) { return want == (got | 0x20); });
}

// `word` is "percentiles[...]".
absl::StatusOr<std::vector<double>> ParsePercentiles(std::string_view word) {
  constexpr std::string_view kOpen = "percentiles[";
  if (!word.starts_with(kOpen) || !word.ends_with(']')) {
    return absl::InvalidArgumentError(fmt::format(
        "Invalid percentiles: expected percentiles[0.99,...], got {}", TextForMessage(word)));
  }
  std::vector<double> percentiles;
  const std::string_view inside = word.substr(kOpen.size(), word.size() - kOpen.size() - 1);
  for (const std::string_view text : SplitOutside(inside, ',', '[', ']')) {
    const Parsed<double> percentile = ParseDouble(text);
    if (!percentile.ok() || !std::isfinite(*percentile)) {
      return absl::InvalidArgumentError(
          fmt::format("Invalid percentiles: expected numbers, got {}", TextForMessage(word)));
    }
    percentiles.push_back(*percentile);
  }
  return percentiles;
}

absl::Status ApplyOption(std::string_view word, SubQuery* query) {
  if (word.empty()) return absl::InvalidArgumentError("Invalid parameter m: empty option");
  if (word[0] >= '0' && word[0] <= '9') {
    HOURCELL_ASSIGN_OR_RETURN(query->downsample, ParseDownsampleSpec(word));
  } else if (StartsWithRate(word)) {
    HOURCELL_ASSIGN_OR_RETURN(query->rate, ParseRateOption(word));
  } else if (word == "explicit_tags") {
    query->explicit_tags = true;
  } else if (word.starts_with("percentiles")) {
    HOURCELL_ASSIGN_OR_RETURN(query->percentiles, ParsePercentiles(word));
  } else if (word == "show-histogram-buckets") {
    query->show_histogram_buckets = true;
  } else if (word == "pre-agg") {
    query->pre_aggregate = true;
  } else if (word.starts_with("rollup_") || word.starts_with("ROLLUP_")) {
    query->rollup_usage = ParseRollupUsage(word);
  }
  return absl::OkStatus();
}

absl::Status Within(std::string_view what, std::string_view text, const absl::Status& status) {
  return absl::Status(status.code(),
                      fmt::format("When parsing {} '{}': {}", what, TextForMessage(text),
                                  std::string(status.message())));
}

absl::StatusOr<TagFilterSpec> ParseFilter(std::string_view text, bool group_by) {
  const size_t equals = FindOutsideQuotes(text, '=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(fmt::format("invalid tag: {}", TextForMessage(text)));
  }
  return ParseTagValueFilter(Unquoted(text.substr(0, equals)), text.substr(equals + 1), group_by);
}

// Parses the inside of a pair of braces.
absl::Status AppendFilters(std::string_view inside,
                           bool group_by,
                           std::vector<TagFilterSpec>* filters) {
  if (inside.empty()) return absl::OkStatus();
  const TextParts texts = SplitOutside(inside, ',', '(', ')');
  filters->reserve(filters->size() + texts.size());
  for (const std::string_view text : texts) {
    auto filter = ParseFilter(text, group_by);
    if (!filter.ok()) return Within(group_by ? "tag" : "filter", text, filter.status());
    filters->push_back(*std::move(filter));
  }
  return absl::OkStatus();
}

// The position of the '}' that ends the group whose inside begins at `begin`; npos without one. A
// '}' in parentheses belongs to a regular expression.
size_t FindClose(std::string_view text, size_t begin) {
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    if (!kIsMark[static_cast<uint8_t>(text[i])]) continue;
    if (const size_t end = text[i] == '"' ? SkipQuoted(text, i) : i; end != i) {
      i = end - 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      depth = std::max(depth - 1, 0);
    } else if (text[i] == '}' && depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

// Parses the end of `text` from its '{' at `open` on: "{group}" or "{group}{only-filter}".
absl::Status ParseFilterGroups(std::string_view text, size_t open, SubQuery* query) {
  const auto unclosed = [text] {
    return absl::InvalidArgumentError(
        fmt::format("Missing '}}' at the end of: {}", TextForMessage(text)));
  };
  const size_t close = FindClose(text, open + 1);
  if (close == std::string_view::npos) return unclosed();
  std::string_view second = text.substr(close + 1);
  if (!second.empty()) {
    if (!second.starts_with('{') || FindClose(second, 1) != second.size() - 1) return unclosed();
    second = second.substr(1, second.size() - 2);
  }
  // The second group comes first in the list, as in OpenTSDB.
  HOURCELL_RETURN_IF_ERROR(AppendFilters(second, /*group_by=*/false, &query->filters));
  return AppendFilters(text.substr(open + 1, close - open - 1), /*group_by=*/true, &query->filters);
}

// Parses "metric", "metric{group}" or "metric{group}{only-filter}".
absl::Status ParseMetricAndFilters(std::string_view text, SubQuery* query) {
  const size_t open = FindOutsideQuotes(text, '{');
  query->metric = Unquoted(text.substr(0, open));
  if (query->metric.empty()) {
    return absl::InvalidArgumentError("Missing the metric or tsuids, provide at least one");
  }
  if (open == std::string_view::npos) return absl::OkStatus();
  return ParseFilterGroups(text, open, query);
}

std::string ParamOr(const HttpRequest& request, std::string_view name, std::string_view other) {
  const std::string* value = request.param(name);
  return value != nullptr ? *value : std::string(other);
}

// Takes the functions off the front of `parts`. No aggregator has a '(' in its name.
absl::Status TakeFunctions(std::span<const std::string_view>* parts, SubQuery* query) {
  while (!parts->empty() && parts->front().find('(') != std::string_view::npos) {
    if (query->functions.size() == kQueryFunctionsMax) {
      return absl::InvalidArgumentError(
          fmt::format("functions: too many; expected at most {}", kQueryFunctionsMax));
    }
    HOURCELL_ASSIGN_OR_RETURN(const FunctionSpec function, ParseFunctionSpec(parts->front()));
    query->functions.push_back(function);
    *parts = parts->subspan(1);
  }
  return absl::OkStatus();
}

// Splits a sub query at its colons, parses the functions, the aggregator and the options into
// `query`, and returns the last part.
absl::StatusOr<std::string_view> ParseParts(std::string_view name,
                                            std::string_view text,
                                            SubQuery* query) {
  const TextParts all = SplitOutside(text, ':', '{', '}');
  std::span<const std::string_view> parts(all);
  HOURCELL_RETURN_IF_ERROR(TakeFunctions(&parts, query));
  if (parts.size() < kPartsMin || parts.size() > kPartsMax) {
    return absl::InvalidArgumentError(
        fmt::format("Invalid parameter {}={} ({} :-separated parts)", name, TextForMessage(text),
                    parts.size() < kPartsMin ? "not enough" : "too many"));
  }
  HOURCELL_ASSIGN_OR_RETURN(query->aggregator, ParseQueryAggregator(parts[0]));
  for (size_t i = 1; i + 1 < parts.size(); ++i) {
    HOURCELL_RETURN_IF_ERROR(ApplyOption(parts[i], query));
  }
  return parts.back();
}

// All sub queries, first those by tsuid, as in OpenTSDB.
absl::StatusOr<std::vector<SubQuery>> ParseSubQueries(const HttpRequest& request) {
  const bool is_deletion = EffectiveMethod(request) == HttpMethod::kDelete;
  std::vector<SubQuery> queries;
  for (const auto& [name, value] : request.params) {
    if (name != "tsuid" && name != "tsuids") continue;
    HOURCELL_ASSIGN_OR_RETURN(SubQuery query, ParseTsuidQueryText(value));
    queries.push_back(std::move(query));
  }
  for (const auto& [name, value] : request.params) {
    if (name != "m") continue;
    HOURCELL_ASSIGN_OR_RETURN(SubQuery query,
                              is_deletion ? ParseDeletionText(value) : ParseSubQueryText(value));
    queries.push_back(std::move(query));
  }
  if (queries.empty()) return absl::InvalidArgumentError("Missing sub queries");
  return queries;
}

}  // namespace

absl::StatusOr<SubQuery> ParseSubQueryText(std::string_view m) {
  SubQuery query;
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view metric, ParseParts("m", m, &query));
  HOURCELL_RETURN_IF_ERROR(ParseMetricAndFilters(metric, &query));
  return query;
}

absl::StatusOr<SubQuery> ParseDeletionText(std::string_view m) {
  if (!m.starts_with('{')) return ParseSubQueryText(m);
  SubQuery query;
  query.aggregator = Aggregator::kNone;
  HOURCELL_RETURN_IF_ERROR(ParseFilterGroups(m, /*open=*/0, &query));
  if (!query.filters.empty()) return query;
  return absl::InvalidArgumentError(fmt::format(
      "m: expected a metric, or tags such as {{}}{{host=web01}}, got {}", QuoteForMessage(m)));
}

absl::StatusOr<SubQuery> ParseTsuidQueryText(std::string_view tsuid) {
  SubQuery query;
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view list, ParseParts("tsuid", tsuid, &query));
  for (const std::string_view text : SplitOutside(list, ',', '{', '}')) {
    HOURCELL_ASSIGN_OR_RETURN(std::string hex, ParseQueryTsuid(text));
    query.tsuids.push_back(std::move(hex));
  }
  return query;
}

absl::Status ReadQueryOptions(const HttpRequest& request,
                              int64_t now_ms,
                              std::string_view default_timezone,
                              QueryRequest* parsed) {
  QueryTimes times{.start = ParamOr(request, "start", ""),
                   .end = ParamOr(request, "end", ""),
                   .timezone = ParamOr(request, "timezone", ParamOr(request, "tz", ""))};
  if (times.timezone.empty()) times.timezone = default_timezone;
  parsed->spec.annotations = !request.has_param("no_annotations");
  parsed->spec.global_annotations = request.has_param("global_annotations");
  parsed->printing = {.ms = request.has_param("ms"),
                      .arrays = request.has_param("arrays"),
                      .show_tsuids = request.has_param("show_tsuids"),
                      .show_query = request.has_param("show_query"),
                      .show_summary = request.has_param("show_summary"),
                      .show_stats = request.has_param("show_stats"),
                      .explain = request.has_param("explain")};
  return CompleteQueryRequest(times, request.has_param("use_calendar"), now_ms, parsed);
}

absl::Status CheckHasStart(const HttpRequest& request) {
  const std::string* const start = request.param("start");
  if (start != nullptr && !start->empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("Missing parameter <code>start</code>");
}

absl::StatusOr<QueryRequest> ParseQueryString(const HttpRequest& request,
                                              int64_t now_ms,
                                              std::string_view default_timezone) {
  HOURCELL_RETURN_IF_ERROR(CheckHasStart(request));
  QueryRequest parsed;
  HOURCELL_ASSIGN_OR_RETURN(parsed.spec.queries, ParseSubQueries(request));
  HOURCELL_RETURN_IF_ERROR(ReadQueryOptions(request, now_ms, default_timezone, &parsed));
  return parsed;
}

}  // namespace hourcell
