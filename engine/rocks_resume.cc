#include "engine/rocks_resume.h"

#include <utility>

namespace hourcell {
namespace {

constexpr std::chrono::milliseconds kTryEvery(1000);

// True of the error that every write gets after one has failed.
bool IsStopped(const rocksdb::Status& status) {
  return status.IsIOError() || status.IsNoSpace();
}

}  // namespace

RocksResume::RocksResume(rocksdb::DB* db, std::shared_ptr<RocksErrorWatch> errors)
    : db_(db), errors_(std::move(errors)) {
  FillDefaultFamily();
}

bool RocksResume::IsWorthAnotherTry(const rocksdb::Status& status) {
  return IsStopped(status) && TryNow();
}

absl::Status RocksResume::CheckWal() {
  if (!errors_->has_failed() || TryNow()) return absl::OkStatus();
  return absl::UnavailableError("sync: an earlier write failed; want a disk that takes writes");
}

bool RocksResume::TryNow() {
  MutexLock lock(&mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + kTryEvery;
  errors_->Forget();
  db_->DisableFileDeletions().PermitUncheckedError();
  const bool is_resumed = db_->Resume().ok();
  db_->EnableFileDeletions(/*force=*/false).PermitUncheckedError();
  if (!is_resumed) {
    errors_->OnBackgroundError({}, nullptr);
    return false;
  }
  FillDefaultFamily();
  return true;
}

void RocksResume::FillDefaultFamily() {
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  db_->Put(unlogged, "resume", "").PermitUncheckedError();
}

}  // namespace hourcell
