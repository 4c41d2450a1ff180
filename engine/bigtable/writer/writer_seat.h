// WriterSeat: the one place of the process that writes to a store on Cloud Bigtable. A process
// takes it, keeps it while it lives, and loses it to another one that finds that it does not beat.
//
// The row `active` (system_rows.h) names who has the seat, with a count that goes up once a second.
// A process that wants the seat waits until the count stands still for the lease, by its own
// monotonic clock; for a fifth of it if nothing listens at the owner's address any more; not at all
// if it was seen that the owner died; or until the row says that its owner has left. Then it draws
// a greater number, ends the journal of the other (bigtable_journal.h), and writes the row. Clocks
// decide when to look, and never who writes: that is decided by the fence in the journal. While the
// service is away nobody is taken for dead.
//
// Thread-safe.

#pragma once

#include <algorithm>
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
#include "engine/bigtable/writer/node_registry.h"
#include "engine/bigtable/writer/seat_loss.h"
#include "engine/bigtable/writer/system_rows.h"
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

  uint64_t writer() const { return writer_; }
  // Whether the writer before had ended all its calls when it left.
  bool has_clean_past() const { return has_clean_past_; }

  // The journal that was opened with the seat, which outlives it; null from the second call on.
  std::unique_ptr<BigtableJournal> TakeJournal() { return std::move(journal_); }

  // OK: this process had the seat at some moment after the call began. So nothing was acknowledged
  // by any other process before the call. kFailedPrecondition: another one has it.
  absl::Status Check();

  // This process, and those that wait, as they were seen a moment ago.
  std::vector<ClusterNode> Nodes() const;

  // Beats no more, and says that all is ended. For a process that has no call under way.
  absl::Status Leave();

 private:
  WriterSeat(BigtableClient* client, const SeatOptions& options);

  // What is seen of the process that has the seat.
  struct Seen {
    ActiveNode active;
    uint64_t last_writer = 0;  // of the newest row of the journal

    uint64_t greatest() const { return std::max(active.writer, last_writer); }
    bool IsFree() const {
      return greatest() == 0 || (active.has_left && last_writer <= active.writer);
    }
    // Whether the process at `address` has the seat, and no other one is about to take it.
    bool IsOf(const std::string& address) const {
      return active.address == address && last_writer <= active.writer;
    }
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  absl::StatusOr<ActiveNode> ReadActive();
  absl::StatusOr<Seen> Look();
  // Returns once whoever has the seat has left or is taken for dead.
  absl::StatusOr<Seen> WaitUntilFree();
  // Waits until it is time to look again, or it is known whose process has died.
  std::string Pause();
  bool IsTakenForDead(const Seen& seen, int64_t quiet_ms) const;
  void SayWhoWrites(const ActiveNode& active);
  absl::Status TooLong(const ActiveNode& active) const;
  absl::Status WriteActive(bool has_left) ABSL_EXCLUSIVE_LOCKS_REQUIRED(beat_mutex_);
  void Beat();

  BigtableClient& client_;
  const SeatOptions options_;
  Clock& clock_;
  const std::string system_;
  const std::string journal_table_;
  uint64_t writer_ = 0;
  bool has_clean_past_ = false;
  SeatLoss loss_;
  NodeRegistry registry_;
  std::optional<std::string> told_;  // the address that the events were told; of Take
  int quick_looks_ = 0;              // still to be done; of Take
  std::unique_ptr<BigtableJournal> journal_;

  Mutex beat_mutex_;
  uint64_t beats_ ABSL_GUARDED_BY(beat_mutex_) = 0;
  bool has_left_ ABSL_GUARDED_BY(beat_mutex_) = false;
  std::unique_ptr<Background> beater_;
};

}  // namespace hourcell
