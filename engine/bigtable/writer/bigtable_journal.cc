#include "engine/bigtable/writer/bigtable_journal.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/writer/journal_rows.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/journal/journal_block.h"

// Why the log start is in the row of the lease and not with the low mark in `meta`: a process that
// ends a journal must know where to search for the end before it may read anything else, and no
// other process may move that position during the search. Order of a deletion: low mark, log start,
// rows. Order of a takeover: lease, log start, end, fence, lease again. A fence written to the row
// of a deleted block ends nothing; the last check of the lease then finds a later writer.

namespace hourcell {
namespace {

// Deletion unit in blocks, like a segment file.
constexpr uint64_t kSegmentBlocks = 64;
// Rows per delete call.
constexpr size_t kDeletedRowsMax = 1000;
constexpr int kWriteTriesMax = 5;

google::bigtable::v2::RowFilter WithoutValues() {
  google::bigtable::v2::RowFilter filter;
  filter.set_strip_value_transformer(true);
  return filter;
}

absl::Status TakenOver(uint64_t sequence) {
  return absl::FailedPreconditionError(fmt::format(
      "another process writes to this store: block {} of the journal is not ours; this one must be "
      "started again",
      sequence));
}

// Retryable for clients, on another node.
absl::Status Later(const absl::Status& lost) {
  return absl::UnavailableError(lost.message());
}

}  // namespace

// Prevents deletion of blocks while it exists.
class BigtableJournalPin : public JournalPin {
 public:
  explicit BigtableJournalPin(BigtableJournal* journal) : journal_(*journal) {
    next_sequence_ = journal->next_sequence();
    MutexLock lock(&journal_.mutex_);
    ++journal_.pins_;
  }
  ~BigtableJournalPin() override {
    MutexLock lock(&journal_.mutex_);
    HOURCELL_DCHECK(journal_.pins_ > 0);
    --journal_.pins_;
  }

 private:
  BigtableJournal& journal_;
};

BigtableJournal::BigtableJournal(BigtableClient* client, LeaseRow* lease, LeaseLoss* loss)
    : client_(*client),
      lease_(*lease),
      writer_(lease->writer()),
      loss_(*loss),
      table_(JournalTable(client->options().table_prefix)) {}

absl::StatusOr<std::unique_ptr<BigtableJournal>> BigtableJournal::Open(BigtableClient* client,
                                                                       LeaseRow* lease,
                                                                       LeaseLoss* loss) {
  std::unique_ptr<BigtableJournal> journal(new BigtableJournal(client, lease, loss));
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t log_start, lease->ReadLogStart());
  journal->oldest_.store(log_start);
  journal->next_.store(log_start);
  for (bool is_fenced = false; !is_fenced;) {
    HOURCELL_RETURN_IF_ERROR(journal->FindEnd());
    HOURCELL_KILL_POINT("fence:before_write");
    HOURCELL_ASSIGN_OR_RETURN(is_fenced, journal->WriteFence());
    HOURCELL_KILL_POINT("fence:written");
    // A later process may have deleted the block whose row the fence took, or may have written it.
    HOURCELL_RETURN_IF_ERROR(lease->CheckStillHeld());
  }
  HOURCELL_RETURN_IF_ERROR(journal->DeleteStrays(log_start));
  HOURCELL_KILL_POINT("fence:done");
  HOURCELL_DCHECK(journal->next_sequence() > log_start);  // the fence is there
  return journal;
}

absl::Status BigtableJournal::FindEnd() {
  uint64_t next = next_sequence();
  std::set<uint64_t> fences;
  bool is_complete = false;
  while (!is_complete) {
    HOURCELL_ASSIGN_OR_RETURN(
        const BigtablePage page,
        client_.Read(table_, {.range = {.begin = JournalRowKey(next), .end = {}},
                              .filter = WithoutValues()}));
    is_complete = page.is_complete;
    for (const BigtableRow& row : page.rows) {
      HOURCELL_ASSIGN_OR_RETURN(const JournalRow block, DecodeJournalRow(row));
      if (block.writer > writer_) {
        return absl::AbortedError(
            fmt::format("bigtable: journal: writer {} has taken over", block.writer));
      }
      if (block.sequence != next) return Gap(next, block.sequence);
      if (block.is_fence) fences.insert(next);
      ++next;
    }
  }
  MutexLock lock(&mutex_);
  fences_.merge(fences);
  HOURCELL_DCHECK(sizes_.size() == next_sequence() - oldest_sequence());
  sizes_.resize(next - oldest_sequence(), 0);
  next_.store(next);
  return absl::OkStatus();
}

// Writers write blocks in order and delete none from the log start on, so a gap is damage.
absl::Status BigtableJournal::Gap(uint64_t missing, uint64_t found) const {
  HOURCELL_RETURN_IF_ERROR(lease_.CheckStillHeld());
  return absl::DataLossError(
      fmt::format("bigtable: {}: block {} is missing, and there is block {}; its points, and those "
                  "of the blocks after it, would be lost; restore the row, or the table",
                  table_, missing, found));
}

