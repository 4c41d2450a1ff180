#include "engine/query/stages/condenser.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "codec/limits.h"

// Why a sum of values with both signs is not used: a summary's sum is added in order, and where
// values cancel each other, its rounding errors are large relative to the result. Sums of values
// with one sign have a relative error of at most their number times 2^-53.

namespace hourcell {
namespace {

// The relative error of the sum of this many values is below 1e-12.
constexpr uint32_t kSummedMax = 8192;
// A sum of integers up to it is exact.
constexpr double kExactMax = 9007199254740992;  // 2^53
// A sum of integers up to it is not reduced modulo 2^64.
constexpr double kIntegerMax = 9.2e18;
// Sums of larger values may be infinite.
constexpr double kLargeMax = 1e300;

// Whether first + i * step is between the two, neither included, for an i below `count`.
bool HasStepBetween(int64_t first, int64_t step, size_t count, int64_t begin, int64_t end) {
  const int64_t i = first > begin ? 0 : (begin - first) / step + 1;
  return static_cast<uint64_t>(i) < count && first + i * step < end;
}

bool HasGoodSum(const CellSummary& summary) {
  const double min = summary.min.ToDouble();
  const double max = summary.max.ToDouble();
  const double largest = std::max(std::abs(min), std::abs(max));
  const double sum_max = largest * summary.count;
  if (summary.all_integer && sum_max <= kExactMax) return true;
  if (summary.all_integer && sum_max > kIntegerMax) return false;
  return (min >= 0 || max <= 0) && summary.count <= kSummedMax && largest <= kLargeMax;
}

void Push(int64_t ms, double value, uint32_t weight, Span* span) {
  span->t.push_back(ms);
  span->v.push_back(std::bit_cast<uint64_t>(value));
  span->is_float.push_back(1);
  span->weights.push_back(weight);
}

// Gives each point of a span the weight 1.
void BeginWeights(Span* span) {
  for (size_t i = 0; i < span->size(); ++i) {
    span->v[i] = std::bit_cast<uint64_t>(span->ToDouble(i));
    span->is_float[i] = 1;
  }
  span->weights.assign(span->size(), 1);
}

double MiddleOf(const CellSummary& summary, WindowSpec::Needs needs) {
  switch (needs) {
    case WindowSpec::Needs::kSum:
      return summary.sum.ToDouble() - summary.first.ToDouble() - summary.last.ToDouble();
    case WindowSpec::Needs::kMin:
      return summary.min.ToDouble();
    case WindowSpec::Needs::kMax:
    case WindowSpec::Needs::kEnds:
      break;
  }
  return summary.max.ToDouble();
}

}  // namespace

bool IsDivided(const WindowSpec& windows, int64_t first_ms, int64_t last_ms) {
  const int64_t end_ms = windows.first_end_ms;
  return HasStepBetween(end_ms, windows.step_ms, windows.count, first_ms, last_ms) ||
         HasStepBetween(end_ms - windows.range_ms, windows.step_ms, windows.count, first_ms,
                        last_ms);
}

bool MayBeUndivided(const WindowSpec& windows) {
  return windows.count == 1 || windows.step_ms >= kQualifierSpanMs;
}

bool AppendCondensed(const WindowSpec& windows,
                     int64_t base_ms,
                     const CellSummary& summary,
                     Span* span) {
  const int64_t first_ms = base_ms + summary.first_offset_ms;
  const int64_t last_ms = base_ms + summary.last_offset_ms;
  if (IsDivided(windows, first_ms, last_ms)) return false;
  // Of three points, the middle one is not known exactly.
  if (summary.count == 3) return false;
  if (windows.needs == WindowSpec::Needs::kSum && !HasGoodSum(summary)) return false;
  if (span->weights.empty()) BeginWeights(span);
  Push(first_ms, summary.first.ToDouble(), 1, span);
  if (summary.count == 1) return true;
  if (summary.count > 2 && windows.needs != WindowSpec::Needs::kEnds) {
    Push(first_ms + 1, MiddleOf(summary, windows.needs), summary.count - 2, span);
  }
  Push(last_ms, summary.last.ToDouble(), 1, span);
  return true;
}

}  // namespace hourcell
