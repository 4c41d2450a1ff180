// RowScanner: rows for people: OpenTSDB's bytes and decoded points, names resolved. A row whose
// hour is still open is shown with its future cell. Used by Queries::Scan and, one a thread,
// by Queries::PlanScan. Thread-compatible; const functions are thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/strings.h"
#include "codec/rows/row_key.h"
#include "engine/hours/open_hours.h"
#include "engine/names/query_names.h"
#include "engine/parallel_scan.h"
#include "engine/read/query_planner.h"
#include "engine/series/series_table.h"
#include "engine/table/table.h"
#include "uid/uid_directory.h"

namespace hourcell {

class RowScanner {
 public:
  // The parts that it uses; borrowed. REQUIRES: `open_hours` were pinned before `view` was taken.
  struct Parts {
    TableView* view = nullptr;
    OpenHours* open_hours = nullptr;
    const SeriesTable* series = nullptr;
    UidDirectory* uids = nullptr;
    const QueryPlanner* planner = nullptr;
    uint64_t pinned_at = 0;  // the time of that pin
  };
  RowScanner(const RowKeyCodec& row_keys, const Parts& parts)
      : row_keys_(row_keys), parts_(parts), names_(row_keys.layout(), parts.uids) {}

  // Implements Queries::Scan.
  absl::Status Scan(const ScanSpec& spec,
                    const std::function<bool(const ScannedRow&)>& visit,
                    const std::function<bool()>& should_stop = {});

  // A row with an hour that is not in its cell yet.
  struct OpenRow {
    std::string key;
    SeriesNumber series = 0;
    uint32_t base_time_s = 0;
  };
  // The rows that a scan visits.
  struct Selection {
    std::vector<KeyRange> ranges;  // disjoint, ascending; one for each salt bucket of a metric
    std::vector<OpenRow> open;     // ascending by key
    uint32_t begin_s = 0;          // base times
    uint64_t end_s = 0;
    std::optional<StringSet> tsuids;  // of these series only
  };
  // Called with a row's key and cell; false ends the scan.
  using Visit = std::function<absl::StatusOr<bool>(std::string_view key, std::string_view cell)>;

  // kNotFound: a name is unknown.
  absl::StatusOr<Selection> Select(const ScanSpec& spec) const;

  // Visits the selected rows with keys in `range`, in key order. False if `visit` ended it, or
  // `should_stop`, which is called at every stored row and may be empty.
  absl::StatusOr<bool> VisitRange(const Selection& selection,
                                  const ScanRange& range,
                                  const Visit& visit,
                                  const std::function<bool()>& should_stop = {}) const;

  // Shows a row, unless it is expired. Without `with_bytes` it lacks qualifiers and values. Returns
  // the result of `visit`.
  absl::StatusOr<bool> Show(std::string_view key,
                            std::string_view cell,
                            bool with_bytes,
                            const std::function<bool(const ScannedRow&)>& visit);

 private:
  absl::StatusOr<std::vector<OpenRow>> OpenRowsOfAll(uint64_t begin_s, uint64_t end_s) const;
  std::vector<OpenRow> OpenRowsOf(const SubQueryPlan& plan, uint64_t begin_s, uint64_t end_s) const;
  absl::StatusOr<bool> VisitRows(const ScanRange& range,
                                 std::span<const OpenRow> open,
                                 const Visit& visit) const;
  // The cell without its points before `visible_from_ms`; empty if all are.
  static absl::StatusOr<std::string> VisibleOf(std::string_view cell,
                                               uint32_t base_time_s,
                                               int64_t visible_from_ms);
  std::string WithOpenHour(std::string_view cell, const OpenRow& open) const;
  absl::Status SelectMetric(const ScanSpec& spec, Selection* selection) const;
  std::string_view NameOf(UidKind kind, std::string_view uid_bytes);

  const RowKeyCodec& row_keys_;
  const Parts parts_;
  QueryNames names_;
};

}  // namespace hourcell
