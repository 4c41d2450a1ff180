#include "engine/rocks/regions/rocks_flush_watch.h"

#include <memory>

#include "engine/regions/region_info.h"

// Why observers are called from RocksDB's listener: the store, RocksDB or a split may cause a
// flush, and the listener sees all flushes.

namespace hourcell {

void RocksFlushWatch::Start(const RocksRegions* regions) {
  MutexLock lock(&mutex_);
  regions_ = regions;
}

void RocksFlushWatch::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& info) {
  std::shared_ptr<const RegionSets> sets;
  {
    MutexLock lock(&mutex_);
    if (regions_ == nullptr) return;
    sets = regions_->Current();
  }
  const std::string_view family = info.cf_name;
  FlushedRegion flushed{
      .table = family.substr(0, family.find('.')),
      .rows = info.table_properties.num_entries,
      .bytes = info.table_properties.raw_key_size + info.table_properties.raw_value_size};
  for (const TableId table : kTableIds) {
    const std::shared_ptr<const RegionSet>& set = (*sets)[static_cast<size_t>(table)];
    if (set == nullptr || flushed.table != TableName(table)) continue;  // null: being closed
    for (size_t i = 0; i < set->size(); ++i) {
      if (ColumnFamilyOf(set->info(i)) == family) flushed.region = set->info(i).id.value;
    }
  }
  for (StoreObserver* const observer : observers_)
    observer->AfterFlush(flushed);
}

}  // namespace hourcell
