#include "server/changes/change_score.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "codec/base/check.h"

// Why the spread is the mean distance from the median, not the standard deviation, and leaves out
// the outermost values: one spike before the range would hide a step in it, because its distance is
// squared. The median distance was rejected: a series that is 0 except for some spikes has the
// median distance 0, so one more spike would be as large a change as a step.

namespace hourcell {
namespace {

// Of a normal distribution: the standard deviation by the mean distance.
constexpr double kDeviationOfDistance = 1.2533;
constexpr double kFloorOfMean = 0.01;
// One value in 20 is left out at each end.
constexpr size_t kValuesOfOneLeftOut = 20;
// Counts against a score from few values.
constexpr double kUncertainValues = 2;
// A counter rises in at least half of its steps; a reset may lower the averages of two steps.
constexpr size_t kCounterValuesMin = 6;
constexpr size_t kCounterFallsMax = 2;
constexpr int64_t kHolesOfAnEnd = 3;
constexpr int64_t kEndPartOfRange = 4;

double CertaintyOf(size_t values) {
  const auto n = static_cast<double>(values);
  return n / (n + kUncertainValues);
}

// A sum of huge values overflows; a sum of their parts is less exact.
double MeanOf(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  double sum_of_parts = 0;
  for (const double value : values) {
    sum += value;
    sum_of_parts += value / n;
  }
  return std::isfinite(sum) ? sum / n : sum_of_parts;
}

RangeValues ValuesOf(std::span<const StepValue> line) {
  RangeValues range;
  if (line.empty()) return range;
  range.values = line.size();
  std::vector<double> values;
  values.reserve(line.size());
  for (const StepValue& each : line)
    values.push_back(each.value);
  std::ranges::sort(values);
  range.min = values.front();
  range.max = values.back();
  range.mean = MeanOf(values);
  const size_t left_out = values.size() / kValuesOfOneLeftOut;
  const std::span<const double> inner =
      std::span<const double>(values).subspan(left_out, values.size() - 2 * left_out);
  const auto n = static_cast<double>(inner.size());
  const double median = inner[inner.size() / 2];
  range.inner_mean = MeanOf(inner);
  for (const double value : inner)
    range.spread += std::abs(value / n - median / n) * kDeviationOfDistance;
  return range;
}

bool IsCounter(std::span<const StepValue> line) {
  if (line.size() < kCounterValuesMin || line.front().value < 0) return false;
  size_t rises = 0;
  size_t falls = 0;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i].value < 0) return false;
    if (line[i].value > line[i - 1].value) ++rises;
    if (line[i].value < line[i - 1].value) ++falls;
  }
  return rises * 2 >= line.size() - 1 && falls <= kCounterFallsMax;
}

// Without the falls.
std::vector<StepValue> RatesOf(std::span<const StepValue> line) {
  std::vector<StepValue> rates;
  rates.reserve(line.size());
  for (size_t i = 1; i < line.size(); ++i) {
    const double rise = line[i].value - line[i - 1].value;
    const double seconds = static_cast<double>(line[i].ms - line[i - 1].ms) / 1000;
    if (rise >= 0) rates.push_back({.ms = line[i].ms, .value = rise / seconds});
  }
  return rates;
}

// Whether the values stop before the end of the range. REQUIRES: there are some.
bool EndsEarly(std::span<const StepValue> line, const ChangeTimes& times) {
  HOURCELL_DCHECK(!line.empty());
  int64_t hole = times.step_ms;
  for (size_t i = 1; i < line.size(); ++i)
    hole = std::max(hole, line[i].ms - line[i - 1].ms);
  const int64_t rest = times.end_ms - times.step_ms - line.back().ms;
  return rest >= kHolesOfAnEnd * hole && rest * kEndPartOfRange >= times.end_ms - times.start_ms;
}

double MoveOf(const RangeValues& before, const RangeValues& now) {
  const size_t values = std::min(before.values, now.values);
  if (values == 0) return 0;
  const double size = std::max(std::abs(before.inner_mean), std::abs(now.inner_mean));
  const double spread = std::max(before.spread / 2 + now.spread / 2, size * kFloorOfMean);
  if (spread == 0) return 0;
  const double distance = std::abs(now.inner_mean / spread - before.inner_mean / spread);
  const double move = distance * CertaintyOf(values);
  return std::isfinite(move) ? std::min(move, kChangeScoreMax) : kChangeScoreMax;
}

}  // namespace

ChangeScore ScoreChange(std::vector<StepValue> values, const ChangeTimes& times) {
  std::erase_if(values, [](const StepValue& each) { return !std::isfinite(each.value); });
  HOURCELL_DCHECK(std::ranges::is_sorted(values, {}, &StepValue::ms));
  ChangeScore result;
  if (values.empty()) return result;
  HOURCELL_DCHECK(values.front().ms >= times.before_ms() && values.back().ms < times.end_ms);
  const auto begin_of_now = [&times](std::span<const StepValue> line) {
    return static_cast<size_t>(std::ranges::lower_bound(line, times.start_ms, {}, &StepValue::ms) -
                               line.begin());
  };
  // Rates have fewer values than the series: its start and its end are seen in the values.
  const size_t values_before = begin_of_now(values);
  const size_t values_now = values.size() - values_before;
  const bool has_ended = values_before > 0 && EndsEarly(values, times);
  result.is_rate = IsCounter(values);
  result.line = result.is_rate ? RatesOf(values) : std::move(values);
  const std::span<const StepValue> line(result.line);
  const size_t before = begin_of_now(line);
  result.before = ValuesOf(line.first(before));
  result.now = ValuesOf(line.subspan(before));
  result.score = MoveOf(result.before, result.now);
  if (values_before == 0) {
    result.type = ChangeType::kStarted;
    result.score = kPresenceScore * CertaintyOf(values_now);
  } else if (values_now == 0 || has_ended) {
    result.type = ChangeType::kEnded;
    result.score = std::max(result.score, kPresenceScore * CertaintyOf(values_before));
  }
  return result;
}

}  // namespace hourcell
