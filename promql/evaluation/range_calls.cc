#include "promql/evaluation/range_calls.h"

#include <algorithm>
#include <utility>

#include "codec/base/status_macros.h"
#include "promql/values/rates.h"

namespace hourcell::promql {
namespace {

using Parameters = std::span<const std::span<const double>>;

// Prometheus checks the factors of holt_winters at each window that has points.
absl::Status CheckFactors(PointsView points, const Windows& windows, Parameters parameters) {
  std::vector<double> is_present;
  for (size_t i = 0; i < windows.steps.count; ++i) {
    absl::Status status = CheckHoltWinters(parameters[0][i], parameters[1][i]);
    if (status.ok()) continue;
    if (is_present.empty()) {
      is_present.resize(windows.steps.count);
      ApplyRangeFunction(Function::kPresentOverTime, points, windows, {}, is_present);
    }
    if (!IsNoValue(is_present[i])) return status;
  }
  return absl::OkStatus();
}

// The points that are numbers, in `*kept`.
PointsView NumbersOf(PointsView points, SeriesPoints* kept) {
  for (size_t i = 0; i < points.size(); ++i) {
    if (IsHistogram(points.values[i])) continue;
    kept->times.push_back(points.times[i]);
    kept->values.push_back(points.values[i]);
  }
  return kept->view();
}

// A function of the points of a series with histograms; its column is the last one of `*result`.
absl::Status ApplyToHistograms(Function function,
                               PointsView points,
                               const Windows& windows,
                               Parameters parameters,
                               HeldVector* result,
                               bool* leaves_out) {
  const std::span<double> column = result->series().back().values;
  if (function == Function::kCountOverTime || function == Function::kPresentOverTime ||
      function == Function::kLastOverTime) {
    ApplyRangeFunction(function, points, windows, parameters, column);
    return SetLastHistograms(points, windows, result);
  }
  SeriesPoints kept;
  ApplyRangeFunction(function, NumbersOf(points, &kept), windows, parameters, column);
  const bool has_rates = function == Function::kRate || function == Function::kIncrease ||
                         function == Function::kDelta;
  if (!has_rates) {
    *leaves_out = true;
    return absl::OkStatus();
  }
  const auto set = [&](size_t step, NativeHistogram rate) {
    return result->SetHistogram(step, std::make_shared<const NativeHistogram>(std::move(rate)));
  };
  return HistogramRates(function, points, windows, column, set);
}

int64_t CeilToMultiple(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return rest > 0 ? value - rest + step : value - rest;
}

}  // namespace

std::optional<Steps> StepsOfSubquery(const Subquery& subquery,
                                     const Windows& windows,
                                     int64_t default_step_ms) {
  const TimeRange range = RangeOf(windows);
  const int64_t step_ms = subquery.step_ms > 0 ? subquery.step_ms : default_step_ms;
  const int64_t start_ms = CeilToMultiple(range.start_ms, step_ms);
  if (start_ms > range.end_ms) return std::nullopt;
  return Steps{.start_ms = start_ms,
               .step_ms = step_ms,
               .count = static_cast<size_t>((range.end_ms - start_ms) / step_ms) + 1};
}

absl::Status VisitColumns(const HeldVector& vector, const Steps& steps, VisitPoints visit) {
  Budget* const budget = vector.budget();
  // Times of all steps, and the points of a series that has gaps.
  const size_t bytes =
      steps.count * (2 * sizeof(int64_t) + sizeof(double) + sizeof(HistogramPointer));
  HOURCELL_RETURN_IF_ERROR(budget->Take(bytes));
  std::vector<int64_t> all_times(steps.count);
  for (size_t i = 0; i < steps.count; ++i)
    all_times[i] = steps.at(i);
  SeriesPoints points;
  absl::Status status;
  for (size_t s = 0; s < vector.series().size() && status.ok(); ++s) {
    const auto& [labels, values, histograms] = vector.series()[s];
    status = budget->Work(steps.count);
    if (!status.ok()) break;
    if (std::ranges::none_of(values, IsNoValue)) {
      status = visit(labels, {.times = all_times, .values = values, .histograms = histograms});
      continue;
    }
    points.times.clear();
    points.values.clear();
    points.histograms.clear();
    for (size_t i = 0; i < values.size(); ++i) {
      if (IsNoValue(values[i])) continue;
      points.times.push_back(all_times[i]);
      points.values.push_back(values[i]);
      if (!histograms.empty()) points.histograms.push_back(histograms[i]);
    }
    status = visit(labels, points.view());
  }
  budget->GiveBack(bytes);
  return status;
}

absl::StatusOr<HeldVector> CallOfRange(Function function,
                                       const Windows& windows,
                                       Parameters parameters,
                                       VisitSeries visit_series,
                                       Budget* budget,
                                       bool* leaves_out) {
  HeldVector result(budget, windows.steps.count);
  const auto visit = [&](const Labels& labels, PointsView points) -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(budget->Work(points.size() + windows.steps.count));
    if (function == Function::kHoltWinters)
      HOURCELL_RETURN_IF_ERROR(CheckFactors(points, windows, parameters));
    HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, result.Add(labels));
    if (points.histograms.empty()) {
      ApplyRangeFunction(function, points, windows, parameters, column);
    } else {
      HOURCELL_RETURN_IF_ERROR(
          ApplyToHistograms(function, points, windows, parameters, &result, leaves_out));
    }
    if (!HasValue(column)) result.RemoveLast();
    return absl::OkStatus();
  };
  HOURCELL_RETURN_IF_ERROR(visit_series(visit));
  SortByLabels(&result.series());
  if (function == Function::kLastOverTime) return result;
  HOURCELL_RETURN_IF_ERROR(DropMetricNames(&result, EqualLabels::kRefuse));
  return result;
}

absl::StatusOr<HeldVector> AbsentOverTime(const Windows& windows,
                                          Labels labels,
                                          VisitSeries visit_series,
                                          Budget* budget) {
  HeldVector result(budget, windows.steps.count);
  HOURCELL_ASSIGN_OR_RETURN(const std::span<double> absent, result.Add(std::move(labels)));
  std::ranges::fill(absent, 1.0);
  std::vector<double> is_present(windows.steps.count);
  const auto visit = [&](const Labels&, PointsView points) -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(budget->Work(points.size() + windows.steps.count));
    ApplyRangeFunction(Function::kPresentOverTime, points, windows, {}, is_present);
    for (size_t i = 0; i < absent.size(); ++i)
      if (!IsNoValue(is_present[i])) absent[i] = kNoValue;
    return absl::OkStatus();
  };
  HOURCELL_RETURN_IF_ERROR(visit_series(visit));
  result.RemoveEmpty();
  return result;
}

}  // namespace hourcell::promql
