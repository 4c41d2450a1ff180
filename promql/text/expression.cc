#include "promql/text/expression.h"

#include <array>

namespace hourcell::promql {

std::string_view MatchOperatorText(MatchOperator op) {
  static constexpr std::array<std::string_view, 4> kTexts = {"=", "!=", "=~", "!~"};
  return kTexts[static_cast<size_t>(op)];
}

std::string_view AggregateOperatorText(AggregateOperator op) {
  static constexpr std::array<std::string_view, 12> kTexts = {
      "sum",    "avg",    "count", "min",     "max",          "group",
      "stddev", "stdvar", "topk",  "bottomk", "count_values", "quantile"};
  return kTexts[static_cast<size_t>(op)];
}

std::string_view BinaryOperatorText(BinaryOperator op) {
  static constexpr std::array<std::string_view, 16> kTexts = {
      "+",  "-", "*", "/",  "%",  "^",   "atan2", "==",
      "!=", ">", "<", ">=", "<=", "and", "or",    "unless"};
  return kTexts[static_cast<size_t>(op)];
}

}  // namespace hourcell::promql
