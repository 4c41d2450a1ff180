// ActiveSetCheck: checks that each row's series is in the active set of its metric and day
// (active_sets.h). Sets may have more series.
//
// A missing series is a fault, except on expired days: their sets are dropped before their rows. In
// a store with incomplete sets nothing is a fault; a repair completes them. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/fsck_report.h"
#include "engine/rows/series_key.h"
#include "engine/table/retention.h"
#include "engine/table/tables.h"

namespace hourcell {

class ActiveSetCheck {
 public:
  struct Settings {
    bool is_whole = false;  // what ReadActiveSetsAreKept says
    bool fix = false;       // REQUIRES: no other writer
    size_t examples_max = 10;
    const RowExpiry* expiry = nullptr;  // borrowed; null: nothing expires
  };
  // All are borrowed.
  ActiveSetCheck(const Layout& layout, Tables* tables, const Settings& settings, FsckReport* report)
      : layout_(layout), tables_(*tables), settings_(settings), report_(*report) {}

  // The snapshot that rows are read from, borrowed until EndRows: its sets have all series of its
  // rows; the current sets may lack some that were deleted since.
  void BeginRows(TableView* view) { view_ = view; }

  // Adds a row of the series. Rows of one metric and day should come one after another.
  absl::Status AddRow(Uid metric, uint32_t base_time_s, SeriesNumber series);

  // REQUIRES: BeginRows. Call it after the last row. `is_all`: every row of the store was added, so
  // that a repair has completed the sets.
  absl::Status EndRows(bool is_all);

 private:
  using MetricDay = std::pair<Uid, uint32_t>;

  absl::Status CompareOneDay();
  absl::Status FixDamaged(const MetricDay& of, std::vector<Mutation>* group);

  const Layout& layout_;
  Tables& tables_;
  const Settings settings_;
  FsckReport& report_;
  TableView* view_ = nullptr;
  MetricDay at_ = {kNoUid, 0};
  std::vector<SeriesNumber> of_day_;  // of at_, in any order, perhaps repeated
};

}  // namespace hourcell
