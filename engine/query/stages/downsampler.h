// Downsampling: buckets of one span, each reduced to one double. Pure but for time zone tables.
//
//   key = t - t mod interval (epoch-aligned), half-open; output time = bucket start; output always
//   floating point; integers are converted before the function
//
// Points before the first bucket boundary at or after the scan's begin are skipped. Without fill,
// empty buckets are absent; with fill every bucket from align(begin) to (excluding) align(end) is
// present, empty ones with NaN (nan, null) or a number (zero, scalar). `all` is one bucket of start
// <= t < end, at start.
//
// By the calendar, buckets are those of calendar_grid.h anchored at the query's start. The first is
// the complete bucket with the start; fill ends with the bucket with the end.
//
// A SpanBuilder makes a span of rows during their read: of all their points, or of buckets, without
// keeping the points. It omits the empty buckets of the fill policy: a GapFiller adds them when the
// span is used, so that the filled spans of many series need not be kept.

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
#include "engine/query/stages/buckets_view.h"
#include "engine/query/stages/scan_bounds.h"

namespace hourcell {

struct QueryRange {
  int64_t start_ms = 0;
  int64_t end_ms = 0;  // inclusive
  ScanBounds scan;
  std::optional<WindowSpec> windows = {};  // of the query
};

// Thread-compatible.
class SpanBuilder {
 public:
  virtual ~SpanBuilder() = default;

  // Adds the points of a row at [first, end) of the columns. Rows come in the order of their time.
  virtual void AddRow(int64_t base_ms, const CellColumns& columns, size_t first, size_t end) = 0;

  // Adds a whole row by its summary, with the same result to the last bit, or as the windows need
  // it. If that is not possible, returns false and adds nothing: the caller then adds the points.
  virtual bool AddSummary(int64_t base_ms, const CellSummary& summary) = 0;

  // Adds points that are later than all before.
  virtual void AddSpan(const Span& span) = 0;

  // Sets `*span` to the span, in its memory if the span has one bucket; call it once, last.
  virtual void FinishInto(Span* span) = 0;
  Span Finish() {
    Span span;
    FinishInto(&span);
    return span;
  }

  // The span where it is, until the builder is used again or destroyed. Call it instead of
  // FinishInto. REQUIRES: a specification of buckets.
  virtual BucketsView FinishInPlace() = 0;

  // After one of the two: true if the span lacks buckets of the fill policy.
  virtual bool has_gaps() const = 0;

  // Bytes of memory in use by the builder and its span.
  virtual size_t allocated_bytes() const = 0;

  // Upper limit of the bytes that `points` more points may allocate; 0 if there is room.
  virtual size_t GrowthBytes(size_t points) const = 0;
};

// For one series; without a specification the span has the points as they are, or condensed for the
// windows of the range.
std::unique_ptr<SpanBuilder> MakeSpanBuilder(const std::optional<DownsampleSpec>& spec,
                                             const QueryRange& range);

// The builders of several series, side by side. They share memory for their first buckets. One
// thread at a time uses them.
class SpanBuilders {
 public:
  virtual ~SpanBuilders() = default;
  virtual SpanBuilder& operator[](size_t i) = 0;
};
std::unique_ptr<SpanBuilders> MakeSpanBuilders(const std::optional<DownsampleSpec>& spec,
                                               const QueryRange& range,
                                               size_t count);

// Adds the missing buckets of a fill policy to spans. Immutable; thread-safe.
class GapFiller {
 public:
  virtual ~GapFiller() = default;

  // `span`: from a SpanBuilder of the same specification and range.
  virtual Span Fill(const Span& span) const = 0;

  // Number of points of a filled span.
  virtual size_t buckets() const = 0;
};

// Null without a fill policy.
std::unique_ptr<GapFiller> MakeGapFiller(const DownsampleSpec& spec, const QueryRange& range);

// True if SpanBuilder::AddSummary succeeds often enough to try it.
bool MayUseSummaries(const std::optional<DownsampleSpec>& spec, const QueryRange& range);

// The number of possible begins of the range's buckets; nullopt if there are more than `max`.
std::optional<size_t> BucketCount(const DownsampleSpec& spec, const QueryRange& range, size_t max);

// Those begins, ascending; nullopt if there are more than `max`.
std::optional<std::vector<int64_t>> BucketTimes(const DownsampleSpec& spec,
                                                const QueryRange& range,
                                                size_t max);

Span Downsample(const Span& span, const DownsampleSpec& spec, const QueryRange& range);

// As Downsample, between two instants, for intervals (not `all`, not by the calendar): points
// before the first bucket boundary at or after `begin_ms` are skipped; with fill, buckets end
// before align(`end_ms`).
Span DownsampleBetween(const Span& span,
                       const DownsampleSpec& spec,
                       int64_t begin_ms,
                       int64_t end_ms);

// Maximum number of filled buckets in one series: a small query could request any number.
inline constexpr int64_t kFilledBucketsMax = 10'000'000;

// kResourceExhausted: the fill policy needs more than kFilledBucketsMax. Call it before Downsample,
// which cannot fail.
absl::Status CheckBucketCount(const DownsampleSpec& spec, const QueryRange& range);

}  // namespace hourcell
