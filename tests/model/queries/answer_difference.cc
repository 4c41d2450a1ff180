#include "tests/model/queries/answer_difference.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tests/model/queries/naive_numbers.h"

namespace hourcell {
namespace {

std::string TextOf(Value value) {
  return value.is_integer() ? fmt::format("{}", value.integer())
                            : fmt::format("{}f ({:a})", value.floating(), value.floating());
}

// The unspecified parts of a query's answer.
struct Freedom {
  bool any_zero = false;           // 0.0 or -0.0
  bool integer_as_double = false;  // integers are as good as the doubles they were
};

Freedom FreedomOf(const SubQuery& query) {
  const bool downsamples = query.downsample.has_value();
  const bool is_percentile = IsPercentile(query.aggregator);
  return {.any_zero = query.aggregator == Aggregator::kNone ||
                      query.aggregator == Aggregator::kMedian || is_percentile ||
                      (downsamples && (query.downsample->function == Aggregator::kMedian ||
                                       IsPercentile(query.downsample->function))),
          .integer_as_double = is_percentile};
}

bool IsEqual(Value a, Value b, const Freedom& freedom) {
  if (a == b) return true;
  if (a.is_integer() != b.is_integer()) return false;
  const double x = a.ToDouble();
  const double y = b.ToDouble();
  if (a.is_integer()) return freedom.integer_as_double && x == y;
  return (x != x && y != y) || (freedom.any_zero && x == 0 && y == 0);
}

std::string TextOf(const ResultSeries& series) {
  std::string text = fmt::format("query {} {} {{", series.query_index, series.metric);
  for (const auto& [key, value] : series.tags)
    text += fmt::format("{}={} ", key, value);
  text += "} without";
  for (const std::string& key : series.aggregate_tags)
    text += " " + key;
  text += " of";
  for (const std::string& tsuid : series.tsuids)
    text += " " + tsuid;
  return text + (series.nan_as_null ? ", NaN as null" : "");
}

std::string PointsDifference(const ResultSeries& want,
                             const ResultSeries& got,
                             const Freedom& freedom) {
  const size_t common = std::min(want.points.size(), got.points.size());
  for (size_t i = 0; i < common; ++i) {
    const ResultPoint& a = want.points[i];
    const ResultPoint& b = got.points[i];
    if (a.ms == b.ms && IsEqual(a.value, b.value, freedom)) continue;
    return fmt::format("point {}: expected {} at {}, got {} at {}", i, TextOf(a.value), a.ms,
                       TextOf(b.value), b.ms);
  }
  if (want.points.size() == got.points.size()) return "";
  return fmt::format("expected {} points, got {}; point {} is at {}", want.points.size(),
                     got.points.size(), common,
                     (common < got.points.size() ? got : want).points[common].ms);
}

}  // namespace

std::string AnswerDifference(const QuerySpec& spec,
                             const NaiveAnswer& want,
                             absl::StatusOr<QueryResult> got) {
  if (!got.ok()) {
    if (want.errors.contains(got.status().code())) return "";
    return fmt::format("expected {}, got {}", want.errors.empty() ? "an answer" : "another error",
                       got.status().ToString());
  }
  if (!want.errors.empty()) {
    return fmt::format("expected the error {}, got an answer",
                       absl::StatusCodeToString(*want.errors.begin()));
  }
  const size_t common = std::min(want.series.size(), got->series.size());
  for (size_t i = 0; i < common; ++i) {
    std::ranges::sort(got->series[i].tags);  // their order is not specified
    const std::string a = TextOf(want.series[i]);
    const std::string b = TextOf(got->series[i]);
    if (a != b) return fmt::format("series {}: expected {}, got {}", i, a, b);
    const std::string points = PointsDifference(
        want.series[i], got->series[i], FreedomOf(spec.queries[want.series[i].query_index]));
    if (!points.empty()) return fmt::format("series {} ({}): {}", i, a, points);
  }
  if (want.series.size() == got->series.size()) return "";
  return fmt::format("expected {} series, got {}", want.series.size(), got->series.size());
}

}  // namespace hourcell
