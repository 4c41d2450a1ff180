// LeaseRow: the row `active` of the system table (system_rows.h), as one process writes it. It has
// the writer lease, that is which process writes, and the log start, below which no block of the
// journal is needed.
//
// Both are in one row, so that one conditional write of the service decides:
//
//   Take           names this process, if nothing was written to the row since it was looked at
//   StoreLogStart  moves the log start, if no later process was named
//
// A process that has taken the lease therefore reads the final log start: no other process can move
// it before the row names a later process. Blocks are deleted only below a stored log start, so a
// replaced writer deletes nothing that its successor needs. Heartbeats have versions of their
// writer; a late one of an earlier writer is below the newest, and changes nothing.
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

#include "codec/base/mutex.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/seat_loss.h"
#include "engine/bigtable/writer/system_rows.h"

namespace hourcell {

// The row at one moment.
struct LeaseState {
  ActiveNode active = {};
  std::optional<uint64_t> log_start = {};  // nothing: none was stored in this row
  uint64_t version = 0;                    // of the newest cell; 0: there is no row

  bool IsFree() const { return version == 0 || active.has_left; }
  friend bool operator==(const LeaseState&, const LeaseState&) = default;
};

// kDataLoss: a cell does not decode. `rows`: those that a read of the system table returned.
absl::StatusOr<LeaseState> LeaseStateOf(const std::vector<BigtableRow>& rows);
// The log start that `rows` have: of the row `active`, or of the row `front`, where versions before
// this one kept it; else 1.
absl::StatusOr<uint64_t> LogStartOf(const std::vector<BigtableRow>& rows);
// One call.
absl::StatusOr<LeaseState> ReadLease(BigtableClient* client);

class LeaseRow {
 public:
  // `client` and `loss` are borrowed. CheckHeld and StoreLogStart record a loss in `loss`. `writer`
  // is the number of this process alone, and greater than all earlier ones. Clients find this
  // process at `address`, which may be empty.
  LeaseRow(BigtableClient* client, uint64_t writer, std::string address, SeatLoss* loss);
  LeaseRow(const LeaseRow&) = delete;
  LeaseRow& operator=(const LeaseRow&) = delete;

  uint64_t writer() const { return writer_; }

  // Names this process. kAborted: the row has changed since `seen`. kUnavailable: it may have been
  // taken, or may be taken later; nobody else is harmed by that.
  absl::Status Take(const LeaseState& seen);

  // OK: this process was named at some moment after the call began. kFailedPrecondition: a later
  // one is. One call.
  absl::Status CheckHeld();
  // The same, but a loss is kAborted and is not recorded.
  absl::Status CheckStillHeld();

  // The log start, for good. A store of a version before this one has it in a row of its own: it is
  // carried over, and that row says so to programs of such a version. REQUIRES: it was taken.
  // kAborted: a later process is named.
  absl::StatusOr<uint64_t> ReadLogStart();

  // Moves the log start. kFailedPrecondition: a later process is named, and nothing was changed.
  // kUnavailable: it is not known whether it was moved.
  absl::Status StoreLogStart(uint64_t log_start);

  absl::Status Heartbeat();
  // The process has ended all its calls.
  absl::Status Leave();

 private:
  uint64_t NextVersion();
  // Writes a cell if no later process is named. kAborted: one is.
  absl::Status SetIfHeld(std::string_view qualifier, const std::string& value);
  absl::Status WriteActive(bool has_left);

  BigtableClient& client_;
  const uint64_t writer_;
  const std::string address_;
  const std::string system_;
  SeatLoss& loss_;
  Mutex mutex_;
  uint64_t written_ ABSL_GUARDED_BY(mutex_) = 0;  // versions that were used
};

// "process 7 at host:4242"
std::string NameOf(const ActiveNode& node);

}  // namespace hourcell
