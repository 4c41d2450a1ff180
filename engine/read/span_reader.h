// SpanReader: reads spans of series, downsampled if the query wants that, from stored rows and open
// hours. Several threads read a large selection, each a part of the series. With salted rows, a
// part has few salt buckets, so that one thread, and not each, walks the hours of a bucket. Cells
// are decoded into reused columns. A row that lies wholly in one bucket of time is not decoded if
// its summary suffices. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>

#include "codec/rows/row_key.h"
#include "engine/hours/open_hours.h"
#include "engine/query/columns.h"
#include "engine/query/query_spec.h"
#include "engine/query/stages/downsampler.h"
#include "engine/read/query_meter.h"
#include "engine/read/row_reader.h"
#include "engine/threads/task_pool.h"

namespace hourcell {

struct SeriesSpan {
  SpanBuilder* builder = nullptr;  // with all rows of the series
  bool has_points = false;  // in the hours that were read; the span may be empty all the same
};

// The spans of some series.
struct SpanBatch {
  absl::InlinedVector<SeriesSpan, 8> spans;
  absl::InlinedVector<std::unique_ptr<SpanBuilders>, 1> builders;  // of the spans
};

class SpanReader {
 public:
  // Borrowed. REQUIRES: the query's pin of `open_hours` is older than `view`.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    TableView* view = nullptr;
    OpenHours* open_hours = nullptr;
    uint64_t pinned_at = 0;  // the time of the query's pin
    TaskPool* pool = nullptr;
    QueryMeter* meter = nullptr;
    MemoryLease* memory = nullptr;
  };
  // Settings of all selections.
  struct Settings {
    const SeriesList* list = nullptr;
    Uid metric = kNoUid;
    ScanBounds bounds;            // of the query
    StoredRows stored;            // that there may be
    int64_t visible_from_ms = 0;  // points before it are expired
    std::optional<DownsampleSpec> downsample;
    QueryRange range;
    ReadDivision division = ReadDivision::kByBucket;
    bool special_values = false;  // are points
  };
  // Memory of a series without its points: its place in the lists of a batch.
  static constexpr size_t kSeriesBytes = 2 * sizeof(SeriesSpan) + 64;

  SpanReader(const Parts& parts, const Settings& settings) : parts_(parts), settings_(settings) {}

  // Reads the spans of the series at `positions` of the list, which ascend; batch->spans[i] belongs
  // to positions[i]. `*bytes` is the memory taken from the lease, including kSeriesBytes for each.
  //
  // kDataLoss: a cell is damaged (the row is named); kResourceExhausted, kDeadlineExceeded,
  // kCancelled.
  absl::Status Read(std::span<const uint32_t> positions,
                    ReadMethod method,
                    bool is_large,
                    SpanBatch* batch,
                    size_t* bytes);

 private:
  class Part;

  std::vector<uint32_t> OrderOf(std::span<const uint32_t> positions,
                                ReadMethod method,
                                size_t parts) const;

  const Parts parts_;
  const Settings settings_;
};

}  // namespace hourcell
