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

  // Writes the memory of a table to files.
  virtual absl::Status Flush(TableId table) = 0;

  // Merges all files of a table into the fewest possible, and waits for it.
  // kCancelled: `*cancelled` became true; files merged by then stay. `cancelled` may be null.
  virtual absl::Status Compact(TableId table, std::atomic<bool>* cancelled = nullptr) = 0;

  // From now on expired rows of the data table may vanish at any moment, also in parts: reads leave
  // them out. `expiry` is borrowed and outlives the store. Before this call nothing expires.
  virtual void SetExpiry(const RowExpiry* expiry) = 0;

  // Frees the space of expired rows where that is worth its cost, in bounded pieces: to be called
  // every minute or so. Returns the bytes freed.
  virtual absl::StatusOr<uint64_t> DropExpired() = 0;

  // Pins the current files of all tables (engine/table/pinned_files.h); reads and writes continue.
  // They hold everything that was applied, except unlogged writes not yet flushed.
  // REQUIRES: the regions are at rest. kUnimplemented: the tables do not use files.
  virtual absl::StatusOr<std::unique_ptr<PinnedFiles>> PinFiles() {
    return absl::UnimplementedError("backup: these tables are no files");
  }

  // Flushes and closes; afterwards every call fails with kFailedPrecondition. Views must be gone.
  virtual absl::Status Close() = 0;
};

}  // namespace hourcell
