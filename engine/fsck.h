// RunFsck: checks a store that no process has open, from its regions to its points. To check an
// open store, without repairs, see engine/fsck_admin.h.
//
//   lock -> tables, as any open -> regions -> names and UIDs -> series -> rows -> annotations
//     -> journal
//
// It reads and decodes every row of the data table, and so checks every block of its files against
// its checksum. It does not check: rows of the system table except the layout and cells set aside;
// series without rows; the summary in a cell against its points; or whether values are right.
// Opening the tables replays RocksDB's log, and opening the journal takes out invalid bytes, as in
// any open; otherwise only repairs write.
//
// Repairs never lose a point: a cell that is replaced or removed is kept, with all its bytes, in
// the system table, in one batch with its replacement:
//
//   aside/row/<row key, hex>/<CRC-32C of the cell>   the cell as it was
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/fsck_report.h"
#include "engine/options.h"

namespace hourcell {

struct FsckProgress {
  std::string_view phase = {};  // the part being checked: "rows"
  uint64_t rows = 0;            // read so far
  uint64_t points = 0;
};

struct FsckOptions {
  // Repairs cells. Partly damaged cells keep their good points, historical floats get their 4
  // bytes, and undecodable cells are removed. The old bytes are set aside.
  bool fix_cells = false;
  bool fix_uids = false;   // repairs names and UIDs as uid/uid_check.h says
  bool fix_index = false;  // repairs the index of series as engine/fsck/fsck_series.h says
  // Drops series without points, annotations and data in the journal, from the index of series
  // (engine/series/series_drop.h). Only if the check has found no fault.
  bool drop_empty_series = false;
  // Acknowledges the journal's cuts after reporting them (engine/journal/journal_cut.h).
  bool acknowledge_cuts = false;
  size_t examples_max = 10;  // of each kind
  // Called now and then; false ends the check. May be null.
  std::function<bool(const FsckProgress& progress)> progress = {};
};

// kNotFound: no store there; kUnavailable: another process has it open; kFailedPrecondition: a
// newer format; kDataLoss: the damage prevents opening the tables; kCancelled: by the progress.
// Faults are not errors.
absl::StatusOr<FsckReport> RunFsck(const Options& options, const FsckOptions& fsck);

}  // namespace hourcell
