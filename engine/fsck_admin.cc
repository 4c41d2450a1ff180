#include "engine/fsck_admin.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "codec/base/status_macros.h"
#include "engine/fsck_checks.h"
#include "engine/journal.h"
#include "engine/store_meta.h"

namespace hourcell {

std::string_view FsckStateName(FsckState state) {
  switch (state) {
    case FsckState::kNone:
      return "none";
    case FsckState::kRunning:
      return "running";
    case FsckState::kDone:
      return "done";
    case FsckState::kCancelled:
      return "cancelled";
    case FsckState::kFailed:
      return "failed";
  }
  HOURCELL_CHECK(false);
}

FsckAdmin::FsckAdmin(const Parts& parts) : parts_(parts) {}

FsckAdmin::~FsckAdmin() {
  Stop();
}

absl::StatusOr<uint64_t> FsckAdmin::Start(size_t examples_max) {
  MutexLock lock(&mutex_);
  if (is_stopped_) return absl::FailedPreconditionError("store is closed");
  if (run_.state == FsckState::kRunning) {
    return absl::UnavailableError("another check is under way");
  }
  if (thread_.joinable()) thread_.join();  // it has ended but for its return
  run_ = {.id = run_.id + 1, .state = FsckState::kRunning, .started_ms = parts_.clock->NowMs()};
  is_cancelled_ = false;
  thread_ = std::thread([this, examples_max] { Run(examples_max); });
  return run_.id;
}

FsckRun FsckAdmin::Last() const {
  MutexLock lock(&mutex_);
  FsckRun run = run_;
  if (run.state == FsckState::kRunning) {
    run.elapsed_ms = parts_.clock->NowMs() - run.started_ms;
  }
  return run;
}

void FsckAdmin::Cancel() {
  MutexLock lock(&mutex_);
  is_cancelled_ = true;
}

void FsckAdmin::Stop() {
  std::thread thread;
  {
    MutexLock lock(&mutex_);
    is_stopped_ = true;
    is_cancelled_ = true;
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void FsckAdmin::Run(size_t examples_max) {
  FsckOptions options{.examples_max = examples_max};
  options.progress = [this](const FsckProgress& progress) {
    MutexLock lock(&mutex_);
    run_.phase = progress.phase;
    run_.rows = progress.rows;
    run_.points = progress.points;
    return !is_cancelled_;
  };
  absl::StatusOr<FsckReport> report = Check(std::move(options));
  MutexLock lock(&mutex_);
  run_.elapsed_ms = parts_.clock->NowMs() - run_.started_ms;
  if (report.ok()) {
    run_.state = FsckState::kDone;
    run_.report = *std::move(report);
    run_.rows = run_.report.rows;
    run_.points = run_.report.points;
  } else {
    const absl::Status& status = report.status();
    run_.state = absl::IsCancelled(status) ? FsckState::kCancelled : FsckState::kFailed;
    run_.error = std::string(status.message());
  }
}

absl::StatusOr<FsckReport> FsckAdmin::Check(FsckOptions options) {
  options.fix_cells = false;
  options.fix_uids = false;
  options.fix_index = false;
  FsckReport report;
  FsckChecks checks({.layout = parts_.layout, .tables = parts_.tables, .row_keys = parts_.row_keys},
                    options, &report);
  checks.Use(parts_.uids, parts_.series);
  HOURCELL_RETURN_IF_ERROR(checks.CheckRegions());
  HOURCELL_RETURN_IF_ERROR(checks.CheckNames());
  HOURCELL_RETURN_IF_ERROR(checks.CheckSeriesRows());
  HOURCELL_RETURN_IF_ERROR(checks.CheckRows());
  HOURCELL_RETURN_IF_ERROR(checks.CheckAnnotations());
  HOURCELL_RETURN_IF_ERROR(checks.CheckAsides());
  HOURCELL_RETURN_IF_ERROR(CheckJournal(&checks));
  return report;
}

// The blocks there are now, from the low mark on.
absl::Status FsckAdmin::CheckJournal(FsckChecks* checks) {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(parts_.tables));
  const std::unique_ptr<JournalPin> pin = parts_.journal->Pin(low_mark);
  // The mark may have moved on since, and the journal been trimmed.
  const uint64_t from = std::max(low_mark, parts_.journal->oldest_sequence());
  return checks->CheckJournal(
      parts_.journal->Replay(from, [checks](uint64_t sequence, std::string_view payload) {
        return checks->CheckBlock(sequence, payload);
      }));
}

}  // namespace hourcell
