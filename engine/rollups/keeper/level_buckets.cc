#include "engine/rollups/keeper/level_buckets.h"

#include <algorithm>
#include <cmath>

#include "codec/base/check.h"
#include "engine/query/aggregator.h"
#include "engine/query/stages/downsampler.h"

namespace hourcell {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

Value LevelValueOf(double value) {
  const bool is_whole = std::abs(value) < kExactIntegers && value == std::trunc(value);
  // An integer 0 would lose the sign.
  if (!is_whole || (value == 0 && std::signbit(value))) return Value::Float(value);
  return Value::Integer(static_cast<int64_t>(value));
}

Span PointsBetween(const SpanView& points, int64_t begin_ms, int64_t end_ms) {
  const auto at = [&points](int64_t ms) {
    return static_cast<size_t>(std::ranges::lower_bound(points.t, ms) - points.t.begin());
  };
  const size_t first = at(begin_ms);
  const size_t count = at(end_ms) - first;
  const auto part = [first, count](const auto& all) { return all.subspan(first, count); };
  const auto t = part(points.t);
  const auto v = part(points.v);
  const auto is_float = part(points.is_float);
  return {.t = {t.begin(), t.end()},
          .v = {v.begin(), v.end()},
          .is_float = {is_float.begin(), is_float.end()}};
}

}  // namespace

void VisitLevelBuckets(
    const SpanView& points,
    const LevelRange& range,
    const std::function<void(size_t aggregate, int64_t time_s, Value value)>& take) {
  const int64_t interval_s = range.level->seconds;
  HOURCELL_DCHECK(interval_s > 0 && range.begin_s % interval_s == 0);
  HOURCELL_DCHECK(range.end_s % interval_s == 0);
  const int64_t begin_ms = range.begin_s * 1000;
  const int64_t end_ms = range.end_s * 1000;
  const Span some = PointsBetween(points, begin_ms, end_ms);
  if (some.empty()) return;
  for (size_t i = 0; i < range.level->aggregates.size(); ++i) {
    const absl::StatusOr<Aggregator> function = ParseAggregator(range.level->aggregates[i]);
    HOURCELL_CHECK(function.ok());
    const Span buckets = DownsampleBetween(
        some, {.interval_ms = interval_s * 1000, .function = *function}, begin_ms, end_ms);
    for (size_t k = 0; k < buckets.size(); ++k)
      take(i, buckets.t[k] / 1000, LevelValueOf(buckets.ToDouble(k)));
  }
}

}  // namespace hourcell
