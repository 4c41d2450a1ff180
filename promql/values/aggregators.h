// The aggregations of PromQL over the values of one group: sum, avg, count, min, max, group, stddev
// and stdvar of a column a series, and quantile of the values of a step.
//
// Not thread-safe.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "promql/text/expression.h"

namespace hourcell::promql {

// The aggregation of one group. Results are those of Prometheus 2.42, if Add gets the series in
// Prometheus' order: plain additions, and a mean that is updated with each value.
class GroupAggregate final {
 public:
  // REQUIRES: IsGroupAggregate(op); steps >= 1.
  GroupAggregate(AggregateOperator op, size_t steps);

  // The values of one series, one a step; kNoValue where it has none.
  // REQUIRES: as many values as steps.
  void Add(std::span<const double> column);
  // One value a step; kNoValue where no series had a value. REQUIRES: as many values as steps.
  void Finish(std::span<double> out) const;

  size_t MemoryBytes() const;

 private:
  void AddToMeans(std::span<const double> column);
  void AddToVariances(std::span<const double> column);

  const AggregateOperator op_;
  const size_t steps_;
  std::vector<double> values_;    // sum, extreme, mean; by op_
  std::vector<double> squares_;   // stddev, stdvar: the sum of squares of deviations
  std::vector<uint32_t> counts_;  // count, avg, stddev, stdvar
};

// True for the operators that GroupAggregate knows: not topk, bottomk, count_values and quantile.
bool IsGroupAggregate(AggregateOperator op);

// quantile(q, v): linear between the two nearest ranks; NaN is the least value. Reorders `values`.
// NaN without values and for the quantile NaN; -Inf and +Inf if q is outside [0, 1].
double Quantile(double quantile, std::span<double> values);

// True if the mean of values stays infinite when `value` is added: it would become Inf - Inf = NaN
// by calculation.
inline bool KeepsInfinity(double mean, double value) {
  if (!std::isinf(mean) || std::isnan(value)) return false;
  return !std::isinf(value) || (mean > 0) == (value > 0);
}

}  // namespace hourcell::promql
