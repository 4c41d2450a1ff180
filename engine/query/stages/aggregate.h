// Aggregation: the spans of a group merged on the union of their times (OpenTSDB's
// AggregationIterator), missing members interpolated by the aggregator's policy. Pure.
//
//   at each time t: every member that has begun and not ended contributes; one without a point at t
//   is interpolated between its neighbours (LERP), or counts as 0 (ZIM), as the largest (MAX) or
//   smallest number (MIN), or as its last one (PREV)
//   the result is an integer only if there is no rate, no downsampling, and all current and next
//   points of all members are integers; LERP then truncates
//   with rate nothing is interpolated: a member counts with its latest rate, before it with nothing

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query/columns.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_spec.h"
#include "engine/query/stages/buckets_view.h"

namespace hourcell {

// The aggregate of values at one time or in one bucket, in member order. Integers: wrap at 64 bits,
// avg, dev and percentiles truncate. Doubles: NaN is skipped (not by first, last and the last of
// diff), all NaN gives NaN; count gives 0. REQUIRES: not empty, not kNone.
int64_t AggregateIntegers(Aggregator aggregator, std::span<const int64_t> values);
double AggregateDoubles(Aggregator aggregator, std::span<const double> values);

// The times whose result is read, both ends included. Other times are emitted too, for callers that
// need all scanned points.
struct AskedTimes {
  int64_t from_ms = INT64_MIN;
  int64_t to_ms = INT64_MAX;
  bool Has(int64_t ms) const { return ms >= from_ms && ms <= to_ms; }
};

// Members in series-key order. Emits times <= scan_end_ms. kInvalidArgument "Got Infinity: ...":
// the result of a time in `asked` is infinite. kResourceExhausted: from `memory`, which counts the
// memory in use until the result is complete, and that of the result; null: does not count.
// REQUIRES: aggregator != kNone.
absl::StatusOr<Span> AggregateSpans(std::span<const Span> members,
                                    Aggregator aggregator,
                                    bool is_rate,
                                    int64_t scan_end_ms,
                                    AskedTimes asked = {},
                                    MemoryAccount* memory = nullptr);

// AggregateSpans for members that arrive one by one. Thread-compatible.
class SpanAggregator {
 public:
  virtual ~SpanAggregator() = default;

  // Members in series-key order. Takes the points of `member` only if it keeps them.
  virtual void Add(Span&& member) = 0;

  // True if members are kept until Finish.
  virtual bool keeps_members() const = 0;
  // As Add, of a member that was downsampled. REQUIRES: not keeps_members().
  virtual void AddBuckets(const BucketsView& member) = 0;

  // Sets `*merged`, in its memory if that suits, to the aggregate of the members added since the
  // last time. Errors as AggregateSpans; `*merged` is then undefined.
  virtual absl::Status FinishInto(Span* merged) = 0;
  absl::StatusOr<Span> Finish() {
    Span merged;
    const absl::Status finished = FinishInto(&merged);
    if (!finished.ok()) return finished;
    return merged;
  }

  // Bytes of memory that it keeps between two Adds.
  virtual size_t allocated_bytes() const = 0;
};

struct AggregationSpec {
  Aggregator aggregator = Aggregator::kSum;  // not kNone
  bool is_rate = false;
  int64_t scan_end_ms = 0;
  AskedTimes asked = {};
  // If there are any: all possible times of the members' points, ascending; then all members are
  // floating point, and only aggregators that sort keep them.
  std::vector<int64_t> times = {};
  MemoryAccount* memory = nullptr;  // borrowed; counts Finish's memory; null: does not count
};
std::unique_ptr<SpanAggregator> MakeSpanAggregator(AggregationSpec spec);

}  // namespace hourcell
