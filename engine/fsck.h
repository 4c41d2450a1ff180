// RunFsck: checks a store that no process has open, from its regions to its points. One that is
// open is checked by engine/fsck_admin.h, without repairs.
//
//   lock -> tables, as any open -> regions -> names and UIDs -> series -> rows -> annotations
//     -> journal
//
// Every row of the data table is read and decoded, and so every block of its files against its
// checksum. Not looked at are: rows of `meta` but for the layout and what was set aside, series
// that have no row, what a cell's summary says of its points, whether values are right. Opening the
// tables replays RocksDB's log, and opening the journal takes out what does not check, as any open
// does; else nothing is written unless a repair is asked for.
//
// Repairs never lose a point: a cell that is replaced or removed is kept, with all its bytes, in
// `meta`, in one batch with what replaces it:
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
  std::string_view phase = {};  // what is looked at: "rows"
  uint64_t rows = 0;            // read so far
  uint64_t points = 0;
};

struct FsckOptions {
  // Repairs cells: those with damage beside good points keep the good ones, historical floats get
  // their 4 bytes, and those of which nothing decodes go. What was there is set aside.
  bool fix_cells = false;
  bool fix_uids = false;   // repairs names and UIDs as uid/uid_check.h says
  bool fix_index = false;  // repairs the index of series as engine/fsck/fsck_series.h says
  // Drops series of which there is no row of points, no annotation and nothing in the journal, from
  // the index of series (engine/series/series_drop.h). Only if the check has found no fault.
  bool drop_empty_series = false;
  // What opens took out of the journal is told for the last time (engine/journal/journal_cut.h).
  bool acknowledge_cuts = false;
  size_t examples_max = 10;  // of each kind
  // Told every so often how far it is; false ends the check. None = nobody is told.
  std::function<bool(const FsckProgress& progress)> progress = {};
};

// kNotFound: no store there; kUnavailable: another process has it open; kFailedPrecondition: a
// newer format; kDataLoss: so damaged that its tables do not open; kCancelled: by the progress.
// What is found is no error.
absl::StatusOr<FsckReport> RunFsck(const Options& options, const FsckOptions& fsck);

}  // namespace hourcell
