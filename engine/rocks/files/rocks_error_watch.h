// RocksErrorWatch: intercepts RocksDB's background errors and counts them.
//
// RocksDB 7.8.3 stops after a failed write of a flush, an LSM compaction or the manifest, and does
// not recover reliably: Resume() may never return after a full disk, forgets flushes in progress,
// and hits asserts, which end the process in Debian's build. So this class hides such a failure
// from RocksDB: the work failed, the data is still in memory, and RocksRecovery repeats the work.
// Other failures, such as damaged files, stop RocksDB as usual.
//
// Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>

#include <absl/container/flat_hash_set.h>
#include <rocksdb/listener.h>
#include <rocksdb/status.h>

#include "codec/base/mutex.h"

namespace hourcell {

class RocksErrorWatch final : public rocksdb::EventListener {
 public:
  struct Counts {
    uint64_t background = 0;  // of flushes, LSM compactions, manifests
    uint64_t wal = 0;         // of a WAL: written or synced bytes may be missing in every log
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  Counts counts() const;
  // The last error; OK before the first.
  rocksdb::Status last() const;
  // Not OK: RocksDB saw the error, and writes nothing until the store is opened again.
  rocksdb::Status stopped() const;

  // A column family was dropped. `family` is its number, which RocksDB never reuses.
  void NoteDropped(uint32_t family);
  bool IsDropped(uint32_t family) const;

  void CountWalFailure(const rocksdb::Status& status);

  // Failures of the manifest since the last call. After each one RocksDB deletes no files until
  // EnableFileDeletionsOnce is called once.
  int TakeManifestFailures();

  // Waits until the counts differ from `seen`, Wake() is called, or `timeout` is over.
  void WaitForOthers(const Counts& seen, std::chrono::milliseconds timeout);
  void Wake();

  // rocksdb::EventListener:
  const char* Name() const override { return "hourcell.ErrorWatch"; }
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason,
                            rocksdb::Status error,
                            bool* auto_recovery) override;

 private:
  mutable Mutex mutex_;
  CondVar counted_;
  Counts counts_ ABSL_GUARDED_BY(mutex_);
  rocksdb::Status last_ ABSL_GUARDED_BY(mutex_);
  rocksdb::Status stopped_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<uint32_t> dropped_ ABSL_GUARDED_BY(mutex_);
  int manifest_failures_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hourcell
