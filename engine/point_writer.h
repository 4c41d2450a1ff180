// PointWriter: the way in. A batch of points becomes one group of merges, a cell a row, applied to
// the data table; acknowledged when the group is in RocksDB's write-ahead log. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/layout.h"
#include "codec/point.h"
#include "codec/row_key.h"
#include "engine/options.h"
#include "engine/series_cache.h"
#include "engine/series_table.h"
#include "engine/stats.h"
#include "engine/table.h"
#include "engine/tsdb.h"

namespace hourcell {

class PointWriter {
 public:
  // What the writer works on; borrowed, outlives it.
  struct Parts {
    TableStore* tables = nullptr;
    SeriesTable* series = nullptr;
    SeriesCache* cache = nullptr;
    Stats* stats = nullptr;
  };
  PointWriter(const Options& options, const RowKeyCodec& row_keys, const Parts& parts);

  // Tsdb::Append.
  CommitTicket Append(std::span<const PointView> points,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options);

 private:
  // A point that has its series: where it goes, and which of the batch it is.
  struct Placed {
    SeriesNumber series;
    uint32_t base_time_s;
    uint32_t offset_ms;
    size_t index;        // into the batch
    size_t series_slot;  // into Batch::series
  };
  struct Batch {
    std::vector<SeriesRef> series;
    std::vector<Placed> placed;
    std::vector<RefusedPoint> refused;
  };

  Batch Place(std::span<const PointView> points);
  void ResolveMissing(std::span<const PointView> points,
                      std::span<const size_t> missing,
                      Batch* batch);
  void PlacePoint(const PointView& point, size_t index, size_t series_slot, Batch* batch) const;
  std::vector<Mutation> RowMerges(std::span<const PointView> points, Batch* batch) const;

  const size_t tags_max_;
  const bool sync_;
  const RowKeyCodec& row_keys_;
  const Parts parts_;
  Counter* const points_added_;
  Counter* const points_refused_;
};

}  // namespace hourcell
