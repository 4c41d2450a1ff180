#include "server/query/query_echo.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/text/number.h"
#include "codec/text/quoted_name.h"
#include "engine/query/query_time.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

std::string_view FillName(FillPolicy fill) {
  switch (fill) {
    case FillPolicy::kNone:
      return "none";
    case FillPolicy::kNan:
      return "nan";
    case FillPolicy::kNull:
      return "null";
    case FillPolicy::kZero:
      return "zero";
  }
  HOURCELL_CHECK(false);
}

// An interval in the largest unit it is a multiple of.
std::string NominalIntervalText(int64_t interval_ms) {
  constexpr std::pair<int64_t, std::string_view> kUnits[] = {
      {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}};
  for (const auto& [unit_ms, name] : kUnits) {
    if (interval_ms % unit_ms == 0) return fmt::format("{}{}", interval_ms / unit_ms, name);
  }
  return fmt::format("{}ms", interval_ms);
}

std::string_view BoolText(bool value) {
  return value ? "true" : "false";
}

void AppendNames(const std::vector<std::string>& names, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonString(names[i], out);
  }
  out->push_back(']');
}

void AppendFilter(const TagFilterSpec& filter, std::string* out) {
  out->append("{\"tagk\":");
  AppendJsonString(filter.tagk, out);
  out->append(",\"filter\":");
  AppendJsonString(filter.filter, out);
  fmt::format_to(std::back_inserter(*out), ",\"group_by\":{},\"type\":\"{}\"}}",
                 BoolText(filter.group_by), FilterTypeName(filter.type));
}

void AppendRateOptions(const SubQuery& query, std::string* out) {
  const RateSpec rate = query.rate.value_or(RateSpec{});
  fmt::format_to(std::back_inserter(*out),
                 ",\"rate\":{},\"rateOptions\":{{\"counter\":{},\"counterMax\":{},"
                 "\"resetValue\":{},\"dropResets\":{}}}",
                 BoolText(query.rate.has_value()), BoolText(rate.counter), rate.counter_max,
                 rate.reset_value, BoolText(rate.drop_resets));
}

// "tags": the first grouping filter of each key, as {"host":"wildcard(*)"}.
void AppendTagsOfQuery(const SubQuery& query, std::string* out) {
  out->append(",\"tags\":{");
  std::vector<std::string_view> done;
  for (const TagFilterSpec& filter : query.filters) {
    if (!filter.group_by) continue;
    if (std::find(done.begin(), done.end(), filter.tagk) != done.end()) continue;
    if (!done.empty()) out->push_back(',');
    done.push_back(filter.tagk);
    AppendJsonPair(filter.tagk, fmt::format("{}({})", FilterTypeName(filter.type), filter.filter),
                   out);
  }
  out->push_back('}');
}

// [99.9,50.0], or null without any.
void AppendPercentiles(const std::vector<double>& percentiles, std::string* out) {
  if (percentiles.empty()) {
    out->append("null");
    return;
  }
  for (size_t i = 0; i < percentiles.size(); ++i) {
    out->push_back(i == 0 ? '[' : ',');
    AppendJavaDouble(percentiles[i], out);
  }
  out->push_back(']');
}

// "functions", which OpenTSDB does not have, only if there are any.
void AppendFunctions(const std::vector<FunctionSpec>& functions, std::string* out) {
  if (functions.empty()) return;
  std::vector<std::string> texts;
  for (const FunctionSpec& function : functions)
    texts.push_back(FunctionText(function));
  out->append(",\"functions\":");
  AppendNames(texts, out);
}

void AppendTextOrNull(std::string_view text, std::string* out) {
  if (text.empty()) {
    out->append("null");
  } else {
    AppendJsonString(text, out);
  }
}

// True for a byte that a name has without quotes.
bool IsNameByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         static_cast<unsigned char>(c) >= 0x80;
}

void AppendNameText(std::string_view name, std::string* out) {
  const bool is_plain = std::ranges::all_of(
      name, [](char c) { return IsNameByte(c) || c == '-' || c == '_' || c == '.' || c == '/'; });
  if (is_plain) {
    out->append(name);
  } else {
    AppendQuoted(name, out);
  }
}

