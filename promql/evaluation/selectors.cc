#include "promql/evaluation/selectors.h"

#include <algorithm>
#include <span>
#include <vector>

#include "codec/base/status_macros.h"

namespace hourcell::promql {
namespace {

// Far from the limits of int64_t, so that adding an offset and a range cannot overflow.
constexpr int64_t kFarMs = int64_t{1} << 60;

int64_t FixedTime(const TimeShift& shift, const QueryTimes& times) {
  switch (shift.at) {
    case TimeShift::At::kNone:
      break;
    case TimeShift::At::kTime:
      return std::clamp(shift.at_ms, -kFarMs, kFarMs);
    case TimeShift::At::kStart:
      return times.start_ms;
    case TimeShift::At::kEnd:
      return times.end_ms;
  }
  return 0;
}

SeriesRequest RequestOf(const VectorSelector& selector, const Windows& windows) {
  const TimeRange range = RangeOf(windows);
  return {.matchers = selector.matchers, .start_ms = range.start_ms, .end_ms = range.end_ms};
}

// The points without stale markers: `points` itself if possible, else a copy in `*kept`.
PointsView WithoutStale(PointsView points, SeriesPoints* kept) {
  // Without an early end, this is some values at once.
  bool is_any_stale = false;
  for (const double value : points.values)
    is_any_stale |= IsStale(value);
  if (!is_any_stale) return points;
  kept->times.clear();
  kept->values.clear();
  kept->weights.clear();
  kept->histograms.clear();
  for (size_t i = 0; i < points.size(); ++i) {
    if (IsStale(points.values[i])) continue;
    kept->times.push_back(points.times[i]);
    kept->values.push_back(points.values[i]);
    if (!points.weights.empty()) kept->weights.push_back(points.weights[i]);
    if (!points.histograms.empty()) kept->histograms.push_back(points.histograms[i]);
  }
  return kept->view();
}

}  // namespace

Windows WindowsOf(const TimeShift& shift,
                  int64_t range_ms,
                  const Steps& steps,
                  const QueryTimes& times) {
  return {.steps = steps,
          .range_ms = range_ms,
          .offset_ms = shift.offset_ms,
          .is_fixed = shift.at != TimeShift::At::kNone,
          .fixed_ms = FixedTime(shift, times)};
}

TimeRange RangeOf(const Windows& windows) {
  return {.start_ms = windows.end_of(0) - windows.range_ms,
          .end_ms = windows.end_of(windows.steps.count - 1)};
}

absl::StatusOr<HeldVector> SelectInstant(const VectorSelector& selector,
                                         const Windows& windows,
                                         Selected selected,
                                         SeriesSource* source,
                                         Budget* budget) {
  HeldVector vector(budget, windows.steps.count);
  std::vector<double> values;
  const auto visit = [&](const Labels& labels, PointsView points) -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(budget->Work(points.size() + windows.steps.count));
    HOURCELL_ASSIGN_OR_RETURN(const std::span<double> column, vector.Add(labels));
    if (selected == Selected::kTime) {
      values.resize(column.size());
      SelectLast(points, windows, values, column);
      for (size_t i = 0; i < column.size(); ++i)
        if (IsNoValue(values[i])) column[i] = kNoValue;
    } else {
      SelectLast(points, windows, column);
      if (!points.histograms.empty())
        HOURCELL_RETURN_IF_ERROR(SetLastHistograms(points, windows, &vector));
    }
    if (!HasValue(column)) vector.RemoveLast();
    return absl::OkStatus();
  };
  HOURCELL_RETURN_IF_ERROR(source->Read(RequestOf(selector, windows), visit));
  SortByLabels(&vector.series());
  return vector;
}

absl::Status SelectRange(const VectorSelector& selector,
                         const Windows& windows,
                         WindowNeeds needs,
                         SeriesSource* source,
                         Budget* budget,
                         VisitPoints visit) {
  SeriesPoints kept;
  SeriesRequest request = RequestOf(selector, windows);
  request.needs = needs;
  request.range_ms = windows.range_ms;
  if (!windows.is_fixed) {
    request.step_ms = windows.steps.step_ms;
    request.windows = windows.steps.count;
  }
  return source->Read(request, [&](const Labels& labels, PointsView points) -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(budget->Work(points.size() + windows.steps.count));
    const PointsView values = WithoutStale(points, &kept);
    return values.size() == 0 ? absl::OkStatus() : visit(labels, values);
  });
}

absl::Status SetLastHistograms(PointsView points, const Windows& windows, HeldVector* vector) {
  size_t end = 0;  // of the points that are not after the step
  for (size_t i = 0; i < windows.steps.count; ++i) {
    while (end < points.size() && points.times[end] <= windows.end_of(i))
      ++end;
    if (!IsHistogram(vector->series().back().values[i])) continue;
    HOURCELL_RETURN_IF_ERROR(vector->SetHistogram(i, points.histograms[end - 1]));
  }
  return absl::OkStatus();
}

void SortByLabels(Vector* series) {
  const auto is_before = [](const SeriesColumn& a, const SeriesColumn& b) {
    return a.labels < b.labels;
  };
  if (!std::ranges::is_sorted(*series, is_before)) std::ranges::sort(*series, is_before);
}

}  // namespace hourcell::promql
