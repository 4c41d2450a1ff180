// RocksRecovery: what is done after a write of RocksDB's own failed, and until then.
//
//   a failure is counted (rocks_error_watch.h)
//     -> flush every column family, again and again, until all of it succeeds
//     -> all that was in memory is in files, and what comes next goes to a new WAL: recovered
//
// Meanwhile reads go on; writes are refused, so that memory does not fill, and nothing is said to
// be safe that is in no log and no file. A write that met the failure itself is in memory, and is
// acknowledged only if this ends well within its call. Families are flushed in an order in which
// what is referred to comes first: names, series, then rows.
//
// Thread-safe. Borrows the database, whose listener `errors` is, and is destroyed before it.

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

  // All that was ever written is in a log or in files. Not OK, kUnavailable: some is in memory
  // only, and this moment it could not be helped.
  absl::Status Check();

  // DB::Write. OK: the batch is in a log or in files; with `sync`, or if it is in files, it
  // survives a power failure. Not OK: it may be there or not.
  absl::Status Write(const rocksdb::WriteOptions& options, rocksdb::WriteBatch* batch);

  // All that was written survives a power failure.
  absl::Status SyncLog();

  const RocksErrorWatch& errors() const { return *errors_; }
  RocksErrorWatch* mutable_errors() { return errors_.get(); }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Recovers now if that is called for, unless a try has just failed.
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
