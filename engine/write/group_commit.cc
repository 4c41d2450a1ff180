#include "engine/write/group_commit.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_copy.h"
#include "codec/base/status_macros.h"

// Why the first waiter writes, and not a dedicated thread: one client needs no hand-over between
// threads, and with many clients the blocks grow while one is being written. If a block fails, the
// next leader retries it first, because a later one would leave a gap in the sequence.

namespace hourcell {
namespace {

// Longer waits than this, some three weeks, end early.
constexpr int64_t kWaitMsMax = int64_t{1} << 31;
// How often the serving thread looks without being woken.
constexpr int64_t kServeMs = 60'000;

LatencyHistogram* HistogramOf(Stats* stats, const char* name) {
  return stats == nullptr ? nullptr : stats->histogram(name);
}

// Records how long its scope takes.
class LatencyScope {
 public:
  explicit LatencyScope(LatencyHistogram* histogram)
      : histogram_(histogram), begin_(std::chrono::steady_clock::now()) {}
  ~LatencyScope() {
    if (histogram_ == nullptr) return;
    const auto taken = std::chrono::steady_clock::now() - begin_;
    histogram_->Record(std::chrono::duration_cast<std::chrono::microseconds>(taken).count());
  }
  LatencyScope(const LatencyScope&) = delete;
  LatencyScope& operator=(const LatencyScope&) = delete;

