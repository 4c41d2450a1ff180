// FsckAdmin: checks a store that is open, while points are put and queries run, on the caller's
// thread. Nothing is repaired.
//
// What is looked at is what engine/fsck.h looks at, each part as it was at one moment: names and
// UIDs of a snapshot, rows of a later one, annotations, and last the journal, pinned from the low
// mark on. What a row needs is written before it, so a point that is put meanwhile is no fault, nor
// is one that is in the journal and in no row yet. Series are looked at as they are; one that is
// made meanwhile is looked up twice.
//
// A check holds a snapshot while it reads rows, which keeps files that are merged then on disk,
// and the journal's segments while it reads those, which are not deleted until then. It leaves the
// block cache alone.
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
    RegionStore* regions = nullptr;  // of the same store
    const RowKeyCodec* row_keys = nullptr;
    UidDirectory* uids = nullptr;
    SeriesTable* series = nullptr;
    Journal* journal = nullptr;
    const ActiveSets* active = nullptr;
    const RowExpiry* expiry = nullptr;
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  explicit FsckAdmin(const Parts& parts) : parts_(parts) {}

  // The options' progress is told how far it is, and may end it. Repairs that they ask for are not
  // made. kCancelled: by the progress; else errors of storage.
  // REQUIRES: the store is not closed meanwhile.
  absl::StatusOr<FsckReport> Check(FsckOptions options);

 private:
  absl::Status CheckJournal(FsckChecks* checks);

  const Parts parts_;
};

}  // namespace hourcell
