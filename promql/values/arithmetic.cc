#include "promql/values/arithmetic.h"

#include <cmath>

#include "codec/base/check.h"
#include "promql/values/elementary.h"

namespace hourcell::promql {

double Calculate(BinaryOperator op, double left, double right) {
  switch (op) {
    case BinaryOperator::kAdd:
      return left + right;
    case BinaryOperator::kSubtract:
      return left - right;
    case BinaryOperator::kMultiply:
      return left * right;
    case BinaryOperator::kDivide:
      return left / right;
    case BinaryOperator::kModulo:
      return std::fmod(left, right);
    case BinaryOperator::kPower:
      return Power(left, right);
    case BinaryOperator::kAtan2:
      return ArcTangent2(left, right);
    default:
      HOURCELL_CHECK(false);
  }
}

bool Compare(BinaryOperator op, double left, double right) {
  switch (op) {
    case BinaryOperator::kEqual:
      return left == right;
    case BinaryOperator::kNotEqual:
      return left != right;
    case BinaryOperator::kGreater:
      return left > right;
    case BinaryOperator::kLess:
      return left < right;
    case BinaryOperator::kGreaterEqual:
      return left >= right;
    case BinaryOperator::kLessEqual:
      return left <= right;
    default:
      HOURCELL_CHECK(false);
  }
}

}  // namespace hourcell::promql
