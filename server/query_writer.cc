#include "server/query_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/number.h"
#include "engine/query/query_time.h"
#include "server/json_text.h"

namespace hourcell {
namespace {

// What was printed, for the statistics.
struct Printed {
  uint64_t points = 0;
  uint64_t nans = 0;
};

// "emittedDPs":1,"nanDPs":0
void AppendPrinted(const Printed& printed, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "\"emittedDPs\":{},\"nanDPs\":{}", printed.points,
                 printed.nans);
}

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

void AppendTextOrNull(std::string_view text, std::string* out) {
  if (text.empty()) {
    out->append("null");
  } else {
    AppendJsonString(text, out);
  }
}

void AppendSubQuery(const SubQuery& query, size_t index, std::string* out) {
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
  out->append(",\"percentiles\":");
  AppendPercentiles(query.percentiles, out);
  fmt::format_to(std::back_inserter(*out),
                 ",\"showHistogramBuckets\":{},\"rollupUsage\":null,\"preAggregate\":false,"
                 "\"useFuzzyFilter\":true,\"useMultiGets\":true}}",
                 BoolText(query.show_histogram_buckets));
}

void AppendAnnotation(const Annotation& annotation, std::string* out) {
  out->append("{\"tsuid\":");
  AppendTextOrNull(annotation.tsuid, out);
  fmt::format_to(std::back_inserter(*out), ",\"startTime\":{},\"endTime\":{},",
                 annotation.start_time, annotation.end_time);
  AppendPair("description", annotation.description, out);
  out->push_back(',');
  AppendPair("notes", annotation.notes, out);
  out->append(",\"custom\":");
  if (annotation.custom.empty()) {
    out->append("null}");
    return;
  }
  for (size_t i = 0; i < annotation.custom.size(); ++i) {
    out->push_back(i == 0 ? '{' : ',');
    AppendPair(annotation.custom[i].first, annotation.custom[i].second, out);
  }
  out->append("}}");
}

// ,"annotations":[...]; nothing if there are none.
void AppendAnnotations(std::string_view name,
                       const std::vector<Annotation>& annotations,
                       std::string* out) {
  if (annotations.empty()) return;
  fmt::format_to(std::back_inserter(*out), ",\"{}\":", name);
  for (size_t i = 0; i < annotations.size(); ++i) {
    out->push_back(i == 0 ? '[' : ',');
    AppendAnnotation(annotations[i], out);
  }
  out->push_back(']');
}

// The response, series by series.
class ResultWriter {
 public:
  ResultWriter(const QuerySpec& spec,
               const QueryResult& result,
               const QueryPrinting& printing,
               std::string* out)
      : spec_(spec),
        result_(result),
        printing_(printing),
        out_(*out),
        printed_of_query_(spec.queries.size()) {}

  absl::Status AppendSeries(const ResultSeries& series) {
    out_.append("{\"metric\":");
    AppendJsonString(series.metric, &out_);
    out_.append(",\"tags\":{");
    for (size_t i = 0; i < series.tags.size(); ++i) {
      if (i > 0) out_.push_back(',');
      AppendPair(series.tags[i].first, series.tags[i].second, &out_);
    }
    out_.append("},\"aggregateTags\":");
    AppendNames(series.aggregate_tags, &out_);
    if (printing_.show_query) {
      HOURCELL_CHECK(series.query_index < spec_.queries.size());
      out_.append(",\"query\":");
      AppendSubQuery(spec_.queries[series.query_index], series.query_index, &out_);
    }
    if (printing_.show_tsuids) {
      out_.append(",\"tsuids\":");
      AppendNames(series.tsuids, &out_);
    }
    AppendAnnotations("annotations", series.annotations, &out_);
    AppendAnnotations("globalAnnotations", result_.global_annotations, &out_);
    return AppendDps(series);
  }

  // {"statsSummary":{...}} of what was written until now.
  void AppendSummary(int64_t elapsed_ms) {
    fmt::format_to(std::back_inserter(out_),
                   "{{\"statsSummary\":{{\"rowsFromStorage\":{},\"dpsPreFilter\":{},",
                   result_.rows_read, result_.points_read);
    AppendPrinted(printed_, &out_);
    fmt::format_to(std::back_inserter(out_), ",\"totalTime\":{:.1f}",
                   static_cast<double>(elapsed_ms));
    for (size_t i = 0; i < printed_of_query_.size(); ++i) {
      fmt::format_to(std::back_inserter(out_), ",\"queryIdx_{:02}\":{{", i);
      AppendPrinted(printed_of_query_[i], &out_);
      out_.push_back('}');
    }
    out_.append("}}");
  }

 private:
  // The points, and what they were if that is asked for.
  absl::Status AppendDps(const ResultSeries& series) {
    Printed printed;
    out_.append(",\"dps\":");
    HOURCELL_RETURN_IF_ERROR(AppendPoints(series, printing_, &printed, &out_));
    if (printing_.show_stats) {
      out_.append(",\"stats\":{");
      AppendPrinted(printed, &out_);
      out_.push_back('}');
    }
    out_.push_back('}');
    printed_.points += printed.points;
    printed_.nans += printed.nans;
    if (series.query_index < printed_of_query_.size()) {
      printed_of_query_[series.query_index].points += printed.points;
      printed_of_query_[series.query_index].nans += printed.nans;
    }
    return absl::OkStatus();
  }

  const QuerySpec& spec_;
  const QueryResult& result_;
  const QueryPrinting& printing_;
  std::string& out_;
  Printed printed_;
  std::vector<Printed> printed_of_query_;
};

}  // namespace

absl::Status AppendQueryResult(const QuerySpec& spec,
                               const QueryResult& result,
                               const QueryPrinting& printing,
                               int64_t elapsed_ms,
                               std::string* out) {
  ResultWriter writer(spec, result, printing, out);
  bool first = true;
  out->push_back('[');
  for (const ResultSeries& series : result.series) {
    if (!first) out->push_back(',');
    first = false;
    HOURCELL_RETURN_IF_ERROR(writer.AppendSeries(series));
  }
  if (printing.show_summary) {
    if (!first) out->push_back(',');
    writer.AppendSummary(elapsed_ms);
  }
  out->push_back(']');
  return absl::OkStatus();
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

}  // namespace hourcell
