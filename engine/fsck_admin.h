// FsckAdmin: checks an open store, while points are put and queries run, on the caller's thread,
// without repairs.
//
// It checks the same parts as engine/fsck.h, each at one moment: names and UIDs in a snapshot, rows
// in a later one, annotations, and last the journal, pinned from the low mark on. The data that a
// row needs is written before it. So a point put meanwhile does not count as a fault, nor does a
// point in the journal that is not in a row yet. Series are checked in their current state; one
// created meanwhile is looked up twice.
//
// While a check reads rows, its snapshot keeps files on disk that are merged meanwhile; while it
// reads the journal, its segments are not deleted. It leaves the block cache unchanged.
//
// Thread-safe.

#pragma once

#include <functional>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/fsck.h"

namespace hourcell {

class ActiveSets;
class FsckChecks;
class Journal;
class RegionList;
class RegionStore;
class RowExpiry;
class RowKeyCodec;
class SeriesTable;
class Tables;
class UidDirectory;

class FsckAdmin {
 public:
  // All are borrowed.
  struct Parts {
    const Layout* layout = nullptr;
    Tables* tables = nullptr;
    RegionList* list = nullptr;      // of the same store
    RegionStore* regions = nullptr;  // of the same store; may be null
    const RowKeyCodec* row_keys = nullptr;
    UidDirectory* uids = nullptr;
    SeriesTable* series = nullptr;
    Journal* journal = nullptr;          // null: another process writes it, and it is not checked
    const ActiveSets* active = nullptr;  // null: unknown, and not checked
    const RowExpiry* expiry = nullptr;
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  explicit FsckAdmin(const Parts& parts) : parts_(parts) {}

  // Reports to the options' progress, which may end the check. Ignores the options' repairs.
  // kCancelled: by the progress; else errors of storage.
  // REQUIRES: the store is not closed meanwhile.
  absl::StatusOr<FsckReport> Check(FsckOptions options);

 private:
  absl::Status CheckJournal(FsckChecks* checks);

  const Parts parts_;
};

}  // namespace hourcell
