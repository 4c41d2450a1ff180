// The size and load of a region on RocksDB, and its split points.

#pragma once

#include <cstddef>
#include <memory>

#include <rocksdb/db.h>

#include "engine/rocks/regions/rocks_region.h"
#include "engine/table/region_list.h"
#include "engine/table/region_store.h"
#include "engine/table/table.h"

namespace hourcell {

// RegionList::ApproximateBytes for the part of `range` that is in the region.
uint64_t BytesIn(rocksdb::DB* db, const RegionSet& set, size_t index, const ScanRange& range);

RegionUse UseOf(rocksdb::DB* db, const RegionSet& set, size_t index);

// The probe keeps `set`, and thus the region's files; `db` outlives it.
RegionProbe ProbeOf(rocksdb::DB* db, const std::shared_ptr<const RegionSet>& set, size_t index);

}  // namespace hourcell
