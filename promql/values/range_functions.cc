#include "promql/values/range_functions.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "promql/values/number_text.h"
#include "promql/values/over_time.h"
#include "promql/values/rates.h"
#include "promql/values/regressions.h"

namespace hourcell::promql {
namespace {

// How the windows of a function are calculated.
enum class RangeKind : uint8_t {
  kNone,
  kExtrapolated,
  kInstant,
  kResets,
  kChanges,
  kDeriv,
  kPredictLinear,
  kHoltWinters,
  kAggregate,
  kQuantile
};

RangeKind KindOf(Function function) {
  switch (function) {
    case Function::kRate:
    case Function::kIncrease:
    case Function::kDelta:
      return RangeKind::kExtrapolated;
    case Function::kIrate:
    case Function::kIdelta:
      return RangeKind::kInstant;
    case Function::kResets:
      return RangeKind::kResets;
    case Function::kChanges:
      return RangeKind::kChanges;
    case Function::kDeriv:
      return RangeKind::kDeriv;
    case Function::kPredictLinear:
      return RangeKind::kPredictLinear;
    case Function::kHoltWinters:
      return RangeKind::kHoltWinters;
    case Function::kAvgOverTime:
    case Function::kCountOverTime:
    case Function::kLastOverTime:
    case Function::kMaxOverTime:
    case Function::kMinOverTime:
    case Function::kPresentOverTime:
    case Function::kStddevOverTime:
    case Function::kStdvarOverTime:
    case Function::kSumOverTime:
      return RangeKind::kAggregate;
    case Function::kQuantileOverTime:
      return RangeKind::kQuantile;
    default:
      return RangeKind::kNone;
  }
}

size_t ParameterCount(RangeKind kind) {
  if (kind == RangeKind::kHoltWinters) return 2;
  return kind == RangeKind::kPredictLinear || kind == RangeKind::kQuantile ? 1 : 0;
}

absl::Status CheckFactor(std::string_view name, std::string_view symbol, double factor) {
  // NaN is accepted, and gives NaN.
  if (!(factor <= 0 || factor >= 1)) return absl::OkStatus();
  // Infinities as in other texts; else six decimals.
  const std::string text = std::isinf(factor) ? NumberText(factor) : fmt::format("{:f}", factor);
  return absl::InvalidArgumentError(
      fmt::format("invalid {} factor. Expected: 0 < {} < 1, got: {}", name, symbol, text));
}

}  // namespace

bool IsRangeFunction(Function function) {
  return KindOf(function) != RangeKind::kNone;
}

WindowNeeds NeedsOf(Function function) {
  switch (function) {
    case Function::kAvgOverTime:
    case Function::kSumOverTime:
      return WindowNeeds::kSum;
    case Function::kMinOverTime:
      return WindowNeeds::kMin;
    case Function::kMaxOverTime:
    case Function::kCountOverTime:  // all weights, but no sum, which may not be known
      return WindowNeeds::kMax;
    case Function::kLastOverTime:
    case Function::kPresentOverTime:
    case Function::kAbsentOverTime:
      return WindowNeeds::kEnds;
    default:
      return WindowNeeds::kPoints;
  }
}

void ApplyRangeFunction(Function function,
                        PointsView points,
                        const Windows& windows,
                        std::span<const std::span<const double>> parameters,
                        std::span<double> out) {
  const RangeKind kind = KindOf(function);
  HOURCELL_DCHECK(out.size() == windows.steps.count);
  HOURCELL_DCHECK(parameters.size() >= ParameterCount(kind));
  switch (kind) {
    case RangeKind::kExtrapolated:
      return ExtrapolatedRates(function, points, windows, out);
    case RangeKind::kInstant:
      return InstantRates(function, points, windows, out);
    case RangeKind::kResets:
      return CountResets(points, windows, out);
    case RangeKind::kChanges:
      return CountChanges(points, windows, out);
    case RangeKind::kDeriv:
      return Slopes(points, windows, out);
    case RangeKind::kPredictLinear:
      return LinearPredictions(points, windows, parameters[0], out);
    case RangeKind::kHoltWinters:
      return SmoothedValues(points, windows, parameters[0], parameters[1], out);
    case RangeKind::kAggregate:
      return AggregateOverTime(function, points, windows, out);
    case RangeKind::kQuantile:
      return QuantilesOverTime(points, windows, parameters[0], out);
    case RangeKind::kNone:
      HOURCELL_CHECK(false);
  }
}

absl::Status CheckHoltWinters(double smoothing_factor, double trend_factor) {
  if (absl::Status status = CheckFactor("smoothing", "sf", smoothing_factor); !status.ok()) {
    return status;
  }
  return CheckFactor("trend", "tf", trend_factor);
}

void SelectLast(PointsView points,
                const Windows& windows,
                std::span<double> out,
                std::span<double> times) {
  HOURCELL_DCHECK(out.size() == windows.steps.count);
  HOURCELL_DCHECK(times.empty() || times.size() == out.size());
  size_t end = 0;  // of the points that are not after the step
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t end_ms = windows.end_of(i);
    while (end < points.size() && points.times[end] <= end_ms)
      ++end;
    const bool is_found = end > 0 && points.times[end - 1] >= end_ms - windows.range_ms &&
                          !IsStale(points.values[end - 1]);
    out[i] = is_found ? points.values[end - 1] : kNoValue;
    if (times.empty()) continue;
    times[i] = is_found ? static_cast<double>(points.times[end - 1]) / 1000 : kNoValue;
  }
}

}  // namespace hourcell::promql