void AppendFilterText(const TagFilterSpec& filter, std::string* out) {
  AppendNameText(filter.tagk, out);
  out->push_back('=');
  const bool is_plain = std::ranges::all_of(filter.filter, [](char c) {
    return IsNameByte(c) || c == '-' || c == '_' || c == '.' || c == '|';
  });
  if (filter.type == FilterType::kLiteralOr && is_plain && !filter.filter.empty()) {
    out->append(filter.filter);
  } else if (filter.type == FilterType::kWildcard && filter.filter == "*") {
    out->push_back('*');
  } else {
    fmt::format_to(std::back_inserter(*out), "{}({})", FilterTypeName(filter.type), filter.filter);
  }
}

void AppendFilterTexts(const SubQuery& query, bool group_by, std::string* out) {
  out->push_back('{');
  for (const TagFilterSpec& filter : query.filters) {
    if (filter.group_by != group_by) continue;
    if (out->back() != '{') out->push_back(',');
    AppendFilterText(filter, out);
  }
  out->push_back('}');
}

void AppendRateText(const RateSpec& rate, std::string* out) {
  out->append("rate");
  if (rate != RateSpec()) {
    const std::string_view counter = rate.drop_resets ? "dropcounter"
                                     : rate.counter   ? "counter"
                                                      : "";
    fmt::format_to(std::back_inserter(*out), "{{{},{},{}}}", counter, rate.counter_max,
                   rate.reset_value);
  }
  out->push_back(':');
}

}  // namespace

void AppendSubQueryJson(const SubQuery& query, size_t index, std::string* out) {
  out->append("{\"aggregator\":");
  AppendJsonString(AggregatorName(query.aggregator), out);
  out->append(",\"metric\":");
  AppendTextOrNull(query.metric, out);
  out->append(",\"tsuids\":");
  if (query.tsuids.empty()) {
    out->append("null");
  } else {
    AppendNames(query.tsuids, out);
  }
  out->append(",\"downsample\":");
  AppendTextOrNull(query.downsample ? DownsampleText(*query.downsample) : "", out);
  AppendRateOptions(query, out);
  out->append(",\"filters\":[");
  for (size_t i = 0; i < query.filters.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendFilter(query.filters[i], out);
  }
  fmt::format_to(std::back_inserter(*out), "],\"explicitTags\":{},\"index\":{}",
                 BoolText(query.explicit_tags), index);
  AppendTagsOfQuery(query, out);
  out->append(",\"filterTagKs\":null,\"percentiles\":");
  AppendPercentiles(query.percentiles, out);
  fmt::format_to(std::back_inserter(*out), ",\"showHistogramBuckets\":{},\"rollupUsage\":",
                 BoolText(query.show_histogram_buckets));
  const bool has_usage = query.rollup_usage != RollupUsage::kNoFallback;
  AppendTextOrNull(has_usage ? RollupUsageName(query.rollup_usage) : "", out);
  fmt::format_to(std::back_inserter(*out),
                 ",\"preAggregate\":{},\"useFuzzyFilter\":true,\"useMultiGets\":true",
                 BoolText(query.pre_aggregate));
  AppendFunctions(query.functions, out);
  out->push_back('}');
}

std::string DownsampleText(const DownsampleSpec& spec) {
  std::string text = "0all";
  if (!spec.all && spec.count > 0) {
    text = fmt::format("{}{}{}", spec.count, DurationUnitName(spec.unit), spec.calendar ? "c" : "");
  } else if (!spec.all) {
    text = NominalIntervalText(spec.interval_ms);
  }
  fmt::format_to(std::back_inserter(text), "-{}", AggregatorName(spec.function));
  if (spec.fill == FillPolicy::kZero && spec.fill_value != 0) {
    text += "-scalar(";
    AppendJavaDouble(spec.fill_value, &text);
    text += ')';
  } else if (spec.fill != FillPolicy::kNone) {
    fmt::format_to(std::back_inserter(text), "-{}", FillName(spec.fill));
  }
  return text;
}

std::string SubQueryText(const SubQuery& query) {
  HOURCELL_DCHECK(!query.metric.empty() && query.tsuids.empty());
  std::string text = fmt::format("{}:", AggregatorName(query.aggregator));
  if (query.downsample.has_value()) {
    text += DownsampleText(*query.downsample) + ':';
  }
  if (query.rate.has_value()) AppendRateText(*query.rate, &text);
  AppendNameText(query.metric, &text);
  const bool groups = std::ranges::any_of(query.filters, &TagFilterSpec::group_by);
  const bool selects = !std::ranges::all_of(query.filters, &TagFilterSpec::group_by);
  if (groups || selects) AppendFilterTexts(query, /*group_by=*/true, &text);
  if (selects) AppendFilterTexts(query, /*group_by=*/false, &text);
  return text;
}

}  // namespace hourcell
