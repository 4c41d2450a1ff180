// FsckAdmin: checks a store that is open, while points are put and queries run. One at a time, on a
// thread of its own. Nothing is repaired.
//
// What is looked at is what engine/fsck.h looks at, each part as it was at one moment: names and
// UIDs of a snapshot, rows of a later one, annotations, and last the journal, pinned from the low
// mark on. What a row needs is written before it, so a point that is put meanwhile is no fault, nor
// is one that is in the journal and in no row yet. Series are looked at as they are; one that is
// made meanwhile is looked up twice.
//
// A check holds a snapshot while it reads rows, which keeps files that are merged then on disk,
// and the journal's segments while it reads those, which are not trimmed until then. It leaves the
// block cache alone.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/layout.h"
#include "engine/fsck.h"

namespace hourcell {

class Clock;
class FsckChecks;
class Journal;
class RowKeyCodec;
class SeriesTable;
class TableStore;
class UidDirectory;

enum class FsckState : uint8_t { kNone, kRunning, kDone, kCancelled, kFailed };
// "none", "running".
std::string_view FsckStateName(FsckState state);

// A check that is under way, or the last one.
struct FsckRun {
  uint64_t id = 0;  // 1, 2, ... since the store was opened; 0 = there was none
  FsckState state = FsckState::kNone;
  int64_t started_ms = 0;
  int64_t elapsed_ms = 0;
  std::string phase = {};
  uint64_t rows = 0;  // read so far
  uint64_t points = 0;
  std::string error = {};  // kFailed: why
  FsckReport report = {};  // kDone: what was found
};

class FsckAdmin {
 public:
  // All are borrowed.
  struct Parts {
    const Layout* layout = nullptr;
    TableStore* tables = nullptr;
    const RowKeyCodec* row_keys = nullptr;
    UidDirectory* uids = nullptr;
    SeriesTable* series = nullptr;
    Journal* journal = nullptr;
    Clock* clock = nullptr;
  };

  explicit FsckAdmin(const Parts& parts);
  ~FsckAdmin();
  FsckAdmin(const FsckAdmin&) = delete;
  FsckAdmin& operator=(const FsckAdmin&) = delete;

  // Begins a check and returns its number. kUnavailable: one is under way. kFailedPrecondition:
  // the store is closed.
  absl::StatusOr<uint64_t> Start(size_t examples_max);

  FsckRun Last() const;

  // Ends the one that is under way, soon.
  void Cancel();

  // Ends it, waits for that, and begins none any more: the store is to be closed.
  void Stop();

  // A check on the caller's thread. Repairs that the options ask for are not made.
  // kCancelled: by the options' progress; else errors of storage.
  absl::StatusOr<FsckReport> Check(FsckOptions options);

 private:
  void Run(size_t examples_max);
  absl::Status CheckJournal(FsckChecks* checks);

  const Parts parts_;
  mutable Mutex mutex_;
  FsckRun run_ ABSL_GUARDED_BY(mutex_);
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
