#include "promql/values/aggregators.h"

#include <algorithm>
#include <limits>

#include "codec/base/check.h"
#include "promql/columns.h"

namespace hourcell::promql {
namespace {

// Calls combine(&state, value) where both have a value. A first value becomes the state.
template <typename Combine>
void CombineColumns(std::span<const double> column, std::span<double> states, Combine combine) {
  for (size_t i = 0; i < column.size(); ++i) {
    if (IsNoValue(column[i])) continue;
    if (IsNoValue(states[i])) {
      states[i] = column[i];
    } else {
      combine(&states[i], column[i]);
    }
  }
}

bool IsLess(double left, double right) {
  if (std::isnan(right)) return false;
  return std::isnan(left) || left < right;
}

bool NeedsValues(AggregateOperator op) {
  return op != AggregateOperator::kCount;
}

bool NeedsSquares(AggregateOperator op) {
  return op == AggregateOperator::kStddev || op == AggregateOperator::kStdvar;
}

bool NeedsCounts(AggregateOperator op) {
  return op == AggregateOperator::kCount || op == AggregateOperator::kAvg || NeedsSquares(op);
}

}  // namespace

bool IsGroupAggregate(AggregateOperator op) {
  switch (op) {
    case AggregateOperator::kSum:
    case AggregateOperator::kAvg:
    case AggregateOperator::kCount:
    case AggregateOperator::kMin:
    case AggregateOperator::kMax:
    case AggregateOperator::kGroup:
    case AggregateOperator::kStddev:
    case AggregateOperator::kStdvar:
      return true;
    default:
      return false;
  }
}

GroupAggregate::GroupAggregate(AggregateOperator op, size_t steps)
    : op_(op),
      steps_(steps),
      values_(NeedsValues(op) ? steps : 0, kNoValue),
      squares_(NeedsSquares(op) ? steps : 0),
      counts_(NeedsCounts(op) ? steps : 0) {
  HOURCELL_DCHECK(IsGroupAggregate(op) && steps >= 1);
}

void GroupAggregate::AddToMeans(std::span<const double> column) {
  for (size_t i = 0; i < column.size(); ++i) {
    const double value = column[i];
    if (IsNoValue(value)) continue;
    const double count = ++counts_[i];
    double& mean = values_[i];
    if (count == 1) {
      mean = value;
    } else if (!KeepsInfinity(mean, value)) {
      // Two quotients: the difference of two large values would overflow.
      mean += value / count - mean / count;
    }
  }
}

void GroupAggregate::AddToVariances(std::span<const double> column) {
  for (size_t i = 0; i < column.size(); ++i) {
    const double value = column[i];
    if (IsNoValue(value)) continue;
    const double count = ++counts_[i];
    double& mean = values_[i];
    if (count == 1) {
      // One value has the variance 0, even if it is infinite or NaN.
      mean = value;
      continue;
    }
    const double deviation = value - mean;
    mean += deviation / count;
    squares_[i] += deviation * (value - mean);
  }
}

void GroupAggregate::Add(std::span<const double> column) {
  HOURCELL_DCHECK(column.size() == steps_);
  switch (op_) {
    case AggregateOperator::kSum:
      return CombineColumns(column, values_, [](double* sum, double value) { *sum += value; });
    case AggregateOperator::kMax:
      return CombineColumns(column, values_, [](double* max, double value) {
        if (*max < value || std::isnan(*max)) *max = value;
      });
    case AggregateOperator::kMin:
      return CombineColumns(column, values_, [](double* min, double value) {
        if (*min > value || std::isnan(*min)) *min = value;
      });
    case AggregateOperator::kGroup:
      return CombineColumns(column, values_, [](double*, double) {});
    case AggregateOperator::kCount:
      for (size_t i = 0; i < column.size(); ++i)
        counts_[i] += IsNoValue(column[i]) ? 0U : 1U;
      return;
    case AggregateOperator::kAvg:
      return AddToMeans(column);
    default:
      return AddToVariances(column);
  }
}

void GroupAggregate::Finish(std::span<double> out) const {
  HOURCELL_DCHECK(out.size() == steps_);
  const auto fill = [&](auto value_of) {
    for (size_t i = 0; i < out.size(); ++i) {
      const bool is_empty = NeedsCounts(op_) ? counts_[i] == 0 : IsNoValue(values_[i]);
      out[i] = is_empty ? kNoValue : value_of(i);
    }
  };
  switch (op_) {
    case AggregateOperator::kCount:
      return fill([&](size_t i) { return static_cast<double>(counts_[i]); });
    case AggregateOperator::kGroup:
      return fill([](size_t) { return 1.0; });
    case AggregateOperator::kStdvar:
      return fill([&](size_t i) { return squares_[i] / counts_[i]; });
    case AggregateOperator::kStddev:
      return fill([&](size_t i) { return std::sqrt(squares_[i] / counts_[i]); });
    default:
      return fill([&](size_t i) { return values_[i]; });
  }
}

size_t GroupAggregate::MemoryBytes() const {
  return sizeof(GroupAggregate) + (values_.capacity() + squares_.capacity()) * sizeof(double) +
         counts_.capacity() * sizeof(uint32_t);
}

double Quantile(double quantile, std::span<double> values) {
  using Limits = std::numeric_limits<double>;
  if (values.empty() || std::isnan(quantile)) return Limits::quiet_NaN();
  if (quantile < 0) return -Limits::infinity();
  if (quantile > 1) return Limits::infinity();
  const double last = static_cast<double>(values.size() - 1);
  const double rank = quantile * last;
  const double lower_rank = std::floor(rank);
  const double weight = rank - lower_rank;
  const auto lower = values.begin() + static_cast<ptrdiff_t>(lower_rank);
  std::nth_element(values.begin(), lower, values.end(), IsLess);
  const auto upper = lower_rank < last ? std::min_element(lower + 1, values.end(), IsLess) : lower;
  return *lower * (1 - weight) + *upper * weight;
}

}  // namespace hourcell::promql