absl::StatusOr<bool> BigtableJournal::WriteFence() {
  const uint64_t sequence = next_sequence();
  const RowMutations row =
      SystemCell(JournalRowKey(sequence), kFenceQualifier, writer_, "", /*replace=*/false);
  for (int tries = 0; tries < kWriteTriesMax; ++tries) {
    const absl::StatusOr<bool> is_set = client_.SetIfAbsent(table_, row);
    if (!is_set.ok() && !absl::IsUnavailable(is_set.status())) return is_set.status();
    if (!is_set.ok() || !*is_set) {
      const absl::Status ours = CheckRowIsOurs(sequence, "");
      if (absl::IsAborted(ours)) continue;                 // the fence was not written
      if (absl::IsFailedPrecondition(ours)) return false;  // the earlier writer is still writing
      HOURCELL_RETURN_IF_ERROR(ours);
    }
    MutexLock lock(&mutex_);
    fences_.insert(sequence);
    HOURCELL_DCHECK(next_sequence() == sequence);
    HOURCELL_DCHECK(sizes_.size() == sequence - oldest_sequence());
    sizes_.push_back(0);
    next_.store(sequence + 1);
    return true;
  }
  return absl::UnavailableError("bigtable: journal: the fence could not be written");
}

absl::Status BigtableJournal::DeleteStrays(uint64_t log_start) {
  ScanRange left{.begin = {}, .end = JournalRowKey(log_start)};
  for (;;) {
    HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page,
                              client_.Read(table_, {.range = left, .filter = WithoutValues()}));
    std::vector<RowMutations> rows;
    for (const BigtableRow& row : page.rows) {
      HOURCELL_ASSIGN_OR_RETURN(const JournalRow block, DecodeJournalRow(row));
      if (block.is_fence) continue;
      RowMutations& removal = rows.emplace_back();
      removal.set_row_key(row.key);
      removal.add_mutations()->mutable_delete_from_row();
    }
    HOURCELL_RETURN_IF_ERROR(client_.Mutate(table_, std::move(rows)));
    if (page.is_complete || page.rows.empty()) return absl::OkStatus();
    left.begin = AfterKey(page.rows.back().key);
  }
}

absl::Status BigtableJournal::Missing(uint64_t sequence) const {
  const absl::Status held = lease_.CheckStillHeld();
  if (absl::IsAborted(held)) return Later(held);
  HOURCELL_RETURN_IF_ERROR(held);
  return absl::DataLossError(fmt::format("bigtable: {}: block {} is missing", table_, sequence));
}

absl::Status BigtableJournal::Replay(uint64_t from, const Visit& visit) const {
  const uint64_t oldest = oldest_sequence();
  const uint64_t end = next_sequence();
  uint64_t next = std::max(from, oldest);
  while (next < end) {
    HOURCELL_ASSIGN_OR_RETURN(
        const BigtablePage page,
        client_.Read(table_, {.range = {.begin = JournalRowKey(next), .end = JournalRowKey(end)}}));
    if (page.rows.empty()) return Missing(next);
    for (const BigtableRow& row : page.rows) {
      HOURCELL_ASSIGN_OR_RETURN(const JournalRow block, DecodeJournalRow(row));
      if (block.sequence != next) return Missing(next);
      const std::string& payload = row.cells[0].value;
      {
        MutexLock lock(&mutex_);
        size_t& size = sizes_[next - oldest];
        HOURCELL_DCHECK(oldest_sequence() == oldest);  // nothing was deleted meanwhile
        bytes_.fetch_add(payload.size() - size, std::memory_order_relaxed);
        size = payload.size();
      }
      if (!block.is_fence) HOURCELL_RETURN_IF_ERROR(visit(next, payload));
      ++next;
    }
  }
  return absl::OkStatus();
}

absl::Status BigtableJournal::CheckRowIsOurs(uint64_t sequence, const std::string& value) const {
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page,
                            client_.Read(table_, {.keys = {JournalRowKey(sequence)}}));
  if (page.rows.empty()) return absl::AbortedError("there is no row");
  HOURCELL_ASSIGN_OR_RETURN(const JournalRow block, DecodeJournalRow(page.rows[0]));
  if (block.writer != writer_) return TakenOver(sequence);
  if (page.rows[0].cells[0].value == value) return absl::OkStatus();
  return absl::InternalError(
      fmt::format("bigtable: journal: block {} was written with other bytes", sequence));
}

