#include "promql/values/value_functions.h"

#include <cmath>
#include <numbers>

#include "codec/base/check.h"
#include "promql/columns.h"
#include "promql/values/calendar.h"
#include "promql/values/elementary.h"

namespace hourcell::promql {
namespace {

using ValueFunction = double (*)(double);

double Sign(double value) {
  if (value < 0) return -1;
  return value > 0 ? 1 : value;  // zeros and NaN stay
}

double Degrees(double radians) {
  return radians * 180 / std::numbers::pi;
}
double Radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

template <auto field>
double CalendarField(double seconds) {
  return static_cast<double>(ToCalendarTime(seconds).*field);
}

// The functions with one argument that are neither calendar fields nor trigonometry. Null: others.
ValueFunction FindMathematics(Function function) {
  switch (function) {
    case Function::kAbs:
      return [](double value) { return std::abs(value); };
    case Function::kCeil:
      return [](double value) { return std::ceil(value); };
    case Function::kFloor:
      return [](double value) { return std::floor(value); };
    case Function::kSqrt:
      return [](double value) { return std::sqrt(value); };
    case Function::kExp:
      return Exp;
    case Function::kLn:
      return Log;
    case Function::kLog2:
      return Log2;
    case Function::kLog10:
      return Log10;
    case Function::kSgn:
      return Sign;
    case Function::kDeg:
      return Degrees;
    case Function::kRad:
      return Radians;
    default:
      return nullptr;
  }
}

ValueFunction FindTrigonometry(Function function) {
  switch (function) {
    case Function::kSin:
      return Sine;
    case Function::kCos:
      return Cosine;
    case Function::kTan:
      return Tangent;
    case Function::kAsin:
      return ArcSine;
    case Function::kAcos:
      return ArcCosine;
    case Function::kAtan:
      return ArcTangent;
    case Function::kSinh:
      return HyperbolicSine;
    case Function::kCosh:
      return HyperbolicCosine;
    case Function::kTanh:
      return HyperbolicTangent;
    case Function::kAsinh:
      return AreaSine;
    case Function::kAcosh:
      return AreaCosine;
    case Function::kAtanh:
      return AreaTangent;
    default:
      return nullptr;
  }
}

ValueFunction FindCalendar(Function function) {
  switch (function) {
    case Function::kDayOfMonth:
      return CalendarField<&CalendarTime::day_of_month>;
    case Function::kDayOfWeek:
      return CalendarField<&CalendarTime::day_of_week>;
    case Function::kDayOfYear:
      return CalendarField<&CalendarTime::day_of_year>;
    case Function::kDaysInMonth:
      return CalendarField<&CalendarTime::days_in_month>;
    case Function::kHour:
      return CalendarField<&CalendarTime::hour>;
    case Function::kMinute:
      return CalendarField<&CalendarTime::minute>;
    case Function::kMonth:
      return CalendarField<&CalendarTime::month>;
    case Function::kYear:
      return CalendarField<&CalendarTime::year>;
    default:
      return nullptr;
  }
}

ValueFunction FindPlainFunction(Function function) {
  if (const ValueFunction found = FindMathematics(function)) return found;
  if (const ValueFunction found = FindTrigonometry(function)) return found;
  return FindCalendar(function);
}

// Sets each value to calculate(i, value).
template <typename Calculate>
void ReplaceValues(std::span<double> values, Calculate calculate) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!IsNoValue(values[i])) values[i] = calculate(i, values[i]);
  }
}

// Halves are rounded up. The inverse has fewer errors than 0.1 and the like.
double RoundTo(double value, double nearest) {
  const double inverse = 1 / nearest;
  return std::floor(value * inverse + 0.5) / inverse;
}

double Clamp(double value, double min, double max) {
  // Such bounds exclude all values.
  if (max < min) return kNoValue;
  return Maximum(min, Minimum(max, value));
}

}  // namespace

bool IsValueFunction(Function function) {
  return function == Function::kClamp || function == Function::kClampMin ||
         function == Function::kClampMax || function == Function::kRound ||
         FindPlainFunction(function) != nullptr;
}

void ApplyValueFunction(Function function,
                        std::span<const std::span<const double>> parameters,
                        std::span<double> values) {
  const auto parameter = [&](size_t index) {
    HOURCELL_DCHECK(index < parameters.size() && parameters[index].size() == values.size());
    return parameters[index];
  };
  switch (function) {
    case Function::kClamp:
      return ReplaceValues(values, [min = parameter(0), max = parameter(1)](size_t i, double v) {
        return Clamp(v, min[i], max[i]);
      });
    case Function::kClampMin:
      return ReplaceValues(
          values, [min = parameter(0)](size_t i, double value) { return Maximum(min[i], value); });
    case Function::kClampMax:
      return ReplaceValues(
          values, [max = parameter(0)](size_t i, double value) { return Minimum(max[i], value); });
    case Function::kRound:
      if (parameters.empty()) {
        return ReplaceValues(values, [](size_t, double value) { return RoundTo(value, 1); });
      }
      return ReplaceValues(values, [nearest = parameter(0)](size_t i, double value) {
        return RoundTo(value, nearest[i]);
      });
    default:
      break;
  }
  const ValueFunction calculate = FindPlainFunction(function);
  HOURCELL_CHECK(calculate != nullptr);
  ReplaceValues(values, [calculate](size_t, double value) { return calculate(value); });
}

}  // namespace hourcell::promql
