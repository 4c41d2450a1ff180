// One case of the layout benchmark, on the real engine: a TableStore over RocksDB with the
// product's options and merge operator, cells of the codec, regions cut by engine/regions while
// they are written.
//
//   open a store -> presplit -> write, and split where the policy says so -> flush -> trim
//     -> LSM compaction -> read, each answer compared with what was written -> close, measure,
//     remove
//
// Writes are unlogged, as the sealer's are: the journal in front of them is the same for all
// layouts. One writer applies groups of some writes; while a split is under way it does so once a
// millisecond, so that it meets all of the split's steps, and it waits if there are more splits to
// come.

#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"

namespace hourcell::layouts {

// A group: so many points' writes, or so many rows'.
inline constexpr size_t kGroupPoints = 256;
inline constexpr size_t kGroupRows = 8;

// Makes a store of its own in `directory`, which exists, and removes it; an empty one is the
// system's for temporary files. kDataLoss: what was read is not what was written, or the regions
// are not those that were cut; with the case and the place. kCancelled: `cancelled` was set while
// it wrote; null: nobody sets it.
absl::StatusOr<CaseResult> RunCase(const CaseSpec& spec,
                                   const std::string& directory,
                                   const std::atomic<bool>* cancelled = nullptr);

}  // namespace hourcell::layouts
