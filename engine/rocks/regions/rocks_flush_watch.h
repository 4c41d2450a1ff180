// RocksFlushWatch: tells observers which region's memtable became a file, whether the store,
// RocksDB's own limits, a split or a merge wanted it. Thread-safe.

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
  // Borrowed.
  explicit RocksFlushWatch(std::vector<StoreObserver*> observers)
      : observers_(std::move(observers)) {}

  // From now on flushes are told. `regions` outlives the database.
  void Start(const RocksRegions* regions);

  // RocksDB's.
  const char* Name() const override { return "hourcell.FlushWatch"; }
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;

 private:
  const std::vector<StoreObserver*> observers_;
  Mutex mutex_;
  const RocksRegions* regions_ ABSL_GUARDED_BY(mutex_) = nullptr;  // null: not started
};

}  // namespace hourcell
