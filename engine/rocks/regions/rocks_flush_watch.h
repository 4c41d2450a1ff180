// RocksFlushWatch: reports each flushed memtable, with its region, to observers, whether the store,
// RocksDB's limits, a split or a merge caused the flush. Thread-safe.

#pragma once

#include <utility>
#include <vector>

#include <rocksdb/listener.h>

#include "codec/base/mutex.h"
#include "engine/rocks/regions/rocks_region.h"
#include "engine/store_observer.h"

namespace hourcell {

class RocksFlushWatch final : public rocksdb::EventListener {
 public:
  // `observers` are borrowed.
  explicit RocksFlushWatch(std::vector<StoreObserver*> observers)
      : observers_(std::move(observers)) {}

  // Reports flushes from now on. `regions` outlives the database.
  void Start(const RocksRegions* regions);

  // rocksdb::EventListener:
  const char* Name() const override { return "hourcell.FlushWatch"; }
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;

 private:
  const std::vector<StoreObserver*> observers_;
  Mutex mutex_;
  const RocksRegions* regions_ ABSL_GUARDED_BY(mutex_) = nullptr;  // null: not started
};

}  // namespace hourcell
