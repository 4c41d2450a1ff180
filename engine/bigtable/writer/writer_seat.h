// WriterSeat: the writer lease of a store on Cloud Bigtable, as one process waits for it, holds it,
// and loses it to another process that misses its heartbeats.
//
// The row `active` (lease_row.h) names the writer, with a count that goes up with each heartbeat. A
// process that waits takes the lease when the count has stood still for the lease time, by its own
// monotonic clock; after a fifth of it if nothing listens at the writer's address any more; at once
// if it was seen that the writer died; or when the row says that the writer has left. It draws a
// greater number, names itself in the row if nothing was written there since it looked, and ends
// the journal of the writer before (bigtable_journal.h). Clocks decide when to try, and never who
// writes.
//
// Time counts only between looks that the service answered within two heartbeats. While the service
// is away, heartbeats do not arrive either, so no writer is replaced for that.
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
#include "engine/bigtable/writer/lease_row.h"
#include "engine/bigtable/writer/node_registry.h"
#include "engine/bigtable/writer/seat_loss.h"
#include "engine/table/storage_engine.h"
#include "engine/threads/background.h"

namespace hourcell {

struct SeatOptions {
  std::string address = {};  // where clients find this process; may be empty
  // A process that has not beaten for so long is taken for dead.
  int64_t lease_ms = 10'000;
  int64_t beat_ms = 1000;
  // How long to wait for another process to stop or to be taken for dead; -1: without end.
  int64_t wait_ms = -1;
  Clock* clock = nullptr;  // null: the machine's
  // Is told whom it waits for. None: nobody is told.
  std::function<void(std::string_view message)> warn = {};
  StorageEvents events = {};
};

class WriterSeat {
 public:
  // Waits for the seat, and takes it. `client` is borrowed. The table of the system is there.
  // kFailedPrecondition: another process has it and beats, and `wait_ms` is over. kCancelled: the
  // events gave up.
  static absl::StatusOr<std::unique_ptr<WriterSeat>> Take(BigtableClient* client,
                                                          const SeatOptions& options);
  ~WriterSeat() = default;
  WriterSeat(const WriterSeat&) = delete;
  WriterSeat& operator=(const WriterSeat&) = delete;

  uint64_t writer() const { return lease_->writer(); }
  // Whether the writer before had ended all its calls when it left.
  bool has_clean_past() const { return has_clean_past_; }

  // The journal that was opened with the lease; this outlives it. Null from the second call on.
  std::unique_ptr<BigtableJournal> TakeJournal() { return std::move(journal_); }

  // OK: this process had the lease at some moment after the call began. So no other process had
  // acknowledged anything before the call, and a later writer reads what this one wrote before the
  // call. kFailedPrecondition: another one has it.
  absl::Status Check();
  // The same as far as it is known by now: asks nobody.
  absl::Status KnownLoss() const { return loss_.status(); }

  // This process, and those that wait, as they were seen a moment ago.
  std::vector<ClusterNode> Nodes() const;

  // Beats no more, and says that all is ended. For a process that has no call under way.
  absl::Status Leave();

 private:
  WriterSeat(BigtableClient* client, const SeatOptions& options);

  // What a look has found, and when.
  struct Look {
    LeaseState state;
    int64_t began_ms = 0;
    int64_t ended_ms = 0;
  };

  absl::StatusOr<Look> LookNow();
  // Whether heartbeats could have arrived, too, when it was made.
  bool WasQuick(const Look& look) const;
  // Returns once whoever has the seat has left or is taken for dead.
  absl::StatusOr<LeaseState> WaitUntilFree();
  // Waits until it is time to look again, or it is known whose process has died.
  std::string Pause();
  bool IsTakenForDead(const LeaseState& seen, int64_t quiet_ms) const;
  // Takes the lease as it was seen, and opens the journal. kAborted: another process was quicker.
  absl::Status TryToTake(const LeaseState& seen);
  void SayWhoWrites(const ActiveNode& active);
  absl::Status TooLong(const ActiveNode& active) const;
  void Beat();

  BigtableClient& client_;
  const SeatOptions options_;
  Clock& clock_;
  const std::string system_;
  std::unique_ptr<LeaseRow> lease_;
  bool has_clean_past_ = false;
  SeatLoss loss_;
  NodeRegistry registry_;
  std::optional<std::string> told_;  // the address that the events were told; of Take
  int quick_looks_ = 0;              // still to be done; of Take
  std::unique_ptr<BigtableJournal> journal_;

  Mutex beat_mutex_;
  bool has_left_ ABSL_GUARDED_BY(beat_mutex_) = false;
  std::unique_ptr<Background> beater_;
};

}  // namespace hourcell
