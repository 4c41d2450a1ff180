#include "engine/rocks/files/rocks_error_watch.h"

#include <utility>

// Why RocksDB's failures are hidden from it: it stops and expects Resume(). In tests with a fault
// at every write, one after another, RocksDB forgot flushes in progress, Resume() waited for them
// without end, and a failed WAL hit an assert, which Debian's build has enabled. A memtable is
// never lost, so all failed work can be repeated (docs/decisions/0012).

namespace hourcell {
namespace {

using Reason = rocksdb::BackgroundErrorReason;

bool IsOfManifest(Reason reason) {
  return reason == Reason::kManifestWrite || reason == Reason::kManifestWriteNoWAL;
}

// True for work that can be repeated. A full disk is an I/O error, too.
bool CanBeRepeated(Reason reason, const rocksdb::Status& error) {
  if (!error.IsIOError() && !error.IsNoSpace()) return false;
  return IsOfManifest(reason) || reason == Reason::kFlush || reason == Reason::kFlushNoWAL ||
         reason == Reason::kCompaction;
}

}  // namespace

RocksErrorWatch::Counts RocksErrorWatch::counts() const {
  MutexLock lock(&mutex_);
  return counts_;
}

rocksdb::Status RocksErrorWatch::last() const {
  MutexLock lock(&mutex_);
  return last_;
}

rocksdb::Status RocksErrorWatch::stopped() const {
  MutexLock lock(&mutex_);
  return stopped_;
}

void RocksErrorWatch::NoteDropped(uint32_t family) {
  MutexLock lock(&mutex_);
  dropped_.insert(family);
}

bool RocksErrorWatch::IsDropped(uint32_t family) const {
  MutexLock lock(&mutex_);
  return dropped_.contains(family);
}

void RocksErrorWatch::CountWalFailure(const rocksdb::Status& status) {
  MutexLock lock(&mutex_);
  ++counts_.wal;
  last_ = status;
  counted_.NotifyAll();
}

int RocksErrorWatch::TakeManifestFailures() {
  MutexLock lock(&mutex_);
  return std::exchange(manifest_failures_, 0);
}

void RocksErrorWatch::WaitForOthers(const Counts& seen, std::chrono::milliseconds timeout) {
  MutexLock lock(&mutex_);
  if (counts_ == seen) counted_.WaitFor(&mutex_, timeout.count());
}

void RocksErrorWatch::Wake() {
  MutexLock lock(&mutex_);
  counted_.NotifyAll();
}

void RocksErrorWatch::OnBackgroundError(Reason reason, rocksdb::Status* error) {
  MutexLock lock(&mutex_);
  ++counts_.background;
  last_ = *error;
  counted_.NotifyAll();
  if (!CanBeRepeated(reason, *error)) {
    stopped_ = *error;
    return;
  }
  if (IsOfManifest(reason)) ++manifest_failures_;
  *error = rocksdb::Status::OK();
}

void RocksErrorWatch::OnErrorRecoveryBegin(Reason /*reason*/,
                                           rocksdb::Status /*error*/,
                                           bool* auto_recovery) {
  *auto_recovery = false;
}

}  // namespace hourcell
