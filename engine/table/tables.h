// Tables: the part of the storage port that writes and reads rows. Most of the engine needs only
// this part.
//
// One row's mutations are atomic and applied in order. Rows are independent; an implementation with
// multi-row atomicity applies a whole group at once. A group is therefore listed in an order in
// which it may be cut anywhere: counters, reverse names, forward names, series, postings, then
// data. Neighbours in it may be applied in any order if they are of the data table, or merges of
// one table, or all sets (or all deletes) of the tables `uid` or `series` with keys that begin with
// the same byte, the kind of row.
//
// Thread-safe. Errors: kUnavailable (retry), kDataLoss (stored bytes are damaged),
// kFailedPrecondition (closed, read-only), kAborted (SnapshotInMemory, ApplyAtOnce).

#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <absl/status/status.h>

#include "engine/table/table.h"

namespace hourcell {

class Tables {
 public:
  virtual ~Tables() = default;

  // Applies a group, in order. On OK, kill -9 cannot undo it; with `sync`, nor can a power failure.
  virtual absl::Status Apply(std::span<const Mutation> group, bool sync) = 0;

  // As Apply, but kAborted at once, without a write, where Apply would wait for a region that lags.
  // For callers that block others.
  virtual absl::Status ApplyAtOnce(std::span<const Mutation> group, bool sync) {
    return Apply(group, sync);
  }

  // As Apply, but the group survives a crash only from the next Flush of its tables on: for data
  // that is in the journal until then.
  virtual absl::Status ApplyUnlogged(std::span<const Mutation> group) = 0;

  // True if the region of the key blocks writes for now, because its LSM compactions lag. A group
  // with such a row waits for the region, and fails with kUnavailable after a while. A row that a
  // caller therefore leaves out of a group counts as blocked.
  virtual bool IsLagging(TableId table, std::string_view key) = 0;

  // kUnavailable: some of the data that reads return may not survive kill -9, because a disk failed
  // and its Apply was, or will be, refused. Call it after reading, and before acknowledging a
  // result that depends on that read.
  virtual absl::Status CheckWritten() { return absl::OkStatus(); }

  // Makes everything applied so far survive a power failure, except unlogged writes.
  virtual absl::Status Sync() = 0;

  // The present, frozen.
  virtual std::unique_ptr<TableView> Snapshot() = 0;

  // As Snapshot, but its reads never wait for a disk: they return kAborted instead. For callers
  // that block others.
  virtual std::unique_ptr<TableView> SnapshotInMemory() { return Snapshot(); }

  // As Snapshot, with the points that deletes hide and an undo may show again (engine/hidden). For
  // callers that decide which rows and series exist.
  virtual std::unique_ptr<TableView> SnapshotWithHidden() { return Snapshot(); }
};

}  // namespace hourcell
