// The binary operators on two values, as Go calculates them.

#pragma once

#include "promql/text/expression.h"

namespace hourcell::promql {

// + - * / % ^ atan2. REQUIRES: not a comparison, not a set operator.
double Calculate(BinaryOperator op, double left, double right);
// == != > < >= <=, by IEEE 754. REQUIRES: IsComparison(op).
bool Compare(BinaryOperator op, double left, double right);

}  // namespace hourcell::promql
