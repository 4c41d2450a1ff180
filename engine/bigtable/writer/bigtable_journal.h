// BigtableJournal: the journal of a store on Cloud Bigtable, with one writer at a time.
//
//   table <prefix>-journal: a row for each block
//   row key                  qualifier  timestamp       value
//   block number, 8 bytes    b          of its writer   the payload of a block
//                            f          of its writer   a fence: no payload
//
// A block is written only if its row is absent. A process that has taken the writer lease
// (lease_row.h) writes a fence at the first gap, and then its own blocks. The previous writer finds
// the fence in the row of its next block and acknowledges nothing more. So the log has one writer,
// and any process may become it.
//
// A fence is never deleted. Otherwise a paused writer could find its row absent and write a block
// that is never read. Blocks are deleted only below the log start, which is stored first, and only
// while the lease is held. So rows from the log start on have no gap; a gap is damage.
//
// Thread-safe, as in journal.h.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/lease_loss.h"
#include "engine/bigtable/writer/lease_row.h"
#include "engine/journal/journal.h"

namespace hourcell {

class BigtableJournal : public Journal {
 public:
  // Size at which batches are cut into blocks, if possible. A block of a large batch may be longer.
  static constexpr size_t kBlockBytes = size_t{1} << 20;

  // Ends the previous writer's journal and continues after its end. `client`, `lease` and `loss`
  // are borrowed. REQUIRES: the lease was taken.
  // kAborted: a later process has taken the lease. kDataLoss: a block is missing. kUnavailable: the
  // service is unreachable.
  static absl::StatusOr<std::unique_ptr<BigtableJournal>> Open(BigtableClient* client,
                                                               LeaseRow* lease,
                                                               LeaseLoss* loss);
  ~BigtableJournal() override = default;

  // Starts at the log start if `from` is below it: deleted blocks are in the tables. kDataLoss: a
  // block is missing. kUnavailable: a later process is the writer and deletes blocks.
  absl::Status Replay(uint64_t from, const Visit& visit) const override;

  // Also kUnavailable once another process is the writer: clients may send the points to that one.
  // failure() then has the reason.
  absl::Status Write(std::span<const std::string_view> payload_parts) override;

  // Nothing to do: the service answers once a block is in its log.
  absl::Status Sync() override { return failure(); }
  // Keeps all fences, and keeps the newest block until the journal is closed. kFailedPrecondition:
  // a later process is the writer; nothing is deleted.
  absl::Status DeleteBelow(uint64_t low_mark) override;
  std::unique_ptr<JournalPin> Pin(uint64_t low_mark) override;
  uint64_t LowMarkThatDeletes(uint64_t sequence) const override;
  absl::Status Close() override;
  absl::Status failure() const override;

  size_t block_bytes() const override { return kBlockBytes; }
  uint64_t next_sequence() const override { return next_.load(std::memory_order_relaxed); }
  uint64_t synced_sequence() const override { return next_sequence(); }
  uint64_t oldest_sequence() const override { return oldest_.load(std::memory_order_relaxed); }
  uint64_t bytes() const override { return bytes_.load(std::memory_order_relaxed); }
  uint64_t segments() const override;

 private:
  friend class BigtableJournalPin;

  BigtableJournal(BigtableClient* client, LeaseRow* lease, LeaseLoss* loss);

  // Finds the first gap from next_sequence() on, and the fences before it. Errors: kAborted and
  // kDataLoss, as for Open.
  absl::Status FindEnd();
  // The error for a row after the first absent one.
  absl::Status Gap(uint64_t missing, uint64_t found) const;
  // False: a block was written there first.
  absl::StatusOr<bool> WriteFence();
  // Deletes blocks that late writes restored below the log start.
  absl::Status DeleteStrays(uint64_t log_start);
  absl::Status DeleteRows(uint64_t begin, uint64_t end);

  // Checks the content of row `sequence`. kAborted: the row is absent.
  absl::Status CheckRowIsOurs(uint64_t sequence, const std::string& value) const;
  absl::Status Missing(uint64_t sequence) const;

  BigtableClient& client_;
  LeaseRow& lease_;
  const uint64_t writer_;
  LeaseLoss& loss_;
  const std::string table_;
  std::string block_;  // the block being written; writing thread only

  // Held throughout DeleteBelow.
  Mutex delete_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;  // held briefly
  // Sizes of the blocks from the oldest on, in bytes; 0 for blocks not read yet.
  mutable std::deque<size_t> sizes_ ABSL_GUARDED_BY(mutex_);
  std::set<uint64_t> fences_ ABSL_GUARDED_BY(mutex_);
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t pins_ ABSL_GUARDED_BY(mutex_) = 0;

  std::atomic<uint64_t> next_{1};
  std::atomic<uint64_t> oldest_{1};
  mutable std::atomic<uint64_t> bytes_{0};
};

}  // namespace hourcell
