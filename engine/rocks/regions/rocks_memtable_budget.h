// RocksMemtableBudget: flushes the largest memtable when all memtables together exceed the budget.
// RocksDB's WriteBufferManager would flush the oldest, which may have a few rows of a quiet region,
// so that many regions would write many small files. Here the manager only counts; at twice the
// budget it would flush on its own. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>

#include <rocksdb/db.h>
#include <rocksdb/write_buffer_manager.h>

#include "codec/base/mutex.h"
#include "engine/rocks/regions/rocks_region.h"

namespace hourcell {

// The manager of a database whose memtables have the budget `bytes`.
std::shared_ptr<rocksdb::WriteBufferManager> NewMemtableCount(uint64_t bytes);

class RocksMemtableBudget {
 public:
  // `bytes`: budget of all memtables, without those that are being flushed. `db` (borrowed) has the
  // manager of NewMemtableCount(bytes).
  RocksMemtableBudget(rocksdb::DB* db, uint64_t bytes);

  // Call it after each write. Begins the flush of the largest memtable if the budget is exceeded;
  // otherwise costs two loads of a counter.
  void AfterWrite(const RocksRegions& regions);

 private:
  // RocksDB's rule: above seven eighths, or above half while as much again is being flushed.
  bool IsExceeded(uint64_t mutable_bytes) const;

  rocksdb::DB* const db_;
  const uint64_t bytes_;
  const std::shared_ptr<rocksdb::WriteBufferManager> manager_;
  Mutex choosing_;
};

}  // namespace hourcell
