// RocksErrorWatch: remembers that a write of RocksDB's own failed: of its WAL, a file or the
// manifest, whoever wanted it. And keeps RocksDB from trying to go on by itself after a full disk:
// RocksResume does, and two at a time trip over one another's state. Thread-safe.

#pragma once

#include <atomic>

#include <rocksdb/listener.h>

namespace hourcell {

class RocksErrorWatch final : public rocksdb::EventListener {
 public:
  // Since the last Forget().
  bool has_failed() const { return has_failed_; }
  void Forget() { has_failed_ = false; }

  // RocksDB's.
  const char* Name() const override { return "hourcell.ErrorWatch"; }
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason,
                            rocksdb::Status error,
                            bool* auto_recovery) override;

 private:
  std::atomic<bool> has_failed_{false};
};

}  // namespace hourcell
