// Converts Options to RocksDB's options. The .cc file gives the reason for each value.

#pragma once

#include <cstdint>
#include <memory>

#include <rocksdb/options.h>

#include "engine/options.h"
#include "engine/table/table.h"

namespace hourcell {

// Budget of all memtables of all tables together.
uint64_t MemtableBytes(const Options& options);

rocksdb::DBOptions RocksDbOptions(const Options& options);

// All tables share the block cache `cache`.
rocksdb::ColumnFamilyOptions RocksTableOptions(const Options& options,
                                               TableId table,
                                               const std::shared_ptr<rocksdb::Cache>& cache);

// Options of every read of rows; each read adds its specific ones.
rocksdb::ReadOptions RocksReadOptions();

}  // namespace hourcell
