// GroupCommit: writes the lanes' sections to the journal, for many appenders at once.
//
// The first waiter for a block becomes the leader. It collects the sections of all lanes into one
// block and writes it, while the others wait. If a block could not be written, the next leader
// writes it first, so that blocks stay in order and keep their numbers.
// Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "engine/append.h"
#include "engine/hours/journal_payload.h"
#include "engine/hours/open_hours.h"
#include "engine/journal/journal.h"
#include "engine/journal/journal_block.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/table/tables.h"
#include "engine/threads/background.h"
#include "engine/write/observed_puts.h"

namespace hourcell {

class GroupCommit final : public BlockCommitter {
 public:
  // Borrowed; they outlive the group commit.
  struct Parts {
    OpenHours* open_hours = nullptr;
    Journal* journal = nullptr;
    Tables* tables = nullptr;
    SeriesTable* series = nullptr;
    ObservedPuts* observed_puts = nullptr;  // receives acknowledged blocks; may be null
    // Sections that would make a larger block are written in several.
    size_t block_bytes_max = kBlockPayloadBytesMax;
    Stats* stats = nullptr;  // null: latencies are not recorded
  };
  // Sets the lanes to the journal's next block. `always_sync`: every commit is synced.
  GroupCommit(const Parts& parts, bool always_sync);

  // Returns when the block is written (and, with `sync`, synced together with the tables that
  // define its series).
  // kUnavailable: the journal could not be written; the next commit retries its points.
  // kFailedPrecondition: an fsync failed; the store refuses points until it is opened again.
  absl::Status CommitThrough(uint64_t block, bool sync) override;

  // CommitThrough for at most `wait_ms` milliseconds. A write or an fsync under way cannot be
  // interrupted, so another thread does it for all such waiters, and finishes it after they have
  // left.
  // kDeadlineExceeded: not finished within `wait_ms`.
  absl::Status CommitWithin(uint64_t block, bool sync, int64_t wait_ms) override;

  // Waits until that thread has finished, before the journal and the tables are closed. Afterwards
  // CommitWithin fails with kFailedPrecondition.
  void StopWaits();

  // Commits all pending sections.
  absl::Status CommitAll(bool sync);

  // Adds the growth of the sections, in bytes, roughly. True if it is time for a commit.
  bool AddPending(size_t bytes) {
    return pending_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes >= kCommitBytes;
  }
  size_t pending_bytes() const { return pending_bytes_.load(std::memory_order_relaxed); }

  // Syncs tables and journal. If the tables fail, syncs the journal all the same, and returns that
  // error.
  absl::Status Sync();

  // OK, or the error of the last block, which is retried.
  absl::Status last_written();

  uint64_t blocks_written() const { return blocks_written_.load(std::memory_order_relaxed); }
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 private:
  // A commit begins at this size even without a waiter.
  static constexpr size_t kCommitBytes = 256 << 10;

  // A caller that is, or was, in CommitWithin.
  struct Wait {
    const uint64_t block;
    const bool sync;
    bool is_done = false;  // under waits_mutex_
    absl::Status status;   // if it is done
  };

  absl::Status SyncWritten(uint64_t block, bool sync);
  void Acknowledge(uint64_t block, bool is_synced) {
    if (parts_.observed_puts != nullptr) parts_.observed_puts->Acknowledge(block, is_synced);
  }

  // The body of the other thread.
  void ServeWaits();

  // Writes one block, and before it a block left over, if any; more if a block would be too large.
  // Only the leader calls it.
  absl::Status Lead();
  absl::Status WriteSections();
  absl::Status WriteBlock(std::span<const std::string_view> parts);
  absl::Status SyncJournal();

  const Parts parts_;
  const bool always_sync_;
  LatencyHistogram* const write_latency_;  // may be null
  LatencyHistogram* const sync_latency_;   // may be null

  std::vector<JournalPayloadWriter> sections_;          // the leader's; one a lane
  std::vector<const JournalPayloadWriter*> unwritten_;  // the leader's: sections not written yet
  uint64_t promised_;   // the leader's: the block number that appenders get now
  uint64_t completed_;  // the leader's: all points promised below it are written

  Mutex mutex_;
  CondVar led_;
  bool has_leader_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t turns_ ABSL_GUARDED_BY(mutex_) = 0;  // how many leaders have finished
  // All points promised to blocks below this one are in the journal.
  uint64_t written_ ABSL_GUARDED_BY(mutex_);   // completed_ of the last leader
  absl::Status last_ ABSL_GUARDED_BY(mutex_);  // of the last leader

  Mutex waits_mutex_;
  CondVar waits_served_;
  std::vector<std::shared_ptr<Wait>> waits_ ABSL_GUARDED_BY(waits_mutex_);  // not served yet
  bool waits_are_stopped_ ABSL_GUARDED_BY(waits_mutex_) = false;
  std::unique_ptr<Background> server_ ABSL_GUARDED_BY(waits_mutex_);  // from the first wait on

  std::atomic<size_t> pending_bytes_{0};
  std::atomic<uint64_t> blocks_written_{0};
  std::atomic<uint64_t> failures_{0};
  // Promised blocks below it may have up to this number in the journal.
  std::atomic<uint64_t> split_end_{0};
};

}  // namespace hourcell
