// LastPointReader: the last point of each of many series, up to the end of the present hour,
// because clocks of other hosts may be ahead.
//
// It reads open hours first. Then, a metric and salt bucket at a time, it reads the stored rows
// from the newest hour backwards. A step back in key order finds the newest hour with a row of the
// metric; a walk through that hour visits the rows of the series that are still wanted, by the next
// row where they are dense and by seeks where they are not. Of a packed cell only the header is
// read. A series is done after its first stored row, or once its point in an open hour is later
// than all remaining rows.
//
// The cost is one seek for a metric with all series open, two for one series among any number, and
// a pass over the newest hour without open hours. A series that has been silent for a long time
// costs a seek for each later hour of the metric. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/cells/cell.h"
#include "codec/point.h"
#include "codec/rows/row_key.h"
#include "engine/hours/open_hours.h"
#include "engine/query/last_query.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_control.h"
#include "engine/query/query_watch.h"
#include "engine/series/series_lookup.h"
#include "engine/series/series_table.h"
#include "engine/table/retention.h"
#include "engine/table/table.h"
#include "uid/uid_directory.h"

namespace hourcell {

class LastPointReader {
 public:
  // Borrowed. REQUIRES: the pin of `open_hours` is older than `view`.
  struct Parts {
    TableView* view = nullptr;
    OpenHours* open_hours = nullptr;
    uint64_t pinned_at = 0;  // the time of that pin
    UidDirectory* uids = nullptr;
    const SeriesTable* series = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
    WallClock* clock = nullptr;
    bool skip_unresolved_tagvs = false;  // as Options
    MemoryAccount* memory = nullptr;     // counts the series that are asked for; null: nothing does
  };
  LastPointReader(const RowKeyCodec& row_keys, const Parts& parts);

  // Queries::LastPoints.
  absl::Status Read(const LastQuery& query,
                    const QueryWatch& watch,
                    QueryControl* control,
                    const std::function<void(const LastPoint&)>& visit);

 private:
  // A selected series.
  struct Wanted {
    SeriesNumber number = 0;
    std::string tsuid;
    bool has_point = false;
    int64_t ms = 0;  // of the last point found
    Value value;
    bool is_of_day = false;  // the point comes from the row of a day
    // Earlier rows have only earlier points, or points that do not count.
    uint32_t begin_s = 0;
  };
  // Series of one metric, and of one salt bucket where they are read, ascending by tsuid.
  using Group = std::vector<Wanted*>;

  absl::StatusOr<std::vector<Wanted>> Select(const LastQuery& query, const QueryWatch& watch) const;
  absl::Status SelectTsuids(std::span<const std::string> tsuids,
                            std::vector<SelectedSeries>* selected) const;
  absl::Status ReadMetric(std::span<Wanted> series, uint32_t back_hours, const QueryWatch& watch);
  absl::Status ReadEpoch(const SaltSpan& span,
                         int64_t from_ms,
                         const QueryWatch& watch,
                         Group* left);
  absl::Status ReadStored(const SaltSpan& span,
                          int64_t from_ms,
                          const QueryWatch& watch,
                          Group* left);
  // The rows of an hour, or of a day.
  struct RowsAt {
    uint32_t begin_s = 0;
    bool is_day = false;
  };
  absl::StatusOr<std::optional<uint32_t>> NewestHourIn(uint64_t begin_s, uint64_t end_s);
  absl::StatusOr<std::optional<uint32_t>> NewestDayIn(uint64_t begin_s, uint64_t end_s);
  absl::Status ReadRows(const RowsAt& at, int64_t from_ms, const QueryWatch& watch, Group* left);
  absl::Status GoTo(std::string_view key);
  absl::StatusOr<bool> TakeCell(uint32_t base_time_s, int64_t from_ms, Wanted* series);
  absl::Status TakeDay(uint32_t day_s, int64_t from_ms, Wanted* series);
  std::optional<OpenPoint> LastOfColumns(int64_t base_ms);
  absl::Status Damaged(const absl::Status& status) const;
  void SetPrefix(const RowsAt& at);
  absl::Status Check(const QueryWatch& watch);

  const RowKeyCodec& row_keys_;
  const Parts parts_;
  const size_t prefix_size_;  // of a key up to the tags
  const size_t time_at_;      // where in it the base time is
  int64_t until_ms_ = 0;      // the last millisecond of the present hour
  std::unique_ptr<RowCursor> cursor_;
  std::string tsuid_;     // any of the group that is read
  std::string prefix_;    // of the keys of the group's rows of one hour or day
  size_t steps_max_ = 1;  // rows to pass before a seek
  uint64_t rows_ = 0;
  uint64_t points_ = 0;
  CellColumns columns_;
};

}  // namespace hourcell
