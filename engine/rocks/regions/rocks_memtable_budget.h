// RocksMemtableBudget: which memtable is flushed when all of them together take too much: the
// largest. RocksDB's WriteBufferManager would take the oldest, which may have a few rows of a quiet
// region, so that many regions would write many small files. Its manager only counts here; at twice
// the budget it would help itself. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>

#include <rocksdb/db.h>
#include <rocksdb/write_buffer_manager.h>

#include "codec/base/mutex.h"
#include "engine/rocks/regions/rocks_region.h"

namespace hourcell {

// The manager of a database whose memtables are to take `bytes`.
std::shared_ptr<rocksdb::WriteBufferManager> NewMemtableCount(uint64_t bytes);

class RocksMemtableBudget {
 public:
  // Of all memtables, not counting those that are being written to files: `bytes`. `db` has the
  // manager of NewMemtableCount(bytes). Borrowed.
  RocksMemtableBudget(rocksdb::DB* db, uint64_t bytes);

  // To be called after a write. Begins the flush of the largest memtable if they take too much; two
  // loads of a counter if they do not.
  void AfterWrite(const RocksRegions& regions);

 private:
  // As RocksDB's: above seven eighths, or above half while as much again is being written to files.
  bool IsExceeded(uint64_t mutable_bytes) const;

  rocksdb::DB* const db_;
  const uint64_t bytes_;
  const std::shared_ptr<rocksdb::WriteBufferManager> manager_;
  Mutex choosing_;
};

}  // namespace hourcell