 private:
  LatencyHistogram* const histogram_;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace

void CommitTicket::Cover(const CommitTicket& other) {
  HOURCELL_CHECK(commit_ == nullptr || other.commit_ == nullptr || commit_ == other.commit_);
  if (done_.ok()) done_ = CopyStatus(other.done_);
  if (other.commit_ == nullptr) return;
  commit_ = other.commit_;
  block_ = std::max(block_, other.block_);
  sync_ = sync_ || other.sync_;
}

absl::Status CommitTicket::Wait() const {
  return commit_ == nullptr || !done_.ok() ? CopyStatus(done_)
                                           : commit_->CommitThrough(block_, sync_);
}

absl::Status CommitTicket::WaitFor(int64_t wait_ms) const {
  return commit_ == nullptr || !done_.ok() ? CopyStatus(done_)
                                           : commit_->CommitWithin(block_, sync_, wait_ms);
}

GroupCommit::GroupCommit(const Parts& parts, bool always_sync)
    : parts_(parts),
      always_sync_(always_sync),
      write_latency_(HistogramOf(parts.stats, "journal.write")),
      sync_latency_(HistogramOf(parts.stats, "journal.sync")),
      sections_(parts.open_hours->lanes().size()),
      promised_(parts.journal->next_sequence()),
      completed_(promised_),
      written_(parts.journal->next_sequence()) {
  for (size_t i = 0; i < sections_.size(); ++i) {
    parts_.open_hours->lanes()[i].TakeLog(parts_.journal->next_sequence(), &sections_[i]);
  }
}

absl::Status GroupCommit::CommitThrough(uint64_t block, bool sync) {
  {
    MutexLock lock(&mutex_);
    while (written_ <= block) {
      if (!has_leader_) {
        has_leader_ = true;
        mutex_.Unlock();
        const absl::Status led = Lead();
        mutex_.Lock();
        has_leader_ = false;
        ++turns_;
        last_ = CopyStatus(led);
        HOURCELL_DCHECK(completed_ >= written_);
        written_ = completed_;
        led_.NotifyAll();
        if (!led.ok()) return led;
        continue;
      }
      const uint64_t turn = turns_;
      while (turns_ == turn)
        led_.Wait(&mutex_);
      if (written_ <= block && !last_.ok()) return CopyStatus(last_);
    }
  }
  HOURCELL_RETURN_IF_ERROR(SyncWritten(block, sync));
  Acknowledge(block, sync || always_sync_);
  return absl::OkStatus();
}

absl::Status GroupCommit::SyncWritten(uint64_t block, bool sync) {
  if (always_sync_) {
    // Where sections were split, a block has a higher number in the journal than it was promised.
    const uint64_t highest = std::max(block, split_end_.load(std::memory_order_relaxed));
    return parts_.journal->synced_sequence() > highest ? absl::OkStatus() : SyncJournal();
  }
  return sync ? Sync() : absl::OkStatus();
}

absl::Status GroupCommit::CommitWithin(uint64_t block, bool sync, int64_t wait_ms) {
  const int64_t bounded_ms = std::clamp<int64_t>(wait_ms, 0, kWaitMsMax);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(bounded_ms);
  const auto wait = std::make_shared<Wait>(Wait{.block = block, .sync = sync, .status = {}});
  MutexLock lock(&waits_mutex_);
  if (waits_are_stopped_) return absl::FailedPreconditionError("store is closed");
  if (server_ == nullptr) {
    server_ = std::make_unique<Background>("hc-waits", kServeMs, [this] { ServeWaits(); });
  }
  waits_.push_back(wait);
  server_->Wake();
  while (!wait->is_done) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= std::chrono::milliseconds(0)) {
      return absl::DeadlineExceededError(
          fmt::format("commit: not {} after {} ms", sync ? "synced" : "written", bounded_ms));
    }
    waits_served_.WaitFor(&waits_mutex_,
                          std::chrono::ceil<std::chrono::milliseconds>(left).count());
  }
  return CopyStatus(wait->status);
}

void GroupCommit::ServeWaits() {
  std::vector<std::shared_ptr<Wait>> served;
  {
    MutexLock lock(&waits_mutex_);
    served.swap(waits_);
  }
  if (served.empty()) return;
  uint64_t block = 0;
  bool sync = false;
  for (const auto& wait : served) {
    block = std::max(block, wait->block);
    sync = sync || wait->sync;
  }
  const absl::Status status = CommitThrough(block, sync);
  MutexLock lock(&waits_mutex_);
  for (const auto& wait : served) {
    wait->status = CopyStatus(status);
    wait->is_done = true;
  }
  waits_served_.NotifyAll();
}

void GroupCommit::StopWaits() {
  std::unique_ptr<Background> server;
  {
    MutexLock lock(&waits_mutex_);
    waits_are_stopped_ = true;
    server = std::move(server_);
  }
}

absl::Status GroupCommit::CommitAll(bool sync) {
  // All points now in the lanes are in the next block at the latest.
  uint64_t block = 0;
  bool is_pending = false;
  {
    MutexLock lock(&mutex_);
    // A leader under way has taken sections that no longer count as pending and are not written
    // yet. It may have passed some lanes already.
    is_pending = pending_bytes() > 0 || has_leader_;
    block = parts_.journal->next_sequence() + (has_leader_ && pending_bytes() > 0 ? 1 : 0);
  }
  if (!is_pending) return sync ? Sync() : absl::OkStatus();
  return CommitThrough(block, sync);
}

absl::Status GroupCommit::Lead() {
  if (!unwritten_.empty()) HOURCELL_RETURN_IF_ERROR(WriteSections());
  const uint64_t block = parts_.journal->next_sequence();
  HOURCELL_DCHECK(unwritten_.empty() && block + 1 >= promised_);
  // Before the sections are taken: points added meanwhile may count twice, but are never missed.
  pending_bytes_.store(0, std::memory_order_relaxed);
  const std::span<Lane> lanes = parts_.open_hours->lanes();
  for (size_t i = 0; i < lanes.size(); ++i)
    lanes[i].TakeLog(block + 1, &sections_[i]);
  promised_ = block + 1;
  for (const JournalPayloadWriter& section : sections_)
    unwritten_.push_back(&section);
  return WriteSections();
}

// Writes the blocks that the sections need, nearly always one. A section is never split: admission
// limits its size.
absl::Status GroupCommit::WriteSections() {
  while (!unwritten_.empty()) {
    std::vector<std::string_view> parts = {kPayloadWithoutDefinitions};
    parts.reserve(1 + unwritten_.size());
    size_t bytes = parts.front().size();
    size_t taken = 0;
    for (; taken < unwritten_.size(); ++taken) {
      const JournalPayloadWriter& section = *unwritten_[taken];
      if (parts.size() > 1 && bytes + section.bytes().size() > parts_.block_bytes_max) break;
      if (section.has_definitions()) parts.front() = kPayloadWithDefinitions;
      if (!section.bytes().empty()) parts.push_back(section.bytes());
      bytes += section.bytes().size();
    }
    HOURCELL_KILL_POINT("journal:before_write");
    HOURCELL_DCHECK(taken > 0);
    const absl::Status written = WriteBlock(parts);
    if (!written.ok()) {
      failures_.fetch_add(1, std::memory_order_relaxed);
      // Keeps pending_bytes_ above 0, so that CommitAll retries.
      size_t none = 0;
      pending_bytes_.compare_exchange_strong(none, 1, std::memory_order_relaxed);
      return written;
    }
    HOURCELL_KILL_POINT("journal:after_write");
    unwritten_.erase(unwritten_.begin(), unwritten_.begin() + static_cast<ptrdiff_t>(taken));
    blocks_written_.fetch_add(1, std::memory_order_relaxed);
    if (const uint64_t next = parts_.journal->next_sequence(); next > promised_) {
      split_end_.store(next, std::memory_order_relaxed);
    }
  }
  completed_ = promised_;
  HOURCELL_DCHECK(unwritten_.empty());
  return absl::OkStatus();
}

absl::Status GroupCommit::WriteBlock(std::span<const std::string_view> parts) {
  const LatencyScope scope(write_latency_);
  return parts_.journal->Write(parts);
}

absl::Status GroupCommit::SyncJournal() {
  const LatencyScope scope(sync_latency_);
  return parts_.journal->Sync();
}

absl::Status GroupCommit::last_written() {
  MutexLock lock(&mutex_);
  return CopyStatus(last_);
}

absl::Status GroupCommit::Sync() {
  const SeriesNumber last = parts_.series->last_number();
  uint64_t next_block = 0;
  {
    MutexLock lock(&mutex_);
    next_block = written_;
  }
  // Series first: a block on disk may name only series that are in the tables, or that this or an
  // earlier block defines. If the tables cannot be synced, the journal still can: it defines the
  // series that the tables lack.
  const absl::Status tables = parts_.tables->Sync();
  if (tables.ok()) parts_.series->MarkSynced(last);
  HOURCELL_RETURN_IF_ERROR(SyncJournal());
  HOURCELL_RETURN_IF_ERROR(tables);
  if (next_block > 0) Acknowledge(next_block - 1, /*is_synced=*/true);
  return absl::OkStatus();
}

}  // namespace hourcell
