// RocksRecovery: recovers from failed writes of RocksDB's background work and WALs.
//
//   a failure is counted (rocks_error_watch.h)
//     -> flush every column family, again and again, until all flushes succeed
//     -> all rows of memory are in files, and new ones go to a new WAL: recovered
//
// During this time reads continue; writes are refused, so that memory does not fill, and a row is
// never acknowledged without being in a log or a file. The write that met the failure is in memory,
// and is acknowledged only if the recovery succeeds within its call. Families are flushed in an
// order that writes referenced rows first: names, series, then rows.
//
// Thread-safe. Borrows the database, which has `errors` as a listener, and is destroyed before it.

#pragma once

#include <chrono>
#include <memory>

#include <absl/status/status.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "engine/rocks/files/rocks_error_watch.h"
#include "engine/rocks/regions/rocks_region.h"

namespace hourcell {

class RocksRecovery {
 public:
  RocksRecovery(rocksdb::DB* db,
                const RocksRegions* regions,
                std::shared_ptr<RocksErrorWatch> errors);
  ~RocksRecovery();
  RocksRecovery(const RocksRecovery&) = delete;
  RocksRecovery& operator=(const RocksRecovery&) = delete;

  // OK: all writes so far are in a log or in files. kUnavailable: some are in memory only, and a
  // recovery just failed.
  absl::Status Check();

  // DB::Write. OK: the batch is in a log or in files; with `sync`, or if it is in files, it
  // survives a power failure. Not OK: the batch may be stored or not.
  absl::Status Write(const rocksdb::WriteOptions& options, rocksdb::WriteBatch* batch);

  // OK: all writes so far survive a power failure.
  absl::Status SyncLog();

  const RocksErrorWatch& errors() const { return *errors_; }
  RocksErrorWatch* mutable_errors() { return errors_.get(); }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Recovers now if needed, unless a try has just failed.
  absl::Status Recover();
  absl::Status TryNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsRecovered() const;
  void Loop();

  rocksdb::DB* const db_;
  const RocksRegions& regions_;
  const std::shared_ptr<RocksErrorWatch> errors_;

  Mutex mutex_;  // one try at a time
  absl::Status last_try_ ABSL_GUARDED_BY(mutex_);
  TimePoint next_try_ ABSL_GUARDED_BY(mutex_);

  mutable Mutex done_mutex_;
  RocksErrorWatch::Counts done_ ABSL_GUARDED_BY(done_mutex_);  // recovered from
  bool is_stopping_ ABSL_GUARDED_BY(done_mutex_) = false;
  NamedThread thread_;
};

}  // namespace hourcell
