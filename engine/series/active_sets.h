// ActiveSets: which series of a metric may have points on a day, so that a plan of today does not
// touch the series that ended last year.
//
// A lane notes each hour that it opens. A series is added to its metric's active set of that day
// (series_key.h) in memory by the next read of the sets, and in the table before the hour's cell is
// written; hours without a cell are opened again by a replay. So a series with a point on a day is
// in the day's set, in the table or here, after a crash and a power failure too. A set only grows
// until its day has expired, but for series that a delete has emptied; it may have series without a
// point on the day, and numbers of removed series.
//
// The sets of a store are whole if programs that keep them made all of its hours, which the system
// table records (system_table.h). Else the sets are unknown until fsck --fix-index has made them.
// Thread-safe.

#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/row_key.h"
#include "codec/rows/uid.h"
#include "engine/hours/open_hours.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_table.h"
#include "engine/table/tables.h"

namespace hourcell {

// A series, and a day on which a delete may have removed its last points.
struct SeriesDay {
  std::string tsuid;
  uint32_t day = 0;
  friend auto operator<=>(const SeriesDay&, const SeriesDay&) = default;
};

class ActiveSets {
 public:
  // Borrowed.
  struct Parts {
    Tables* tables = nullptr;
    const SeriesTable* series = nullptr;
    OpenHours* open_hours = nullptr;
    const RowKeyCodec* row_keys = nullptr;
    RollupMarks* rollups = nullptr;  // is shown late hours; null: none wants them
  };
  // `is_whole`: the result of ReadActiveSetsAreKept.
  ActiveSets(const Layout& layout, const Parts& parts, bool is_whole);
  ~ActiveSets();

  bool is_whole() const { return is_whole_; }

  // The numbers of the metric's series that may have points in the hours of the bounds, ascending.
  // Nothing: that is not known, or of too many days to be worth a look. Sees every hour that was
  // opened before the call. Errors are storage's.
  absl::StatusOr<std::optional<std::vector<SeriesNumber>>> Of(Uid metric, const ScanBounds& bounds);

  // Takes over the hours that lanes opened before the call: they are in RollupMarks, too.
  absl::Status TakeOpened();

  // Writes the additions that the table lacks, not synced. After an error, the next call retries.
  absl::Status Write();

  // Drops the sets of expired days: the metric's points before `expires_before_ms(metric)` have
  // expired; 0 if none have. A set stays as long as a row of the metric from its day, or from an
  // earlier one, is in the table: so only series in a set can have rows, whatever their TTL.
  // Returns the metrics whose sets were dropped.
  absl::StatusOr<std::vector<Uid>> DropExpired(
      const std::function<int64_t(Uid metric)>& expires_before_ms);

  // Takes series out of the sets of days on which they have neither a row, with or without hidden
  // points, nor an open hour; the others stay. Later puts are added as usual. Leaves a damaged set
  // as it is. Errors are storage's. REQUIRES: no cell is written meanwhile, and deleted rows are
  // gone from files, so that no crash brings back a row of a series that is in no set.
  absl::Status RemoveEmptied(std::span<const SeriesDay> emptied);

  // Removes from `numbers`, which ascend, all that are in a set of the metric in the table, of any
  // day. REQUIRES: is_whole().
  absl::Status RemoveActive(Uid metric, std::vector<SeriesNumber>* numbers) const;

 private:
  using MetricDay = std::pair<Uid, uint32_t>;
  using Sets = std::map<MetricDay, std::vector<SeriesNumber>>;  // in any order, perhaps repeated
  class Known;
  struct EmptiedSeries {
    SeriesNumber number = 0;
    std::string tsuid;
  };

  absl::Status KeepThoseWithPoints(uint32_t day, std::vector<EmptiedSeries>* series);
  absl::Status TakeOut(Uid metric, uint32_t day, std::span<const EmptiedSeries> series);

  // Takes over the hours that the lanes noted.
  absl::Status DrainLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ShowLate(std::span<const OpenedHour> opened) const;
  void ListAgain(std::span<const OpenedHour> opened) const;
  absl::Status AddLocked(std::span<const OpenedHour> opened) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status FindTsuids(std::span<const SeriesNumber> numbers,
                          std::vector<std::string>* tsuids) const;
  absl::Status WriteSets(const Sets& sets);
  absl::StatusOr<uint32_t> FirstDayWithRows(TableView* view, Uid metric, uint32_t end_day) const;

  const Layout layout_;
  const Parts parts_;
  const bool is_whole_;

  Mutex write_mutex_;  // one Write at a time
  Mutex mutex_;
  std::vector<OpenedHour> opened_ ABSL_GUARDED_BY(mutex_);  // of the lanes, not in a set yet
  Sets unwritten_ ABSL_GUARDED_BY(mutex_);
  // On their way to the table. Not changed as long as it is here.
  std::shared_ptr<const Sets> writing_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<Known> known_ ABSL_PT_GUARDED_BY(mutex_);
};

// Appends the rows of an active set's numbers, to be merged into the existing set.
void AppendActiveSet(const Layout& layout,
                     Uid metric,
                     uint32_t day,
                     std::vector<SeriesNumber> numbers,
                     std::vector<Mutation>* group);

// The numbers in the view's sets of the metric and of [first_day, last_day], ascending.
// kDataLoss: a set does not decode.
absl::StatusOr<std::vector<SeriesNumber>> ReadActiveSets(
    const Layout& layout, Uid metric, uint32_t first_day, uint32_t last_day, TableView* view);

}  // namespace hourcell
