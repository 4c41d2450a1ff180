#include "engine/virtuals/input_join.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/query/functions/series_join.h"
#include "engine/virtuals/expression_formula.h"

// Why the join is by grouping keys and not by all common tags, as in exp: a host with one processor
// has the tag cpu=0 in common, others do not, so whether two results join would depend on chance.

namespace hourcell {
namespace {

using TagPairs = std::vector<std::pair<std::string, std::string>>;

// The bytes of a node of the map of a join and of its result, without the text.
constexpr size_t kBytesOfJoinNode = 128;

std::string KeyOfResult(const SubQuery& input,
                        const std::vector<std::string>& grouping_keys,
                        const ExpressionSeries& result) {
  if (input.aggregator == Aggregator::kNone) return JoinKey(result.tags, {});
  TagPairs tags;
  std::ranges::copy_if(result.tags, std::back_inserter(tags), [&](const auto& tag) {
    return std::ranges::binary_search(grouping_keys, tag.first);
  });
  return JoinKey(tags, {});
}

// The results of a joined series; null: the input lacks the series.
using ResultsOfOne = std::vector<const ExpressionSeries*>;

TagPairs CommonTags(const ResultsOfOne& results) {
  std::optional<TagPairs> common;
  for (const ExpressionSeries* const result : results) {
    if (result == nullptr) continue;
    TagPairs tags = result->tags;
    std::ranges::sort(tags);
    if (!common.has_value()) {
      common = std::move(tags);
      continue;
    }
    TagPairs both;
    std::ranges::set_intersection(*common, tags, std::back_inserter(both));
    common = std::move(both);
  }
  HOURCELL_DCHECK(common.has_value());
  return *std::move(common);
}

// The points of a joined series.
Span Calculate(const Formula& formula,
               const std::optional<double>& missing,
               const ResultsOfOne& results) {
  std::vector<const Span*> present;
  for (const ExpressionSeries* const result : results)
    if (result != nullptr) present.push_back(&result->points);
  const std::vector<int64_t> times = UnionOfTimes(present);
  const double absent = missing.value_or(std::numeric_limits<double>::quiet_NaN());
  std::vector<std::vector<double>> columns;
  for (const std::string& variable : formula.variables()) {
    const ExpressionSeries* const result = results[InputOfVariable(variable)];
    columns.push_back(
        result == nullptr
            ? std::vector<double>(times.size(), absent)
            : ValuesAt(times, result->points, MissingValue{.value = absent, .replaces_nan = true}));
  }
  const std::vector<double> values = formula.Evaluate(columns, times.size());
  Span points;
  for (size_t i = 0; i < times.size(); ++i) {
    // A formula may ignore NaN, as in "a > b"; a point needs all inputs all the same.
    const bool is_whole = std::ranges::none_of(
        columns, [i](const std::vector<double>& column) { return std::isnan(column[i]); });
    if (is_whole && std::isfinite(values[i])) points.push_back(times[i], Value::Float(values[i]));
  }
  return points;
}

size_t BytesOfTags(const TagPairs& tags) {
  size_t bytes = sizeof(VirtualSeries);
  for (const auto& [tagk, tagv] : tags)
    bytes += 2 * sizeof(std::string) + tagk.size() + tagv.size();
  return bytes;
}

absl::StatusOr<std::vector<JoinedSeries>> JoinResults(const MetricExpression& expression,
                                                      const std::vector<ExpressionSet>& results,
                                                      MemoryHold* hold) {
  std::vector<std::vector<std::string>> keys(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const SubQuery& input = expression.inputs[i];
    const std::vector<std::string> grouping_keys = GroupingKeys(input);
    for (const ExpressionSeries& result : results[i].series) {
      keys[i].push_back(KeyOfResult(input, grouping_keys, result));
      HOURCELL_RETURN_IF_ERROR(hold->Take(keys[i].back().size() + sizeof(std::string) +
                                          kBytesOfJoinNode + 2 * results.size() * sizeof(size_t)));
    }
  }
  return JoinByKey(keys, expression.missing.has_value() ? JoinSet::kUnion : JoinSet::kIntersection);
}

}  // namespace

absl::StatusOr<std::vector<VirtualSeries>> JoinInputs(const MetricExpression& expression,
                                                      const Formula& formula,
                                                      const std::vector<ExpressionSet>& results,
                                                      const QueryWatch& watch,
                                                      MemoryHold* hold) {
  HOURCELL_DCHECK(results.size() == expression.inputs.size());
  MemoryHold of_join(hold->account());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<JoinedSeries> joined,
                            JoinResults(expression, results, &of_join));
  std::vector<VirtualSeries> series;
  series.reserve(joined.size());
  for (const JoinedSeries& one : joined) {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    ResultsOfOne of_one;
    size_t points = 0;
    for (size_t i = 0; i < one.size(); ++i) {
      of_one.push_back(one[i] == kNoSeries ? nullptr : &results[i].series[one[i]]);
      if (of_one.back() != nullptr) points += of_one.back()->points.size();
    }
    MemoryHold working(hold->account());
    HOURCELL_RETURN_IF_ERROR(
        working.Take(BytesOfUnion(points) + (one.size() + 2) * points * sizeof(double)));
    VirtualSeries calculated{.tags = CommonTags(of_one),
                             .points = Calculate(formula, expression.missing, of_one)};
    HOURCELL_RETURN_IF_ERROR(
        hold->Take(BytesOfTags(calculated.tags) + 2 * calculated.points.size() * kSpanPointBytes));
    if (!calculated.points.empty()) series.push_back(std::move(calculated));
  }
  return series;
}

}  // namespace hourcell
