// One case of the layout benchmark, on the real engine: a TableStore over RocksDB with the
// product's options and merge operator, cells of the codec, regions cut by engine/regions during
// the writes.
//
//   open a store -> presplit -> write, and split by the policy -> flush -> trim
//     -> LSM compaction -> read, compare with the points written -> close, measure, remove
//
// Writes are unlogged, like the sealer's: the journal before them is the same for all layouts. One
// writer applies groups of writes; during a split it applies one per millisecond, so that its
// writes meet all steps of the split, and it waits if more splits are queued.

#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"

namespace hourcell::layouts {

// Writes in a group: of single points, or of whole rows.
inline constexpr size_t kGroupPoints = 256;
inline constexpr size_t kGroupRows = 8;

// Makes a store in a new directory in `directory`, which exists, and removes it; an empty
// `directory` is the system's for temporary files. kDataLoss: the points read differ from those
// written, or the regions from those cut; with the case and the place. kCancelled: `cancelled` was
// set during the writes; it may be null.
absl::StatusOr<CaseResult> RunCase(const CaseSpec& spec,
                                   const std::string& directory,
                                   const std::atomic<bool>* cancelled = nullptr);

}  // namespace hourcell::layouts
