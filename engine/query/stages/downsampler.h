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
//
// A SpanBuilder makes a span of rows as they are read: of all their points, or of buckets, without
// the points in between. It leaves out the empty buckets that fill asks for: a GapFiller puts them
// in when the span is used, so that nobody has to keep the filled spans of many series.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <absl/status/status.h>

#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "engine/query/columns.h"
#include "engine/query/query_spec.h"
#include "engine/query/stages/scan_bounds.h"

namespace hourcell {

struct QueryRange {
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  ScanBounds scan;
};

// Thread-compatible.
class SpanBuilder {
 public:
  virtual ~SpanBuilder() = default;

  // Adds the points of a row from its `first` on. Rows come in the order of their time.
  virtual void AddRow(int64_t base_ms, const CellColumns& columns, size_t first) = 0;

  // Adds a whole row by its summary, with the same result to the last bit. False, with nothing
  // added, if that is not possible: then the row is to be added by its points.
  virtual bool AddSummary(int64_t base_ms, const CellSummary& summary) = 0;

  // Adds points that come after those so far.
  virtual void AddSpan(const Span& span) = 0;

  // The span; to be called once, last.
  virtual Span Finish() = 0;

  // After Finish: the fill policy asks for buckets that the span lacks.
  virtual bool has_gaps() const = 0;

  // Bytes of memory the builder and its span take by now.
  virtual size_t allocated_bytes() const = 0;

  // Bytes that so many points more may allocate at most; 0 if there is room.
  virtual size_t GrowthBytes(size_t points) const = 0;
};

// For one series; without a specification the span has the points as they are.
std::unique_ptr<SpanBuilder> MakeSpanBuilder(const std::optional<DownsampleSpec>& spec,
                                             const QueryRange& range);

// Puts the buckets that a fill policy asks for into spans that lack some. Immutable; thread-safe.
class GapFiller {
 public:
  virtual ~GapFiller() = default;

  // `span` as a SpanBuilder of the same specification and range made it.
  virtual Span Fill(const Span& span) const = 0;

  // How many points a filled span has.
  virtual size_t buckets() const = 0;
};

// Null without a fill policy.
std::unique_ptr<GapFiller> MakeGapFiller(const DownsampleSpec& spec, const QueryRange& range);

// True if SpanBuilder::AddSummary may work often enough to be tried.
bool MayUseSummaries(const std::optional<DownsampleSpec>& spec);

// The times at which buckets of the range may begin, ascending; nothing if there are more than
// `max`, or if the intervals are not buckets of a grid.
std::optional<std::vector<int64_t>> BucketTimes(const DownsampleSpec& spec,
                                                const QueryRange& range,
                                                size_t max);

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
