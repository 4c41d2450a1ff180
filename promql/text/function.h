// The functions of PromQL (Prometheus 2.42), their names and the types of their arguments.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hourcell::promql {

enum class ValueType : uint8_t { kScalar, kVector, kMatrix, kString };
// "scalar", "instant vector", "range vector", "string", as Prometheus names them in errors.
std::string_view ValueTypeText(ValueType type);

enum class Function : uint8_t {
  kAbs,
  kAbsent,
  kAbsentOverTime,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kAvgOverTime,
  kCeil,
  kChanges,
  kClamp,
  kClampMax,
  kClampMin,
  kCos,
  kCosh,
  kCountOverTime,
  kDaysInMonth,
  kDayOfMonth,
  kDayOfWeek,
  kDayOfYear,
  kDeg,
  kDelta,
  kDeriv,
  kExp,
  kFloor,
  kHistogramCount,
  kHistogramFraction,
  kHistogramQuantile,
  kHistogramSum,
  kHoltWinters,
  kHour,
  kIdelta,
  kIncrease,
  kIrate,
  kLabelReplace,
  kLabelJoin,
  kLastOverTime,
  kLn,
  kLog10,
  kLog2,
  kMaxOverTime,
  kMinOverTime,
  kMinute,
  kMonth,
  kPi,
  kPredictLinear,
  kPresentOverTime,
  kQuantileOverTime,
  kRad,
  kRate,
  kResets,
  kRound,
  kScalar,
  kSgn,
  kSin,
  kSinh,
  kSort,
  kSortDesc,
  kSqrt,
  kStddevOverTime,
  kStdvarOverTime,
  kSumOverTime,
  kTan,
  kTanh,
  kTime,
  kTimestamp,
  kVector,
  kYear
};

struct FunctionSignature {
  Function function;
  std::string_view name;
  std::span<const ValueType> arguments;  // the last ones may be left out
  size_t optional_arguments;
  bool is_variadic;  // the last type repeats: label_join
  ValueType result;
};

const FunctionSignature& SignatureOf(Function function);
// Case-sensitive, as in Prometheus. Null: there is no such function.
const FunctionSignature* FindFunction(std::string_view name);

}  // namespace hourcell::promql
