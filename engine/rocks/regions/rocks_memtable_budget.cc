#include "engine/rocks/regions/rocks_memtable_budget.h"

#include "engine/rocks/regions/rocks_flush.h"

// Why the largest memtable is flushed: RocksDB's WriteBufferManager takes the oldest, which may
// have a few rows of a quiet region, so that many regions would write many small files. Before this
// common budget each region had a separate limit, and many regions took many times the memory.

namespace hourcell {

std::shared_ptr<rocksdb::WriteBufferManager> NewMemtableCount(uint64_t bytes) {
  return std::make_shared<rocksdb::WriteBufferManager>(2 * bytes);
}

RocksMemtableBudget::RocksMemtableBudget(rocksdb::DB* db, uint64_t bytes)
    : db_(db), bytes_(bytes), manager_(db->GetDBOptions().write_buffer_manager) {}

bool RocksMemtableBudget::IsExceeded(uint64_t mutable_bytes) const {
  return mutable_bytes > bytes_ / 8 * 7 ||
         (mutable_bytes > bytes_ / 2 && manager_->memory_usage() >= bytes_);
}

void RocksMemtableBudget::AfterWrite(const RocksRegions& regions) {
  if (!IsExceeded(manager_->mutable_memtable_memory_usage())) return;
  MutexLock lock(&choosing_);
  const std::shared_ptr<const RegionSets> sets = regions.Current();
  uint64_t all_bytes = 0;
  uint64_t largest_bytes = 0;
  rocksdb::ColumnFamilyHandle* largest = nullptr;
  for (const std::shared_ptr<const RegionSet>& set : *sets) {
    for (size_t i = 0; i < set->size(); ++i) {
      uint64_t bytes = 0;
      db_->GetIntProperty(set->family(i), rocksdb::DB::Properties::kCurSizeActiveMemTable, &bytes);
      all_bytes += bytes;
      if (bytes <= largest_bytes) continue;
      largest_bytes = bytes;
      largest = set->family(i);
    }
  }
  // Another write has begun a flush; or the memory belongs to dropped regions, and flushes of
  // others would not help.
  if (largest == nullptr || !IsExceeded(all_bytes)) return;
  // If RocksDB refuses the flush, RocksRecovery knows about its failure already.
  BeginFlush(db_, largest).PermitUncheckedError();
}

}  // namespace hourcell
