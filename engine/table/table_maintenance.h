// TableMaintenance: the part of the storage port that looks after files: flushes, LSM compactions,
// expired rows, pinned files, and the close.
//
// Thread-safe. Errors as in engine/table/tables.h.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/table/pinned_files.h"
#include "engine/table/table.h"

namespace hourcell {

class RowExpiry;

class TableMaintenance {
 public:
  virtual ~TableMaintenance() = default;

  // Writes what a table has in memory to files.
  virtual absl::Status Flush(TableId table) = 0;

  // Merges all files of a table into as few as there can be, and waits until that is done.
  // kCancelled: `*cancelled` became true; what was merged by then stays. It may be null.
  virtual absl::Status Compact(TableId table, std::atomic<bool>* cancelled = nullptr) = 0;

  // From now on rows of the data table that are expired may vanish at any moment, in parts too:
  // reads leave them out by themselves. `expiry` is borrowed and outlives the store. Before this
  // call nothing expires.
  virtual void SetExpiry(const RowExpiry* expiry) = 0;

  // Gives back the space of expired rows where that is worth its work, a bounded piece of it at a
  // time: to be called every minute or so. Returns the bytes freed.
  virtual absl::StatusOr<uint64_t> DropExpired() = 0;

  // The files that all tables consist of now (engine/table/pinned_files.h); reads and writes go on.
  // What is in them is all that was applied, but for what is unlogged and not yet flushed.
  // REQUIRES: the regions are at rest. kUnimplemented: its tables are no files.
  virtual absl::StatusOr<std::unique_ptr<PinnedFiles>> PinFiles() {
    return absl::UnimplementedError("backup: these tables are no files");
  }

  // Flushes and closes; afterwards every call fails with kFailedPrecondition. Views must be gone.
  virtual absl::Status Close() = 0;
};

}  // namespace hourcell
