// RowReader: reads the stored rows of chosen series in a range of hours, hour by hour, by one of
// three methods (ReadMethod): each row by its key; a scan over all rows between the wanted ones; or
// a scan that leaps over long gaps. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "codec/rows/uid.h"
#include "engine/query/query_spec.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/read/query_meter.h"
#include "engine/series/series_list.h"
#include "engine/table/table.h"

namespace hourcell {

// Series to read: positions in a list, ascending.
struct RowSelection {
  const SeriesList* list = nullptr;
  Uid metric = kNoUid;
  std::span<const uint32_t> series;
};

class RowReader {
 public:
  // A row found. `index` into RowSelection::series; the rows of one series come by time.
  struct Row {
    size_t index = 0;
    uint32_t base_time_s = 0;
    std::string_view cell;  // borrowed for the call
  };
  using Visit = std::function<absl::Status(const Row& row)>;

  // All borrowed. `is_large`: see ScanRange.
  RowReader(const RowKeyCodec& row_keys, TableView* view, QueryMeter* meter, bool is_large)
      : row_keys_(row_keys), view_(*view), meter_(*meter), is_large_(is_large) {}

  // Visits the rows of the series with a base time in `hours`. `method` is not kCheapest. An error
  // of `visit` ends the reading and is returned. Errors of the meter and the store.
  absl::Status Read(const RowSelection& selection,
                    const ScanBounds& hours,
                    ReadMethod method,
                    const Visit& visit);

  // Counts points read; they are metered with the rows.
  void CountPoints(uint64_t points) { unmetered_.points += points; }
  // Counts a decoded cell.
  void CountDecoded() { ++unmetered_.cells; }
  // Counts blocks of files that the calling thread has read.
  void CountBlocks(const BlockReads& before) {
    const BlockReads now = view_.block_reads_of_thread();
    unmetered_.blocks_cached += now.cached - before.cached;
    unmetered_.blocks_read += now.read - before.read;
  }
  // Counts a row that was not read by Read.
  void CountOpenRow() { ++unmetered_.rows; }

  // Meters the remaining counts.
  absl::Status Flush();

 private:
  // Series of one salt bucket.
  struct Bucket {
    uint32_t number = 0;
    std::vector<size_t> indices;  // into RowSelection::series, ascending
  };
  class Scan;

  std::vector<Bucket> BucketsOf(const RowSelection& selection, uint32_t buckets) const;
  absl::Status ReadByKey(const RowSelection& selection,
                         const ScanBounds& hours,
                         const Visit& visit);
  absl::Status Meter(const QueryCost& read);

  const RowKeyCodec& row_keys_;
  TableView& view_;
  QueryMeter& meter_;
  const bool is_large_;
  QueryCost unmetered_;
};

// The hours of `bounds` in which the metric may have rows: between the first and the last row of
// any series.
absl::StatusOr<ScanBounds> PresentHours(const RowKeyCodec& row_keys,
                                        TableView* view,
                                        Uid metric,
                                        const ScanBounds& bounds);

// `bounds` as base times, up to the last possible hour.
ScanBounds ClampHours(ScanBounds bounds);

}  // namespace hourcell
