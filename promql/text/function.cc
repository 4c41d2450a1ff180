#include "promql/text/function.h"

#include <algorithm>
#include <array>
#include <string>

#include "codec/base/check.h"

namespace hourcell::promql {
namespace {

constexpr auto kS = ValueType::kScalar;
constexpr auto kV = ValueType::kVector;
constexpr auto kM = ValueType::kMatrix;
constexpr auto kT = ValueType::kString;

// The lists of arguments, for the spans of the table.
constexpr ValueType kVectorArgument[] = {kV};
constexpr ValueType kMatrixArgument[] = {kM};
constexpr ValueType kScalarArgument[] = {kS};
constexpr ValueType kVectorScalar[] = {kV, kS};
constexpr ValueType kVectorScalarScalar[] = {kV, kS, kS};
constexpr ValueType kScalarVector[] = {kS, kV};
constexpr ValueType kScalarScalarVector[] = {kS, kS, kV};
constexpr ValueType kMatrixScalar[] = {kM, kS};
constexpr ValueType kMatrixScalarScalar[] = {kM, kS, kS};
constexpr ValueType kScalarMatrix[] = {kS, kM};
constexpr ValueType kLabelJoinArguments[] = {kV, kT, kT, kT};
constexpr ValueType kLabelReplaceArguments[] = {kV, kT, kT, kT, kT};

constexpr FunctionSignature OfVector(Function function, std::string_view name) {
  return {function, name, kVectorArgument, 0, false, kV};
}
constexpr FunctionSignature OfMatrix(Function function, std::string_view name) {
  return {function, name, kMatrixArgument, 0, false, kV};
}
// hour() is hour(vector(time())).
constexpr FunctionSignature OfCalendar(Function function, std::string_view name) {
  return {function, name, kVectorArgument, 1, false, kV};
}

using enum Function;

// In the order of the enum.
constexpr auto kSignatures = std::to_array<FunctionSignature>({
    OfVector(kAbs, "abs"),
    OfVector(kAbsent, "absent"),
    OfMatrix(kAbsentOverTime, "absent_over_time"),
    OfVector(kAcos, "acos"),
    OfVector(kAcosh, "acosh"),
    OfVector(kAsin, "asin"),
    OfVector(kAsinh, "asinh"),
    OfVector(kAtan, "atan"),
    OfVector(kAtanh, "atanh"),
    OfMatrix(kAvgOverTime, "avg_over_time"),
    OfVector(kCeil, "ceil"),
    OfMatrix(kChanges, "changes"),
    {kClamp, "clamp", kVectorScalarScalar, 0, false, kV},
    {kClampMax, "clamp_max", kVectorScalar, 0, false, kV},
    {kClampMin, "clamp_min", kVectorScalar, 0, false, kV},
    OfVector(kCos, "cos"),
    OfVector(kCosh, "cosh"),
    OfMatrix(kCountOverTime, "count_over_time"),
    OfCalendar(kDaysInMonth, "days_in_month"),
    OfCalendar(kDayOfMonth, "day_of_month"),
    OfCalendar(kDayOfWeek, "day_of_week"),
    OfCalendar(kDayOfYear, "day_of_year"),
    OfVector(kDeg, "deg"),
    OfMatrix(kDelta, "delta"),
    OfMatrix(kDeriv, "deriv"),
    OfVector(kExp, "exp"),
    OfVector(kFloor, "floor"),
    OfVector(kHistogramCount, "histogram_count"),
    {kHistogramFraction, "histogram_fraction", kScalarScalarVector, 0, false, kV},
    {kHistogramQuantile, "histogram_quantile", kScalarVector, 0, false, kV},
    OfVector(kHistogramSum, "histogram_sum"),
    {kHoltWinters, "holt_winters", kMatrixScalarScalar, 0, false, kV},
    OfCalendar(kHour, "hour"),
    OfMatrix(kIdelta, "idelta"),
    OfMatrix(kIncrease, "increase"),
    OfMatrix(kIrate, "irate"),
    {kLabelReplace, "label_replace", kLabelReplaceArguments, 0, false, kV},
    {kLabelJoin, "label_join", kLabelJoinArguments, 1, true, kV},
    OfMatrix(kLastOverTime, "last_over_time"),
    OfVector(kLn, "ln"),
    OfVector(kLog10, "log10"),
    OfVector(kLog2, "log2"),
    OfMatrix(kMaxOverTime, "max_over_time"),
    OfMatrix(kMinOverTime, "min_over_time"),
    OfCalendar(kMinute, "minute"),
    OfCalendar(kMonth, "month"),
    {kPi, "pi", {}, 0, false, kS},
    {kPredictLinear, "predict_linear", kMatrixScalar, 0, false, kV},
    OfMatrix(kPresentOverTime, "present_over_time"),
    {kQuantileOverTime, "quantile_over_time", kScalarMatrix, 0, false, kV},
    OfVector(kRad, "rad"),
    OfMatrix(kRate, "rate"),
    OfMatrix(kResets, "resets"),
    {kRound, "round", kVectorScalar, 1, false, kV},
    {Function::kScalar, "scalar", kVectorArgument, 0, false, kS},
    OfVector(kSgn, "sgn"),
    OfVector(kSin, "sin"),
    OfVector(kSinh, "sinh"),
    OfVector(kSort, "sort"),
    OfVector(kSortDesc, "sort_desc"),
    OfVector(kSqrt, "sqrt"),
    OfMatrix(kStddevOverTime, "stddev_over_time"),
    OfMatrix(kStdvarOverTime, "stdvar_over_time"),
    OfMatrix(kSumOverTime, "sum_over_time"),
    OfVector(kTan, "tan"),
    OfVector(kTanh, "tanh"),
    {kTime, "time", {}, 0, false, kS},
    OfVector(kTimestamp, "timestamp"),
    {Function::kVector, "vector", kScalarArgument, 0, false, kV},
    OfCalendar(kYear, "year"),
});

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kSignatures.size(); ++i)
    if (static_cast<size_t>(kSignatures[i].function) != i) return false;
  return kSignatures.size() == static_cast<size_t>(kYear) + 1;
}
static_assert(IsInOrder());

}  // namespace

std::string_view ValueTypeText(ValueType type) {
  static constexpr std::array<std::string_view, 4> kTexts = {"scalar", "instant vector",
                                                             "range vector", "string"};
  return kTexts[static_cast<size_t>(type)];
}

const FunctionSignature& SignatureOf(Function function) {
  return kSignatures[static_cast<size_t>(function)];
}

const FunctionSignature* FindFunction(std::string_view name) {
  const auto found = std::ranges::find(kSignatures, name, &FunctionSignature::name);
  return found == kSignatures.end() ? nullptr : &*found;
}

}  // namespace hourcell::promql
