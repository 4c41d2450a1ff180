#include "engine/expressions/joined_expression.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

size_t BytesOfNames(const ExpressionSeries& series) {
  size_t bytes = sizeof(ExpressionSeries);
  for (const auto& [tagk, tagv] : series.tags)
    bytes += 2 * sizeof(std::string) + tagk.size() + tagv.size();
  for (const std::string& tagk : series.aggregate_tags)
    bytes += sizeof(std::string) + tagk.size();
  for (const std::string& metric : series.metrics)
    bytes += sizeof(std::string) + metric.size();
  return bytes;
}

std::string KeyOf(const ExpressionSeries& series,
                  const ExpressionSet& set,
                  const JoinedExpression& expression) {
  std::vector<std::pair<std::string, std::string>> tags;
  std::ranges::copy_if(series.tags, std::back_inserter(tags), [&](const auto& tag) {
    return !expression.by_query_tags || std::ranges::binary_search(set.query_tags, tag.first);
  });
  return expression.by_aggregated ? JoinKey(tags, series.aggregate_tags) : JoinKey(tags, {});
}

absl::StatusOr<std::vector<JoinedSeries>> Join(const JoinedExpression& expression,
                                               const std::vector<const ExpressionSet*>& inputs,
                                               MemoryHold* hold) {
  // A node of a map and its result, beside the text.
  const size_t node_bytes = 128 + 2 * sizeof(size_t) * inputs.size();
  std::vector<std::vector<std::string>> keys(inputs.size());
  bool are_empty = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    are_empty &= inputs[i]->series.empty();
    for (const ExpressionSeries& series : inputs[i]->series) {
      keys[i].push_back(KeyOf(series, *inputs[i], expression));
      HOURCELL_RETURN_IF_ERROR(
          hold->Take(keys[i].back().size() + sizeof(std::string) + node_bytes));
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<JoinedSeries> joined, JoinByKey(keys, expression.join));
  if (joined.empty() && !are_empty) {
    return absl::InvalidArgumentError(fmt::format(
        "No intersections found: expression {}; expected series of equal tags in all variables",
        QuoteForMessage(expression.text)));
  }
  return joined;
}

// The names of a result: the tags of its first series, the metrics of all.
ExpressionSeries NamedBy(const JoinedSeries& joined,
                         const std::vector<const ExpressionSet*>& inputs) {
  ExpressionSeries named;
  bool is_first = true;
  for (size_t i = 0; i < joined.size(); ++i) {
    if (joined[i] == kNoSeries) continue;
    const ExpressionSeries& series = inputs[i]->series[joined[i]];
    if (std::exchange(is_first, false)) {
      named.tags = series.tags;
      named.aggregate_tags = series.aggregate_tags;
    }
    named.metrics.insert(named.metrics.end(), series.metrics.begin(), series.metrics.end());
  }
  std::ranges::sort(named.metrics);
  named.metrics.erase(std::ranges::unique(named.metrics).begin(), named.metrics.end());
  return named;
}

// Doubles as the points of a series.
void SetPoints(const std::vector<int64_t>& times, const std::vector<double>& values, Span* points) {
  points->t = times;
  points->is_float.assign(times.size(), 1);
  points->v.clear();
  points->v.reserve(times.size());
  for (const double value : values)
    points->v.push_back(std::bit_cast<uint64_t>(value));
}

std::vector<int64_t> TimesOf(const std::vector<JoinedSeries>& joined,
                             const std::vector<const ExpressionSet*>& inputs) {
  std::vector<const Span*> spans;
  for (const JoinedSeries& one : joined) {
    for (size_t i = 0; i < one.size(); ++i)
      if (one[i] != kNoSeries) spans.push_back(&inputs[i]->series[one[i]].points);
  }
  return UnionOfTimes(spans);
}

size_t PointsOf(const std::vector<const ExpressionSet*>& inputs) {
  size_t points = 0;
  for (const ExpressionSet* const input : inputs) {
    for (const ExpressionSeries& series : input->series)
      points += series.points.size();
  }
  return points;
}

}  // namespace

absl::Status AddSeries(const SeriesView& series, MemoryHold* hold, ExpressionSet* set) {
  if (series.points.empty()) return absl::OkStatus();
  ExpressionSeries added{
      .tags = {series.tags.begin(), series.tags.end()},
      .aggregate_tags = {series.aggregate_tags.begin(), series.aggregate_tags.end()},
      .metrics = {std::string(series.metric)},
      .points = {}};
  const SpanView& points = series.points;
  // The list of series grows to twice its size.
  HOURCELL_RETURN_IF_ERROR(hold->Take(BytesOfNames(added) + 2 * sizeof(ExpressionSeries) +
                                      points.size() * kSpanPointBytes));
  added.points.t.assign(points.t.begin(), points.t.end());
  added.points.v.assign(points.v.begin(), points.v.end());
  added.points.is_float.assign(points.is_float.begin(), points.is_float.end());
  set->series.push_back(std::move(added));
  return absl::OkStatus();
}

absl::Status AlignPoints(MemoryHold* hold, ExpressionSet* set) {
  MemoryHold working(hold->account());
  HOURCELL_RETURN_IF_ERROR(working.Take(BytesOfUnion(PointsOf({set}))));
  std::vector<const Span*> spans;
  for (const ExpressionSeries& series : set->series)
    spans.push_back(&series.points);
  const std::vector<int64_t> times = UnionOfTimes(spans);
  HOURCELL_RETURN_IF_ERROR(working.Take(2 * times.size() * sizeof(double)));
  for (ExpressionSeries& series : set->series) {
    HOURCELL_RETURN_IF_ERROR(hold->Take((times.size() - series.points.size()) * kSpanPointBytes));
    SetPoints(times, ValuesAt(times, series.points, set->missing), &series.points);
  }
  return absl::OkStatus();
}

absl::StatusOr<ExpressionSet> Evaluate(const JoinedExpression& expression,
                                       const std::vector<const ExpressionSet*>& inputs,
                                       const std::function<absl::Status()>& check,
                                       MemoryHold* hold) {
  ExpressionSet result;
  for (const ExpressionSet* const input : inputs) {
    result.query_tags.insert(result.query_tags.end(), input->query_tags.begin(),
                             input->query_tags.end());
  }
  std::ranges::sort(result.query_tags);
  MemoryHold working(hold->account());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<JoinedSeries> joined,
                            Join(expression, inputs, &working));
  HOURCELL_RETURN_IF_ERROR(working.Take(BytesOfUnion(PointsOf(inputs))));
  const std::vector<int64_t> times = TimesOf(joined, inputs);
  // The values of the variables and of the result.
  HOURCELL_RETURN_IF_ERROR(working.Take((inputs.size() + 2) * times.size() * sizeof(double)));
  for (const JoinedSeries& one : joined) {
    HOURCELL_RETURN_IF_ERROR(check());
    ExpressionSeries series = NamedBy(one, inputs);
    HOURCELL_RETURN_IF_ERROR(hold->Take(BytesOfNames(series) + 2 * sizeof(ExpressionSeries) +
                                        times.size() * kSpanPointBytes));
    std::vector<std::vector<double>> values;
    for (size_t i = 0; i < inputs.size(); ++i) {
      values.push_back(one[i] == kNoSeries
                           ? std::vector<double>(times.size(), 0)
                           : ValuesAt(times, inputs[i]->series[one[i]].points, inputs[i]->missing));
    }
    SetPoints(times, expression.formula.Evaluate(values, times.size()), &series.points);
    result.series.push_back(std::move(series));
  }
  return result;
}

}  // namespace hourcell
