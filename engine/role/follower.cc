#include "engine/role/follower.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/status_copy.h"
#include "codec/base/status_macros.h"
#include "codec/rows/salt_epochs.h"
#include "engine/rows/system_table.h"

// Why the tail is read before the log start: a block is deleted after the log start has moved past
// it. If the log start were read first, blocks that are deleted after that would be missed.
// Rejected: reading open hours from the writer. Every answer would then depend on the writer, and a
// new writer cannot answer during its takeover (docs/decisions/0021).

namespace hourcell {
namespace {

// Retries of loads and reads that meet a change.
constexpr int kTriesMax = 5;
// A background catch-up is skipped if one began this recently.
constexpr int64_t kRecentMs = 500;

// Such a failure leaves the known state valid.
bool IsPassing(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace

absl::Status OnlyReads() {
  return absl::FailedPreconditionError("this process only reads the store");
}

Follower::Follower(const Parts& parts)
    : parts_(parts),
      catch_ups_(parts.stats->counter("follow.catch_ups")),
      loads_(parts.stats->counter("follow.loads")),
      blocks_(parts.stats->counter("follow.blocks")),
      hours_(std::make_shared<OpenHours>(parts.lanes)) {}

std::shared_ptr<OpenHours> Follower::hours() {
  MutexLock lock(&mutex_);
  return hours_;
}

// Waits for a catch-up that begins after the call: an earlier one may have read older state.
absl::Status Follower::CatchUp() {
  uint64_t wanted = 0;
  {
    MutexLock lock(&mutex_);
    wanted = begun_ + 1;
  }
  for (;;) {
    {
      MutexLock lock(&mutex_);
      while (ended_ < wanted && is_under_way_)
        has_ended_.Wait(&mutex_);
      if (ended_ >= wanted) return CopyStatus(last_);
      is_under_way_ = true;
      ++begun_;
      begun_ms_ = parts_.clock->MonotonicMs();
    }
    const absl::Status done = CatchUpAlone();
    MutexLock lock(&mutex_);
    is_under_way_ = false;
    ended_ = begun_;
    last_ = done;
    has_ended_.NotifyAll();
  }
}

void Follower::Tick() {
  {
    MutexLock lock(&mutex_);
    if (begun_ > 0 && parts_.clock->MonotonicMs() - begun_ms_ < kRecentMs) return;
  }
  CatchUp().IgnoreError();  // retried, and returned to readers
}

absl::Status Follower::CatchUpAlone() {
  MutexLock lock(&work_mutex_);
  catch_ups_->Add(1);
  absl::Status done;
  for (int i = 0; i < kTriesMax; ++i) {
    done = replay_ == nullptr ? Load() : CatchUpOnce();
    if (done.ok() || IsPassing(done)) return done;
    if (!absl::IsAborted(done)) replay_ = nullptr;
  }
  return absl::IsAborted(done) ? absl::UnavailableError(done.message()) : done;
}

// kAborted: to be retried. A block that exists when the tail is read was never deleted, if the log
// start is not above it afterwards. Otherwise a row that was read as a fence may be a fence that a
// process wrote where a block had been deleted.
absl::Status Follower::CatchUpOnce() {
  const uint64_t begin = next_;
  HOURCELL_RETURN_IF_ERROR(ReadTail());
  HOURCELL_ASSIGN_OR_RETURN(const StoreMoment moment, parts_.journal->Look());
  if (moment.log_start > begin || moment.changes != changes_) {
    replay_ = nullptr;
    return absl::AbortedError("the store was changed while it was read; try again");
  }
  DropSealed(moment.log_start);
  return absl::OkStatus();
}

// Applies the blocks from next_ on. Blocks that were read before a failure are kept, and the next
// call applies them.
absl::Status Follower::ReadTail() {
  const uint32_t now_s = NowS();
  uint64_t next = next_;
  PointReplay* const replay = replay_.get();
  const absl::StatusOr<uint64_t> end =
      parts_.journal->Read(next, [&](uint64_t sequence, std::string_view payload) {
        next = sequence + 1;
        blocks_->Add(1);
        return replay->Add(sequence, payload, now_s);
      });
  next_ = end.ok() ? *end : next;
  absl::Status applied = end.ok() ? replay->Apply(now_s) : end.status();
  // Its lists may have a series that was never acknowledged.
  if (absl::IsAborted(applied)) parts_.metric_series->Clear();
  return applied;
}

absl::Status Follower::Load() {
  loads_->Add(1);
  // Before all other reads: the next catch-up finds changes made after this.
  HOURCELL_ASSIGN_OR_RETURN(const StoreMoment before, parts_.journal->Look());
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(parts_.tables));
  HOURCELL_RETURN_IF_ERROR(ForgetNames());
  loading_ = std::make_shared<OpenHours>(parts_.lanes);
  replay_ = std::make_unique<PointReplay>(
      ReplayParts{.open_hours = loading_.get(), .series = parts_.series});
  // The log start is above the low mark if a writer stored it and its successor did not see that
  // writer's low mark. The blocks below it are in the tables all the same.
  next_ = std::max({low_mark, before.log_start, uint64_t{1}});
  const uint64_t begin = next_;
  absl::Status read = ReadTail();
  absl::StatusOr<StoreMoment> after = StoreMoment();
  if (read.ok()) after = parts_.journal->Look();
  if (read.ok()) read = after.status();
  if (read.ok() && after->log_start > begin) {
    read = absl::AbortedError("blocks of the journal were deleted while they were read");
  }
  if (!read.ok()) {
    replay_ = nullptr;
    return read;
  }
  changes_ = before.changes;
  log_start_ = begin;
  MutexLock lock(&mutex_);
  hours_ = loading_;
  return absl::OkStatus();
}

absl::Status Follower::ForgetNames() {
  HOURCELL_RETURN_IF_ERROR(ReadSalts());
  HOURCELL_RETURN_IF_ERROR(parts_.read_days_again());
  HOURCELL_ASSIGN_OR_RETURN(auto metric_ttl_s, ReadMetricTtls(parts_.tables));
  HOURCELL_ASSIGN_OR_RETURN(const int64_t store_ttl_s, ReadStoreTtl(parts_.tables));
  parts_.retention->Set({.store_ttl_s = store_ttl_s, .metric_ttl_s = std::move(metric_ttl_s)});
  HOURCELL_RETURN_IF_ERROR(parts_.annotations->LookAgain());
  HOURCELL_RETURN_IF_ERROR(parts_.virtual_metrics->Load());
  // The series of blocks that were deleted unread.
  HOURCELL_RETURN_IF_ERROR(parts_.series->FindAll());
  parts_.uids->DropCaches();
  parts_.metric_series->Clear();
  return absl::OkStatus();
}

// Epochs are only ever added.
absl::Status Follower::ReadSalts() {
  HOURCELL_ASSIGN_OR_RETURN(const SaltEpochs stored, ReadSaltEpochs(*parts_.layout, parts_.tables));
  const std::vector<SaltEpoch>& epochs = stored.epochs();
  for (size_t i = parts_.salts->epochs().epochs().size(); i < epochs.size(); ++i)
    HOURCELL_RETURN_IF_ERROR(parts_.salts->Append(epochs[i]));
  return absl::OkStatus();
}

void Follower::DropSealed(uint64_t log_start) {
  std::vector<OpenedHour> opened;
  for (Lane& lane : loading_->lanes()) {
    lane.TakeOpened(&opened);  // the series are not needed
    opened.clear();
  }
  if (log_start > log_start_) {
    const uint64_t time = loading_->pins().Tick();
    const uint64_t oldest_read = loading_->pins().Oldest();
    for (Lane& lane : loading_->lanes())
      loading_->AddBytes(-lane.SealedBelow(log_start, time, oldest_read));
    log_start_ = log_start;
  } else {
    loading_->Reap();
  }
}

}  // namespace hourcell
