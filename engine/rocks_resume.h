// RocksResume: how a database that an error has stopped comes back to life.
//
// After a write of its own fails, of a full disk say, RocksDB refuses all writes until it is told
// to try again; then it flushes what is in memory, and with that makes a new WAL. Three things go
// wrong with the version we have, 7.8.3, whose asserts end the process in Debian's build:
//
//   a WAL that could not be written to must not be synced before there is a new one
//   where no table has anything in memory, there is none: the next write or flush would meet the
//   broken one. So the default column family, which nobody reads, always has a row in memory.
//   after a failed write of the manifest it wants that no file is deleted, and takes care of that
//   itself, but not where a column family was to come or go. So none is meanwhile.
//
// Thread-safe. Borrows the database, whose listener `errors` is, and is destroyed before it.

#pragma once

#include <chrono>
#include <memory>

#include <absl/status/status.h>
#include <rocksdb/db.h>

#include "codec/base/mutex.h"
#include "engine/rocks_error_watch.h"

namespace hourcell {

class RocksResume {
 public:
  RocksResume(rocksdb::DB* db, std::shared_ptr<RocksErrorWatch> errors);

  // Whether a call that ended so is worth another try, because the database takes writes again. It
  // is asked once a second at most.
  bool IsWorthAnotherTry(const rocksdb::Status& status);

  // Not OK, kUnavailable: the WAL must not be synced now.
  absl::Status CheckWal();

 private:
  bool TryNow();
  // Ignores errors: without the row a full disk may need a restart, no more.
  void FillDefaultFamily();

  rocksdb::DB* const db_;
  const std::shared_ptr<RocksErrorWatch> errors_;
  Mutex mutex_;
  std::chrono::steady_clock::time_point next_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