absl::Status BigtableJournal::Write(std::span<const std::string_view> payload_parts) {
  if (const absl::Status lost = loss_.status(); !lost.ok()) return Later(lost);
  HOURCELL_RETURN_IF_ERROR(failure());
  block_.clear();
  for (const std::string_view part : payload_parts)
    block_ += part;
  if (block_.size() > kBlockPayloadBytesMax) {
    return absl::InvalidArgumentError(fmt::format(
        "journal: a block of {} bytes; expected at most {}", block_.size(), kBlockPayloadBytesMax));
  }
  const uint64_t sequence = next_sequence();
  const RowMutations row =
      SystemCell(JournalRowKey(sequence), kBlockQualifier, writer_, block_, /*replace=*/false);
  for (int tries = 0; tries < kWriteTriesMax; ++tries) {
    const absl::StatusOr<bool> is_set = client_.SetIfAbsent(table_, row);
    if (!is_set.ok() && !absl::IsUnavailable(is_set.status())) return is_set.status();
    if (!is_set.ok() || !*is_set) {
      const absl::Status ours = CheckRowIsOurs(sequence, block_);
      const bool is_present = is_set.ok();
      if (absl::IsAborted(ours) && !is_present) continue;  // the block was not written
      if (!ours.ok() && !absl::IsUnavailable(ours)) {
        // Only another writer deletes a block that this one wrote.
        loss_.Lose(absl::IsAborted(ours) ? TakenOver(sequence) : ours);
        return Later(loss_.status());
      }
      HOURCELL_RETURN_IF_ERROR(ours);
    }
    MutexLock lock(&mutex_);
    sizes_.push_back(block_.size());
    HOURCELL_DCHECK(next_sequence() == sequence);  // one call at a time
    HOURCELL_DCHECK(sizes_.size() == sequence + 1 - oldest_sequence());
    bytes_.fetch_add(block_.size(), std::memory_order_relaxed);
    next_.store(sequence + 1);
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      fmt::format("bigtable: journal: block {} could not be written", sequence));
}

absl::Status BigtableJournal::DeleteRows(uint64_t begin, uint64_t end) {
  HOURCELL_DCHECK(begin < end && end <= next_sequence());
  std::vector<RowMutations> rows;
  for (uint64_t sequence = begin; sequence < end; ++sequence) {
    {
      MutexLock lock(&mutex_);
      if (fences_.contains(sequence)) continue;
    }
    RowMutations& row = rows.emplace_back();
    row.set_row_key(JournalRowKey(sequence));
    row.add_mutations()->mutable_delete_from_row();
    if (rows.size() < kDeletedRowsMax) continue;
    HOURCELL_RETURN_IF_ERROR(client_.Mutate(table_, std::exchange(rows, {})));
  }
  return client_.Mutate(table_, std::move(rows));
}

absl::Status BigtableJournal::DeleteBelow(uint64_t low_mark) {
  HOURCELL_RETURN_IF_ERROR(loss_.status());
  MutexLock delete_lock(&delete_mutex_);
  const uint64_t begin = oldest_sequence();
  uint64_t end = next_sequence();
  {
    MutexLock lock(&mutex_);
    if (pins_ > 0) return absl::OkStatus();
    if (!is_closed_) --end;
  }
  end = std::min(end, low_mark);
  if (end <= begin) return absl::OkStatus();
  HOURCELL_KILL_POINT("blocks:before_log_start");
  HOURCELL_RETURN_IF_ERROR(lease_.StoreLogStart(end));
  HOURCELL_KILL_POINT("blocks:log_start_stored");
  HOURCELL_RETURN_IF_ERROR(DeleteRows(begin, end));
  HOURCELL_KILL_POINT("blocks:deleted");
  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(oldest_sequence() == begin);  // one deletion at a time
  oldest_.store(end);
  for (uint64_t i = begin; i < end; ++i) {
    bytes_.fetch_sub(sizes_.front(), std::memory_order_relaxed);
    sizes_.pop_front();
  }
  HOURCELL_DCHECK(sizes_.size() == next_sequence() - oldest_sequence());
  HOURCELL_DCHECK(is_closed_ || !sizes_.empty());  // the newest block stays
  return absl::OkStatus();
}

std::unique_ptr<JournalPin> BigtableJournal::Pin(uint64_t /*low_mark*/) {
  // Waits for a running deletion, which could otherwise delete pinned blocks.
  MutexLock delete_lock(&delete_mutex_);
  return std::make_unique<BigtableJournalPin>(this);
}

uint64_t BigtableJournal::LowMarkThatDeletes(uint64_t sequence) const {
  const uint64_t oldest = oldest_sequence();
  const uint64_t newest = next_sequence() - 1;
  MutexLock lock(&mutex_);
  if (pins_ > 0 || newest <= oldest) return 0;
  const uint64_t segment = std::max(sequence, oldest) / kSegmentBlocks;
  return std::min((segment + 1) * kSegmentBlocks, newest);
}

absl::Status BigtableJournal::Close() {
  HOURCELL_RETURN_IF_ERROR(loss_.status());
  MutexLock lock(&mutex_);
  is_closed_ = true;
  return absl::OkStatus();
}

absl::Status BigtableJournal::failure() const {
  HOURCELL_RETURN_IF_ERROR(loss_.status());
  MutexLock lock(&mutex_);
  return is_closed_ ? absl::FailedPreconditionError("the journal is closed") : absl::OkStatus();
}

uint64_t BigtableJournal::segments() const {
  return (next_sequence() - oldest_sequence() + kSegmentBlocks - 1) / kSegmentBlocks;
}

}  // namespace hourcell
