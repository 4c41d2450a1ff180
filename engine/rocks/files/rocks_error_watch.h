// RocksErrorWatch: takes from RocksDB what goes wrong in its background, and counts it.
//
// RocksDB 7.8.3 stops after a write of a flush, an LSM compaction or the manifest has failed, and
// cannot be trusted to come back: Resume() may wait for ever after a full disk, forgets flushes
// that were under way, and runs into asserts, which end the process in Debian's build. So it is
// never told of such a failure: the work failed, what was in memory still is, and RocksRecovery
// does it again. Failures of other kinds, of damaged files say, stop it as ever.
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
    uint64_t wal = 0;         // of a WAL: what was written to it, or synced, may be in no log
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  Counts counts() const;
  // What the last of them was; OK before the first.
  rocksdb::Status last() const;
  // Not OK: RocksDB was told, and writes nothing until the store is opened again.
  rocksdb::Status stopped() const;

  // A column family was dropped: its number, which RocksDB gives to no other.
  void NoteDropped(uint32_t family);
  bool IsDropped(uint32_t family) const;

  void CountWalFailure(const rocksdb::Status& status);

  // How many failures of the manifest there were since the last call: after each of them RocksDB
  // deletes no files, until it is told to again as often.
  int TakeManifestFailures();

  // Waits until the counts differ from `seen`, or Wake(), for no longer than that.
  void WaitForOthers(const Counts& seen, std::chrono::milliseconds timeout);
  void Wake();

  // RocksDB's.
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
