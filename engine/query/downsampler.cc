#include "engine/query/downsampler.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "engine/query/aggregate.h"
#include "engine/query/calendar_grid.h"

namespace hourcell {
namespace {

// Output values are all doubles: the type column is written once, at the end.
class DoubleColumn {
 public:
  void Add(int64_t ms, double value) {
    span_.t.push_back(ms);
    span_.v.push_back(std::bit_cast<uint64_t>(value));
  }
  Span Take() && {
    span_.is_float.assign(span_.t.size(), 1);
    return std::move(span_);
  }

 private:
  Span span_;
};

std::vector<double> ToDoubles(const Span& span) {
  std::vector<double> values(span.size());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = span.ToDouble(i);
  return values;
}

int64_t AlignDown(int64_t ms, int64_t interval_ms) {
  return ms - ms % interval_ms;
}

int64_t AlignUp(int64_t ms, int64_t interval_ms) {
  const int64_t down = AlignDown(ms, interval_ms);
  if (down == ms) return ms;
  return down > INT64_MAX - interval_ms ? INT64_MAX : down + interval_ms;
}

double FillValue(const DownsampleSpec& spec) {
  return spec.fill == FillPolicy::kZero ? spec.fill_value
                                        : std::numeric_limits<double>::quiet_NaN();
}

int64_t BeginMs(const QueryRange& range) {
  return int64_t{range.scan.begin_s} * 1000;
}

int64_t EndMs(const QueryRange& range) {
  return static_cast<int64_t>(std::min<uint64_t>(range.scan.end_s, INT64_MAX / 1000)) * 1000;
}

// `all`: one bucket of start <= t < end.
Span DownsampleAll(const Span& span, Aggregator function, const QueryRange& range) {
  const auto index_of = [&](int64_t ms) {
    return static_cast<size_t>(std::lower_bound(span.t.begin(), span.t.end(), ms) - span.t.begin());
  };
  const size_t begin = index_of(range.start_ms);
  const size_t end = index_of(range.end_ms);
  if (begin >= end) return {};
  const std::vector<double> values = ToDoubles(span);
  DoubleColumn out;
  out.Add(range.start_ms,
          AggregateDoubles(function, std::span(values).subspan(begin, end - begin)));
  return std::move(out).Take();
}

// Buckets aligned to multiples of the interval since 1970; what CalendarGrid is for calendars.
class FixedGrid {
 public:
  explicit FixedGrid(int64_t interval_ms) : interval_ms_(interval_ms) {}
  int64_t Floor(int64_t ms) const { return AlignDown(ms, interval_ms_); }
  int64_t Next(int64_t ms) const {
    return ms > INT64_MAX - interval_ms_ ? INT64_MAX : ms + interval_ms_;
  }

 private:
  const int64_t interval_ms_;
};

// Where buckets begin and end: points before `first_ms` are skipped; with fill there are buckets
// from `fill_begin_ms` to (excluding) `fill_end_ms`, both boundaries.
struct BucketLimits {
  int64_t first_ms = 0;
  int64_t fill_begin_ms = 0;
  int64_t fill_end_ms = 0;
};

template <typename Grid>
Span DownsampleOnGrid(const Span& span,
                      const DownsampleSpec& spec,
                      const Grid& grid,
                      const BucketLimits& limits) {
  const bool fills = spec.fill != FillPolicy::kNone;
  const std::vector<double> values = ToDoubles(span);
  DoubleColumn out;

  int64_t fill_ms = limits.fill_begin_ms;  // the first bucket not yet in `out`
  const auto fill_up_to = [&](int64_t ms) {
    for (; fills && fill_ms < ms; fill_ms = grid.Next(fill_ms))
      out.Add(fill_ms, FillValue(spec));
  };

  const auto first = std::lower_bound(span.t.begin(), span.t.end(), limits.first_ms);
  size_t i = static_cast<size_t>(first - span.t.begin());
  while (i < span.size()) {
    const int64_t bucket_ms = grid.Floor(span.t[i]);
    if (fills && bucket_ms >= limits.fill_end_ms) break;
    fill_up_to(bucket_ms);
    const int64_t next_ms = grid.Next(bucket_ms);
    const size_t begin = i;
    do {
      ++i;
    } while (i < span.size() && span.t[i] < next_ms);
    out.Add(bucket_ms,
            AggregateDoubles(spec.function, std::span(values).subspan(begin, i - begin)));
    fill_ms = next_ms;
  }
  fill_up_to(limits.fill_end_ms);
  return std::move(out).Take();
}

Span DownsampleByCalendar(const Span& span, const DownsampleSpec& spec, const QueryRange& range) {
  const CalendarGrid grid(spec, range.start_ms);
  const int64_t begin_ms = grid.Floor(range.start_ms);
  return DownsampleOnGrid(span, spec, grid,
                          {.first_ms = begin_ms,
                           .fill_begin_ms = begin_ms,
                           .fill_end_ms = grid.Next(grid.Floor(range.end_ms))});
}

}  // namespace

Span DownsampleBetween(const Span& span,
                       const DownsampleSpec& spec,
                       int64_t begin_ms,
                       int64_t end_ms) {
  HOURCELL_CHECK(!spec.all && !spec.calendar && spec.interval_ms > 0);
  return DownsampleOnGrid(span, spec, FixedGrid(spec.interval_ms),
                          {.first_ms = AlignUp(begin_ms, spec.interval_ms),
                           .fill_begin_ms = AlignDown(begin_ms, spec.interval_ms),
                           .fill_end_ms = AlignDown(end_ms, spec.interval_ms)});
}

Span Downsample(const Span& span, const DownsampleSpec& spec, const QueryRange& range) {
  if (spec.all) return DownsampleAll(span, spec.function, range);
  if (spec.calendar) return DownsampleByCalendar(span, spec, range);
  return DownsampleBetween(span, spec, BeginMs(range), EndMs(range));
}

absl::Status CheckBucketCount(const DownsampleSpec& spec, const QueryRange& range) {
  if (spec.all || spec.fill == FillPolicy::kNone) return absl::OkStatus();
  const int64_t buckets = (EndMs(range) - BeginMs(range)) / spec.interval_ms;
  if (buckets <= kFilledBucketsMax) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "downsample: {} buckets of {} ms to fill in each series; want at most {}: a longer "
      "interval, a shorter range, or no fill policy",
      buckets, spec.interval_ms, kFilledBucketsMax));
}

}  // namespace hourcell
