#include "engine/rocks/files/rocks_error_watch.h"

#include <utility>

// Why RocksDB is not told of its own failures: it stops and expects Resume(). With a fault at
// every write, one after another, that way lost: flushes under way were forgotten, Resume()
// waited for them for ever, and a failed WAL ran into an assert that Debian's build has switched
// on. A memtable is never lost, so all that failed can be done again (docs/decisions/0012).

namespace hourcell {
namespace {

using Reason = rocksdb::BackgroundErrorReason;

bool IsOfManifest(Reason reason) {
  return reason == Reason::kManifestWrite || reason == Reason::kManifestWriteNoWAL;
}

// Work that can be done again. A full disk is an I/O error, too.
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
