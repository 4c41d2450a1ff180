// LeaseRow: the row `active` of the cluster table (system_rows.h), as one process writes it. It
// holds the writer lease, which names the writer, and the log start: journal blocks below it are
// not needed.
//
// One row holds both, so that one conditional write of the service decides:
//
//   Acquire           names this process, if the row has not changed since it was read
//   StoreLogStart  moves the log start, if no later process is named
//
// A process that has taken the lease therefore reads the final log start: no other process can move
// it before the row names a later process. Blocks are deleted only below a stored log start, so a
// replaced writer deletes nothing that its successor needs. Heartbeats use versions of their
// writer; a late heartbeat of an earlier writer is below the newest cell and changes nothing.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/check.h"
#include "codec/base/mutex.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/lease_loss.h"
#include "engine/bigtable/writer/system_rows.h"

namespace hourcell {

// The row at one moment.
struct LeaseState {
  ActiveNode active = {};
  std::optional<uint64_t> log_start = {};  // nullopt: this row stores none
  uint64_t version = 0;                    // of the newest cell; 0: the row is absent

  bool IsFree() const { return version == 0 || active.has_left; }
  friend bool operator==(const LeaseState&, const LeaseState&) = default;
};

// kDataLoss: a cell does not decode. `rows` is the result of a read of the cluster table.
absl::StatusOr<LeaseState> LeaseStateOf(const std::vector<BigtableRow>& rows);
// The log start in `rows`: from the row `active`, or from the row `front`, where earlier releases
// kept it; else 1.
absl::StatusOr<uint64_t> LogStartOf(const std::vector<BigtableRow>& rows);
// Makes one call.
absl::StatusOr<LeaseState> ReadLease(BigtableClient* client);

class LeaseRow {
 public:
  // `client` and `loss` are borrowed. CheckHeld and StoreLogStart record a loss in `loss`. `writer`
  // is the unique number of this process, greater than all earlier ones. Clients reach this process
  // at `address`, which may be empty.
  LeaseRow(BigtableClient* client, uint64_t writer, std::string address, LeaseLoss* loss);
  LeaseRow(const LeaseRow&) = delete;
  LeaseRow& operator=(const LeaseRow&) = delete;

  uint64_t writer() const { return writer_; }

  // Names this process. kAborted: the row has changed since `seen`. kUnavailable: the lease may
  // have been taken, or may be taken later; this does not harm other processes.
  absl::Status Acquire(const LeaseState& seen);

  // OK: this process held the lease at some moment after the call began. kFailedPrecondition: a
  // later process holds it. Makes one call.
  absl::Status CheckHeld();
  // As CheckHeld, but a loss is kAborted and is not recorded.
  absl::Status CheckStillHeld();

  // The final log start. If an earlier release stored it in a separate row, copies it to this one
  // and marks the old row, so that such releases refuse the store. REQUIRES: the lease was taken.
  // kAborted: a later process is named.
  absl::StatusOr<uint64_t> ReadLogStart();

  // Moves the log start. kFailedPrecondition: a later process is named and nothing was changed.
  // kUnavailable: the outcome is unknown.
  absl::Status StoreLogStart(uint64_t log_start);

  absl::Status Heartbeat();
  // Marks the lease as free. REQUIRES: the process has ended all its calls.
  absl::Status Release();

 private:
  uint64_t NextVersion();
  // Writes a cell unless a later process is named. kAborted: one is.
  absl::Status SetIfHeld(std::string_view qualifier, const std::string& value);
  absl::Status WriteActive(bool has_left);

  BigtableClient& client_;
  const uint64_t writer_;
  const std::string address_;
  const std::string system_;
  LeaseLoss& loss_;
  Mutex mutex_;
  uint64_t written_ ABSL_GUARDED_BY(mutex_) = 0;  // versions used
  bool has_left_ ABSL_GUARDED_BY(mutex_) = false;
};

// "process 7 at host:4242"
std::string NameOf(const ActiveNode& node);

}  // namespace hourcell
