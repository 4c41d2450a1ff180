// RowReader: reads the stored rows of chosen series in a range of time, by one of three methods
// (ReadMethod): each row by its key; a scan over all rows between the wanted ones; or a scan that
// leaps over long gaps. It goes from hour to hour, or from day to day if there are rows of days.
// Thread-compatible.

#pragma once

#include <algorithm>
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
#include "engine/read/day_joiner.h"
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

// Where a metric may have stored rows; a part without rows is empty.
struct StoredRows {
  ScanBounds bounds;  // of the query: nothing outside is visited
  ScanBounds hours;   // of rows of hours
  ScanBounds days;    // of rows of days: whole days

  bool has_hours() const { return hours.begin_s < hours.end_s; }
  bool has_days() const { return days.begin_s < days.end_s; }
  // From the first to after the last of both.
  uint32_t begin_s() const {
    if (!has_hours()) return days.begin_s;
    return has_days() ? std::min(days.begin_s, hours.begin_s) : hours.begin_s;
  }
  uint64_t end_s() const { return has_days() ? std::max(days.end_s, hours.end_s) : hours.end_s; }
  // The most rows of a series.
  uint64_t rows() const {
    return (has_hours() ? (hours.end_s - hours.begin_s) / kDataRowSpan.seconds : 0) +
           (has_days() ? (days.end_s - days.begin_s) / kDaySpan.seconds : 0);
  }
};

class RowReader {
 public:
  using Row = FoundRow;
  using Visit = FoundRow::Visit;

  // All borrowed. `is_large`: see ScanRange.
  RowReader(const RowKeyCodec& row_keys, TableView* view, QueryMeter* meter, bool is_large)
      : row_keys_(row_keys), view_(view->stored()), meter_(*meter), is_large_(is_large) {}

  // Visits the rows of the series. `method` is not kCheapest. An error of `visit` ends the reading
  // and is returned. Errors of the meter and the store.
  absl::Status Read(const RowSelection& selection,
                    const StoredRows& rows,
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
  struct BucketScan {
    const RowSelection& selection;
    const Bucket& bucket;
    size_t steps_max = 0;  // over rows of other series
  };
  class Scan;

  class KeyBatch;
  class OneByOne;

  std::vector<Bucket> BucketsOf(const RowSelection& selection, uint32_t buckets) const;
  absl::Status ScanRows(const RowSelection& selection,
                        const StoredRows& rows,
                        size_t steps_max,
                        const Visit& visit);
  absl::Status ScanBucket(const BucketScan& of, const StoredRows& rows, const Visit& visit);
  absl::Status ReadByKey(const RowSelection& selection, const StoredRows& rows, const Visit& visit);
  // Counts a row that was read.
  absl::Status MeterRow(size_t bytes, bool is_day);
  // Meters the counts of many rows.
  absl::Status FlushMany();

  const RowKeyCodec& row_keys_;
  TableView& view_;  // as stored
  QueryMeter& meter_;
  const bool is_large_;
  QueryCost unmetered_;
};

// The rows that there may be in `bounds`, without a look at the store.
StoredRows AllRows(const TableView& view, const ScanBounds& bounds);

// The same, from the first to the last row of any series of the metric.
absl::StatusOr<StoredRows> PresentRows(const RowKeyCodec& row_keys,
                                       TableView* view,
                                       Uid metric,
                                       const ScanBounds& bounds);

// `bounds` as base times, up to the last possible hour.
ScanBounds ClampHours(ScanBounds bounds);

}  // namespace hourcell
