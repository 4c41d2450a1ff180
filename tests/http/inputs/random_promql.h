// Random series and random expressions of PromQL over them, for a comparison with Prometheus 2.42.
//
// These are left out, because the two may differ without a fault of Hourcell:
//   - its own faults, promql/evaluation/README.md: `@` in predict_linear, timestamp and parameters
//     of aggregations; count_values by more than two labels; subqueries with a range below their
//     step; topk and bottomk of equal values
//   - sums in an arbitrary order of series are rounded differently. Sums of the samples are exact
//     in each order, because samples are multiples of 1/64. Other sums are only at the root of an
//     expression, which then is `is_rounded`
//
// The same seed gives the same series and expressions in the same build. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell {

// The times of the samples.
inline constexpr int64_t kRandomStartS = 1'700'000'000;
inline constexpr int64_t kRandomSeconds = 3'600;

struct RandomExpression {
  std::string text;
  bool is_rounded = false;  // its values depend on the order of series, in their last bits
};

class RandomPromql {
 public:
  explicit RandomPromql(uint64_t seed) : random_(seed) {}

  // Counters with resets, gauges with special values, sparse series, buckets; with gaps, stale
  // markers, single samples, and some outside of the hour.
  std::vector<PromTestSeries> Series();

  // Of nested parts, `depth` at most.
  RandomExpression Expression(size_t depth);
  // The parameters of a request and its path: an instant or a range.
  std::string Target(const RandomExpression& expression);

  size_t Below(size_t count) { return random_() % count; }

 private:
  // A vector, and whether sums of its values are exact.
  struct Part {
    std::string text = {};
    bool is_exact = false;
  };

  bool OneIn(size_t count) { return Below(count) == 0; }
  std::string Pick(std::span<const std::string_view> texts) {
    return std::string(texts[Below(texts.size())]);
  }

  PromTestSeries Samples(std::vector<std::pair<std::string, std::string>> labels);
  double NextValue(char kind, double before);

  std::string Number();
  std::string Duration(int64_t least_s, int64_t most_s);
  std::string Modifiers(bool may_be_fixed);
  std::string Matchers();
  std::string Labels(size_t most);
  Part Selector(bool may_be_fixed = true);
  Part Range(size_t depth, bool may_be_fixed = true);
  std::string Scalar(size_t depth);
  Part Vector(size_t depth);
  Part OfRange(size_t depth);
  Part OfVector(size_t depth);
  Part Aggregation(size_t depth);
  Part Ranking();
  Part WithScalar(size_t depth);
  Part OfTwo(size_t depth);
  Part WithLabels(size_t depth);
  Part Quantile(size_t depth);
  std::string Rounded();

  std::mt19937_64 random_;
};

}  // namespace hourcell
