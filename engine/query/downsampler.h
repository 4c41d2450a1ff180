// Downsampling: buckets of one span, each reduced to one double. Pure but for time zone tables.
//
//   key = t - t mod interval (epoch-aligned), half-open; output time = bucket start; output always
//   floating point; integers are converted before the function
//
// Points before the first bucket boundary at or after the scan's begin are skipped. Without fill,
// empty buckets are absent; with fill every bucket from align(begin) to (excluding) align(end) is
// there, empty ones NaN (nan, null) or a number (zero, scalar). `all` is one bucket of start <= t <
// end, at start.
//
// By the calendar, buckets are those of calendar_grid.h anchored at the query's start. The first is
// the one that holds the start, whole; fill ends with the one that holds the end.

#pragma once

#include <cstdint>

#include <absl/status/status.h>

#include "engine/query/columns.h"
#include "engine/query/query_spec.h"
#include "engine/query/scan_bounds.h"

namespace hourcell {

struct QueryRange {
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  ScanBounds scan;
};

Span Downsample(const Span& span, const DownsampleSpec& spec, const QueryRange& range);

// The same between two instants, for intervals (not `all`, not by the calendar): points before the
// first bucket boundary at or after `begin_ms` are skipped; with fill, buckets go up to (excluding)
// align(`end_ms`).
Span DownsampleBetween(const Span& span,
                       const DownsampleSpec& spec,
                       int64_t begin_ms,
                       int64_t end_ms);

// Buckets a fill policy may ask for in one series: one small query could name any number.
inline constexpr int64_t kFilledBucketsMax = 10'000'000;

// kResourceExhausted: the fill policy asks for more than kFilledBucketsMax. To be called before
// Downsample, which cannot fail.
absl::Status CheckBucketCount(const DownsampleSpec& spec, const QueryRange& range);

}  // namespace hourcell
