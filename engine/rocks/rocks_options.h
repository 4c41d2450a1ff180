// Options -> RocksDB's options, each choice with its reason.

#pragma once

#include <cstdint>
#include <memory>

#include <rocksdb/options.h>

#include "engine/options.h"
#include "engine/table/table.h"

namespace hourcell {

// What all memtables of all tables together may take.
uint64_t MemtableBytes(const Options& options);

rocksdb::DBOptions RocksDbOptions(const Options& options);

// `cache` is the one block cache all tables share.
rocksdb::ColumnFamilyOptions RocksTableOptions(const Options& options,
                                               TableId table,
                                               const std::shared_ptr<rocksdb::Cache>& cache);

// What all reads of rows have in common; each adds its own.
rocksdb::ReadOptions RocksReadOptions();

}  // namespace hourcell
