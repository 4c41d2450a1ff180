// WriterLease: the writer lease of a store on Cloud Bigtable: how a process waits for it, holds it,
// and loses it to another process after missed heartbeats.
//
// The row `active` (lease_row.h) names the writer and has a count that each heartbeat increments. A
// standby takes the lease when the count has not changed for the lease time, on its own monotonic
// clock; after a fifth of the lease time if nothing listens at the writer's address; at once if the
// writer was seen to die, or if the row says that it has left. It draws a greater number, names
// itself in the row if the row has not changed since it was read, and ends the previous writer's
// journal (bigtable_journal.h). Clocks decide only when to try, never which process writes.
//
// Time counts only between reads that the service answered within two heartbeats. While the service
// is unreachable, heartbeats do not arrive either, so no writer is replaced.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/bigtable_journal.h"
#include "engine/bigtable/writer/lease_loss.h"
#include "engine/bigtable/writer/lease_row.h"
#include "engine/bigtable/writer/node_registry.h"
#include "engine/storage/shared_storage.h"
#include "engine/threads/background.h"

namespace hourcell {

struct LeaseOptions {
  std::string address = {};  // where clients reach this process; may be empty
  // Failover timeout: a writer without heartbeats for this long may be replaced.
  int64_t lease_ms = 10'000;
  int64_t heartbeat_ms = 1000;
  // How long to wait for the lease while another process holds it; -1: without limit.
  int64_t wait_ms = -1;
  MonotonicClock* clock = nullptr;  // null: the system clock
  // Called with the current writer's name while waiting; may be null.
  std::function<void(std::string_view message)> warn = {};
  StorageEvents events = {};
};

class WriterLease {
 public:
  // Waits for the lease and takes it. `client` is borrowed; the cluster table exists.
  // kFailedPrecondition: another process kept the lease for longer than `wait_ms`. kCancelled: the
  // events gave up.
  static absl::StatusOr<std::unique_ptr<WriterLease>> Acquire(BigtableClient* client,
                                                              const LeaseOptions& options);
  ~WriterLease() = default;
  WriterLease(const WriterLease&) = delete;
  WriterLease& operator=(const WriterLease&) = delete;

  uint64_t writer() const { return row_->writer(); }
  // True if the previous writer had ended all its calls when it left.
  bool has_clean_past() const { return has_clean_past_; }

  // The journal opened with the lease; this object must outlive it. Null from the second call on.
  std::unique_ptr<BigtableJournal> TakeJournal() { return std::move(journal_); }

  // OK: this process held the lease at some moment after the call began. So no other process had
  // acknowledged anything before the call, and later writers read the writes that this one made
  // before the call. kFailedPrecondition: another process holds the lease.
  absl::Status CheckHeld();
  // The loss known so far. Makes no call.
  absl::Status KnownLoss() const { return loss_.status(); }

  // This process and the standbys, as last seen.
  std::vector<ClusterNode> Nodes() const;

  // Stops heartbeats and frees the lease. REQUIRES: the process has no call in progress.
  absl::Status Release();

 private:
  WriterLease(BigtableClient* client, const LeaseOptions& options);

  // One read of the row, with its times.
  struct Look {
    LeaseState state;
    int64_t began_ms = 0;
    int64_t ended_ms = 0;
  };

  absl::StatusOr<Look> LookNow();
  // True if heartbeats could have arrived, too, during the read.
  bool WasQuick(const Look& look) const;
  // Returns when the lease is free, or the writer counts as failed.
  absl::StatusOr<LeaseState> WaitUntilFree();
  // Waits for the next poll or the death of a process; returns the address of the latter, or "".
  std::string Pause();
  bool HasExpired(const LeaseState& seen, int64_t quiet_ms) const;
  // Takes the lease if the row is still as `seen`, and opens the journal. kAborted: another process
  // was faster.
  absl::Status TryToAcquire(const LeaseState& seen);
  void ReportWriter(const ActiveNode& active);
  absl::Status TooLong(const ActiveNode& active) const;
  void Heartbeat();

  BigtableClient& client_;
  const LeaseOptions options_;
  MonotonicClock& clock_;
  const std::string system_;
  std::unique_ptr<LeaseRow> row_;
  bool has_clean_past_ = false;
  LeaseLoss loss_;
  NodeRegistry registry_;
  std::optional<std::string> reported_address_;  // the last address reported; used in Acquire
  int quick_reads_left_ = 0;                     // remaining; used in Acquire
  std::unique_ptr<BigtableJournal> journal_;

  Mutex heartbeat_mutex_;
  bool is_released_ ABSL_GUARDED_BY(heartbeat_mutex_) = false;
  std::unique_ptr<Background> heartbeats_;
};

}  // namespace hourcell
