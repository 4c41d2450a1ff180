#include "server/translate/words.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "promql/text/expression.h"
#include "promql/text/parser.h"

// Why no percentile is here: m= estimates p99 from the rank 0.99 (n + 1), PromQL from 0.99 (n - 1).
// Why no first, diff and mult: PromQL 2.42 lacks functions of a range for them, and a group of
// PromQL lacks an order.

namespace hourcell {
namespace {

// The first word of a function, or of an operator, is the one that PromQL's becomes.
constexpr auto kBucketWords = std::to_array<BucketWord>({
    {.aggregator = Aggregator::kAvg, .function = "avg_over_time"},
    {.aggregator = Aggregator::kSum, .function = "sum_over_time"},
    {.aggregator = Aggregator::kZimsum, .function = "sum_over_time"},
    {.aggregator = Aggregator::kPfsum, .function = "sum_over_time"},
    {.aggregator = Aggregator::kMin, .function = "min_over_time"},
    {.aggregator = Aggregator::kMimmin, .function = "min_over_time"},
    {.aggregator = Aggregator::kMax, .function = "max_over_time"},
    {.aggregator = Aggregator::kMimmax, .function = "max_over_time"},
    {.aggregator = Aggregator::kCount, .function = "count_over_time"},
    {.aggregator = Aggregator::kLast, .function = "last_over_time"},
    {.aggregator = Aggregator::kDev, .function = "stddev_over_time"},
    {.aggregator = Aggregator::kMedian, .function = "quantile_over_time", .parameter = "0.5, "},
});

constexpr auto kAggregateWords = std::to_array<AggregateWord>({
    {.aggregator = Aggregator::kZimsum, .op = "sum", .leaves_out_gaps = true},
    {.aggregator = Aggregator::kMimmin, .op = "min", .leaves_out_gaps = true},
    {.aggregator = Aggregator::kMimmax, .op = "max", .leaves_out_gaps = true},
    {.aggregator = Aggregator::kSquareSum, .op = "sum", .power = 2, .leaves_out_gaps = true},
    {.aggregator = Aggregator::kSum, .op = "sum"},
    {.aggregator = Aggregator::kPfsum, .op = "sum"},
    {.aggregator = Aggregator::kMin, .op = "min"},
    {.aggregator = Aggregator::kMax, .op = "max"},
    {.aggregator = Aggregator::kAvg, .op = "avg", .truncates_integers = true},
    {.aggregator = Aggregator::kDev, .op = "stddev", .truncates_integers = true},
    {.aggregator = Aggregator::kCount, .op = "count"},
    {.aggregator = Aggregator::kMedian, .op = "quantile", .parameter = "0.5, "},
});

}  // namespace

const BucketWord* BucketWordOf(Aggregator aggregator) {
  const auto* const found = std::ranges::find(kBucketWords, aggregator, &BucketWord::aggregator);
  return found == kBucketWords.end() ? nullptr : found;
}

const BucketWord* BucketWordOf(std::string_view function) {
  const auto* const found = std::ranges::find(kBucketWords, function, &BucketWord::function);
  return found == kBucketWords.end() ? nullptr : found;
}

const AggregateWord* AggregateWordOf(Aggregator aggregator) {
  const auto* const found =
      std::ranges::find(kAggregateWords, aggregator, &AggregateWord::aggregator);
  return found == kAggregateWords.end() ? nullptr : found;
}

const AggregateWord* AggregateWordOf(std::string_view op) {
  const auto* const found = std::ranges::find(kAggregateWords, op, &AggregateWord::op);
  return found == kAggregateWords.end() ? nullptr : found;
}

bool IsMetricWord(std::string_view name) {
  const auto parsed = promql::ParseQuery(fmt::format("{}{{}}", name));
  if (!parsed.ok()) return false;
  const auto* const selector = std::get_if<promql::VectorSelector>(&(*parsed)->node);
  return selector != nullptr && selector->metric == name;
}

}  // namespace hourcell
