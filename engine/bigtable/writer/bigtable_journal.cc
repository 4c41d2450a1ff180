#include "engine/bigtable/writer/bigtable_journal.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/writer/journal_rows.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/journal/journal_block.h"

// Why the front is a row of its own, beside the low mark in `meta`: whoever ends a journal must
// know where to look for its end before it may read anything else, and must see that blocks were
// deleted meanwhile. The order is: low mark, front, deletion. A fence that lands on the row of a
// deleted block ends nothing, and then the front is above it.

namespace hourcell {
namespace {

// Blocks are deleted by so many, as segments of files would be.
constexpr uint64_t kSegmentBlocks = 64;
// Rows of one call that deletes.
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

// For those who put points: they may send them again, if not to this process.
absl::Status Later(const absl::Status& lost) {
  return absl::UnavailableError(lost.message());
}

}  // namespace

// Blocks stay while it lives.
class BigtableJournalPin : public JournalPin {
 public:
  explicit BigtableJournalPin(BigtableJournal* journal) : journal_(*journal) {
    next_sequence_ = journal->next_sequence();
    MutexLock lock(&journal_.mutex_);
    ++journal_.pins_;
  }
  ~BigtableJournalPin() override {
    MutexLock lock(&journal_.mutex_);
    --journal_.pins_;
  }

 private:
  BigtableJournal& journal_;
};

BigtableJournal::BigtableJournal(BigtableClient* client, uint64_t writer, SeatLoss* loss)
    : client_(*client),
      writer_(writer),
      loss_(*loss),
      table_(JournalTable(client->options().table_prefix)),
      system_(SystemTable(client->options().table_prefix)) {}

absl::StatusOr<std::unique_ptr<BigtableJournal>> BigtableJournal::Open(BigtableClient* client,
                                                                       uint64_t writer,
                                                                       uint64_t observed,
                                                                       SeatLoss* loss) {
  std::unique_ptr<BigtableJournal> journal(new BigtableJournal(client, writer, loss));
  for (;;) {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t front, journal->ReadFront());
    HOURCELL_RETURN_IF_ERROR(journal->FindEnd(front, observed));
    const uint64_t fence = journal->next_sequence();
    HOURCELL_KILL_POINT("fence:before_write");
    HOURCELL_RETURN_IF_ERROR(journal->WriteFence());
    HOURCELL_KILL_POINT("fence:written");
    // The writer before may have deleted the blocks that were looked for.
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t front_now, journal->ReadFront());
    if (front_now > fence) continue;
    HOURCELL_RETURN_IF_ERROR(journal->DeleteStrays(front));
    HOURCELL_KILL_POINT("fence:done");
    return journal;
  }
}

absl::StatusOr<uint64_t> BigtableJournal::ReadFront() const {
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page,
                            client_.Read(system_, {.keys = {std::string(kFrontRow)}}));
  if (page.rows.empty() || page.rows[0].cells.empty()) return 1;
  return DecodeNumber(page.rows[0].cells[0].value, "journal: its front");
}

absl::Status BigtableJournal::FindEnd(uint64_t front, uint64_t observed) {
  uint64_t next = front;
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
      if (block.writer > observed) {
        return absl::AbortedError(
            fmt::format("bigtable: journal: writer {} has taken over", block.writer));
      }
      if (block.sequence != next) {
        is_complete = true;  // a gap: what is after it came late, and was never acknowledged
        break;
      }
      if (block.is_fence) fences.insert(next);
      ++next;
    }
  }
  MutexLock lock(&mutex_);
  fences_ = std::move(fences);
  sizes_.assign(next - front, 0);
  next_.store(next);
  oldest_.store(front);
  return absl::OkStatus();
}

absl::Status BigtableJournal::WriteFence() {
  const uint64_t sequence = next_sequence();
  const RowMutations row =
      SystemCell(JournalRowKey(sequence), kFenceQualifier, writer_, "", /*replace=*/false);
  for (int tries = 0; tries < kWriteTriesMax; ++tries) {
    const absl::StatusOr<bool> is_set = client_.SetIfAbsent(table_, row);
    if (!is_set.ok() && !absl::IsUnavailable(is_set.status())) return is_set.status();
    if (!is_set.ok() || !*is_set) {
      const absl::Status ours = CheckRowIsOurs(sequence, "");
      if (absl::IsAborted(ours)) continue;  // it was not written
      if (absl::IsFailedPrecondition(ours)) {
        return absl::AbortedError("bigtable: journal: another process has taken over");
      }
      HOURCELL_RETURN_IF_ERROR(ours);
    }
    MutexLock lock(&mutex_);
    fences_.insert(sequence);
    sizes_.push_back(0);
    next_.store(sequence + 1);
    return absl::OkStatus();
  }
  return absl::UnavailableError("bigtable: journal: the fence could not be written");
}

absl::Status BigtableJournal::DeleteStrays(uint64_t front) {
  ScanRange left{.begin = {}, .end = JournalRowKey(front)};
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
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t front, ReadFront());
  if (front > sequence) {
    return absl::UnavailableError(fmt::format(
        "bigtable: journal: block {} was deleted by another process; open the store again",
        sequence));
  }
  return absl::DataLossError(fmt::format("bigtable: {}: block {} is missing", table_, sequence));
}

absl::Status BigtableJournal::Replay(uint64_t from, const Visit& visit) const {
  const uint64_t oldest = oldest_sequence();
  const uint64_t end = next_sequence();
  uint64_t next = from == 0 ? oldest : from;
  if (next < oldest) return Missing(next);
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
    return absl::InvalidArgumentError(fmt::format("journal: a block of {} bytes; want at most {}",
                                                  block_.size(), kBlockPayloadBytesMax));
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
      if (absl::IsAborted(ours) && !is_present) continue;  // it was not written
      if (!ours.ok() && !absl::IsUnavailable(ours)) {
        // A row that is gone was deleted by another writer.
        loss_.Lose(absl::IsAborted(ours) ? TakenOver(sequence) : ours);
        return Later(loss_.status());
      }
      HOURCELL_RETURN_IF_ERROR(ours);
    }
    MutexLock lock(&mutex_);
    sizes_.push_back(block_.size());
    bytes_.fetch_add(block_.size(), std::memory_order_relaxed);
    next_.store(sequence + 1);
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      fmt::format("bigtable: journal: block {} could not be written", sequence));
}

absl::Status BigtableJournal::StoreFront(uint64_t front) {
  const uint64_t version = FirstVersionOf(writer_) + ++fronts_stored_;
  return client_.Mutate(system_, {SystemCell(kFrontRow, kSystemQualifier, version,
                                             EncodeNumber(front), /*replace=*/true)});
}

absl::Status BigtableJournal::DeleteRows(uint64_t begin, uint64_t end) {
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
  HOURCELL_KILL_POINT("blocks:before_front");
  HOURCELL_RETURN_IF_ERROR(StoreFront(end));
  HOURCELL_KILL_POINT("blocks:front_stored");
  HOURCELL_RETURN_IF_ERROR(DeleteRows(begin, end));
  HOURCELL_KILL_POINT("blocks:deleted");
  MutexLock lock(&mutex_);
  oldest_.store(end);
  for (uint64_t i = begin; i < end; ++i) {
    bytes_.fetch_sub(sizes_.front(), std::memory_order_relaxed);
    sizes_.pop_front();
  }
  return absl::OkStatus();
}

std::unique_ptr<JournalPin> BigtableJournal::Pin(uint64_t /*low_mark*/) {
  // After it, so that no deletion that has begun goes on to delete what is pinned.
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
