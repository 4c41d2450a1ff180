// StoreRole: the role of this process for an open store, and the checks before reads and after
// writes that follow from it.
//
//   alone     no other process can open the store
//   writer    other processes share the store, and one may become the writer at any time
//   follower  another process writes; this one reads (engine/role/follower.h)
//
//   read:   BeforeRead -> read HoursToRead and the tables
//   write:  BeforeWrite -> write -> Acknowledge or NoteChange
//
// A writer that was replaced answers no read and acknowledges no write. engine/store/gates.h calls
// these functions for the functions of a store. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/cluster_view.h"
#include "engine/hours/open_hours.h"
#include "engine/role/follower.h"
#include "engine/storage/journal_tail.h"
#include "engine/storage/writer_role.h"

namespace hourcell {

class StoreRole {
 public:
  virtual ~StoreRole() = default;
  StoreRole(const StoreRole&) = delete;
  StoreRole& operator=(const StoreRole&) = delete;

  // "alone", "writer" or "follower".
  virtual std::string_view name() const = 0;

  // OK: this process has everything that was acknowledged before the call. kAborted: the check
  // needs a call to the storage, and `at_once` forbids it. kFailedPrecondition: another process is
  // the writer now. kUnavailable: unknown.
  virtual absl::Status BeforeRead(bool at_once) = 0;

  // The open hours for a read; `own` are those that this process writes. REQUIRES: BeforeRead
  // succeeded.
  virtual std::shared_ptr<OpenHours> HoursToRead(const std::shared_ptr<OpenHours>& own) = 0;

  // kFailedPrecondition: this process only reads. kUnavailable: another process is known to be the
  // writer. Does not call the storage.
  virtual absl::Status BeforeWrite() const = 0;

  // The status to acknowledge a write with result `written`: kUnavailable if another process may
  // have become the writer before the write took effect.
  virtual absl::Status Acknowledge(absl::Status written) = 0;

  // Acknowledge, and notifies processes that follow the store. Returns the first failure.
  virtual absl::Status NoteChange(absl::Status changed) = 0;

  // NoteChange for the first annotation since the store was opened.
  virtual absl::Status NoteAnnotation() = 0;

  // Repeats a notification that failed. Called now and then.
  virtual void RetryNote() = 0;

  // The processes on the store, in their last known state, this one first; empty at a follower.
  virtual std::vector<ClusterNode> Nodes() const = 0;

  // Ends the work in the background. For a store that is being closed.
  virtual void Stop() = 0;

 protected:
  StoreRole() = default;
};

std::unique_ptr<StoreRole> MakeAloneRole();

std::unique_ptr<StoreRole> MakeWriterRole(std::unique_ptr<WriterRole> writer);

// Catches up with the writer once, then every `tick_ms` (0: only before reads). `parts` without a
// journal, which is `tail`. Errors: as Follower::CatchUp.
absl::StatusOr<std::unique_ptr<StoreRole>> MakeFollowerRole(std::unique_ptr<JournalTail> tail,
                                                            Follower::Parts parts,
                                                            int64_t tick_ms);

}  // namespace hourcell
