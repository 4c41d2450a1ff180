// The binary operators on two values, as Go calculates them, and sums of many values.

#pragma once

#include <cmath>

#include "promql/text/expression.h"

namespace hourcell::promql {

// + - * / % ^ atan2. REQUIRES: not a comparison, not a set operator.
double Calculate(BinaryOperator op, double left, double right);
// == != > < >= <=, by IEEE 754. REQUIRES: IsComparison(op).
bool Compare(BinaryOperator op, double left, double right);

// A sum with a compensation of rounding errors (Neumaier's form), as Prometheus calculates sums
// over time.
struct KahanSum {
  double sum = 0;
  double compensation = 0;

  void Add(double value) {
    const double next = sum + value;
    // The smaller of the two lost digits.
    if (std::abs(sum) >= std::abs(value)) {
      compensation += (sum - next) + value;
    } else {
      compensation += (value - next) + sum;
    }
    sum = next;
  }

  double Total() const { return sum + compensation; }
  // The compensation of an infinite sum is NaN. So such a sum is taken without it.
  double TotalOrInfinity() const { return std::isinf(sum) ? sum : Total(); }
};

}  // namespace hourcell::promql
