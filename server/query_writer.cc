#include "server/query_writer.h"

#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/number.h"
#include "server/json_text.h"

namespace hourcell {
namespace {

// What was printed, for the summary.
struct Printed {
  uint64_t points = 0;
  uint64_t nans = 0;
};

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

void AppendPair(std::string_view key, std::string_view value, std::string* out) {
  AppendJsonString(key, out);
  out->push_back(':');
  AppendJsonString(value, out);
}

absl::Status AppendValue(const ResultSeries& series, const ResultPoint& point, std::string* out) {
  if (point.value.is_integer()) {
    fmt::format_to(std::back_inserter(*out), "{}", point.value.integer());
    return absl::OkStatus();
  }
  const double value = point.value.floating();
  if (std::isinf(value)) {
    return absl::InvalidArgumentError(
        fmt::format("Got Infinity: {} at {} ms", series.metric, point.ms));
  }
  if (std::isnan(value)) {
    out->append(series.nan_as_null ? "null" : "\"NaN\"");
  } else {
    AppendJavaDouble(value, out);
  }
  return absl::OkStatus();
}

absl::Status AppendPoints(const ResultSeries& series,
                          const QueryPrinting& printing,
                          Printed* printed,
                          std::string* out) {
  const std::vector<ResultPoint>& points = series.points;
  const int64_t unit_ms = printing.ms ? 1 : 1000;
  bool first = true;
  out->push_back(printing.arrays ? '[' : '{');
  for (size_t i = 0; i < points.size(); ++i) {
    const int64_t time = points[i].ms / unit_ms;
    if (i + 1 < points.size() && points[i + 1].ms / unit_ms == time) continue;
    if (!first) out->push_back(',');
    first = false;
    fmt::format_to(std::back_inserter(*out), fmt::runtime(printing.arrays ? "[{}," : "\"{}\":"),
                   time);
    HOURCELL_RETURN_IF_ERROR(AppendValue(series, points[i], out));
    if (printing.arrays) out->push_back(']');
    ++printed->points;
    if (!points[i].value.is_integer() && std::isnan(points[i].value.floating())) ++printed->nans;
  }
  out->push_back(printing.arrays ? ']' : '}');
  return absl::OkStatus();
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

// "tags": the grouping filters as {"host":"wildcard(*)"}; of several on one key the first.
void AppendTagsOfQuery(const SubQuery& query, std::string* out) {
  out->append(",\"tags\":{");
  std::vector<std::string_view> done;
  for (const TagFilterSpec& filter : query.filters) {
    if (!filter.group_by) continue;
    if (std::find(done.begin(), done.end(), filter.tagk) != done.end()) continue;
    if (!done.empty()) out->push_back(',');
    done.push_back(filter.tagk);
    AppendPair(filter.tagk, fmt::format("{}({})", FilterTypeName(filter.type), filter.filter), out);
  }
  out->push_back('}');
}

void AppendSubQuery(const SubQuery& query, size_t index, std::string* out) {
  out->append("{\"aggregator\":");
  AppendJsonString(AggregatorName(query.aggregator), out);
  out->append(",\"metric\":");
  AppendJsonString(query.metric, out);
  out->append(",\"tsuids\":null,\"downsample\":");
  if (query.downsample) {
    AppendJsonString(DownsampleText(*query.downsample), out);
  } else {
    out->append("null");
  }
  AppendRateOptions(query, out);
  out->append(",\"filters\":[");
  for (size_t i = 0; i < query.filters.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendFilter(query.filters[i], out);
  }
  fmt::format_to(std::back_inserter(*out), "],\"explicitTags\":{},\"index\":{}",
                 BoolText(query.explicit_tags), index);
  AppendTagsOfQuery(query, out);
  out->push_back('}');
}

absl::Status AppendSeries(const QuerySpec& spec,
                          const ResultSeries& series,
                          const QueryPrinting& printing,
                          Printed* printed,
                          std::string* out) {
  out->append("{\"metric\":");
  AppendJsonString(series.metric, out);
  out->append(",\"tags\":{");
  for (size_t i = 0; i < series.tags.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendPair(series.tags[i].first, series.tags[i].second, out);
  }
  out->append("},\"aggregateTags\":");
  AppendNames(series.aggregate_tags, out);
  if (printing.show_query) {
    HOURCELL_CHECK(series.query_index < spec.queries.size());
    out->append(",\"query\":");
    AppendSubQuery(spec.queries[series.query_index], series.query_index, out);
  }
  if (printing.show_tsuids) {
    out->append(",\"tsuids\":");
    AppendNames(series.tsuids, out);
  }
  out->append(",\"dps\":");
  HOURCELL_RETURN_IF_ERROR(AppendPoints(series, printing, printed, out));
  out->push_back('}');
  return absl::OkStatus();
}

}  // namespace

absl::Status AppendQueryResult(const QuerySpec& spec,
                               const QueryResult& result,
                               const QueryPrinting& printing,
                               int64_t elapsed_ms,
                               std::string* out) {
  Printed printed;
  bool first = true;
  out->push_back('[');
  for (const ResultSeries& series : result.series) {
    if (!first) out->push_back(',');
    first = false;
    HOURCELL_RETURN_IF_ERROR(AppendSeries(spec, series, printing, &printed, out));
  }
  if (printing.show_summary) {
    fmt::format_to(std::back_inserter(*out),
                   "{}{{\"statsSummary\":{{\"rowsFromStorage\":{},\"dpsPreFilter\":{},"
                   "\"emittedDPs\":{},\"nanDPs\":{},\"totalTime\":{:.1f}}}}}",
                   first ? "" : ",", result.rows_read, result.points_read, printed.points,
                   printed.nans, static_cast<double>(elapsed_ms));
  }
  out->push_back(']');
  return absl::OkStatus();
}

std::string DownsampleText(const DownsampleSpec& spec) {
  constexpr std::pair<int64_t, std::string_view> kUnits[] = {
      {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}, {1, "ms"}};
  std::string text = "0all";
  if (!spec.all) {
    for (const auto& [unit_ms, name] : kUnits) {
      if (spec.interval_ms % unit_ms != 0) continue;
      text = fmt::format("{}{}", spec.interval_ms / unit_ms, name);
      break;
    }
  }
  fmt::format_to(std::back_inserter(text), "-{}", AggregatorName(spec.function));
  if (spec.fill != FillPolicy::kNone) {
    fmt::format_to(std::back_inserter(text), "-{}", FillName(spec.fill));
  }
  return text;
}

}  // namespace hourcell
