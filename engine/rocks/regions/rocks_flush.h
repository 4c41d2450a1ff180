// What is in memory of a column family becomes files.
//
// DB::Flush waits for ever where a flush fails and nobody tells RocksDB (rocks_error_watch.h). So
// it is only asked to begin, and we look whether it is done, or something failed.

#pragma once

#include <rocksdb/db.h>

#include "engine/rocks/files/rocks_error_watch.h"

namespace hourcell {

// Lets RocksDB begin. Thread-safe.
rocksdb::Status BeginFlush(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family);

// Returns when all that was in memory before the call is in files, or with the failure that came
// meanwhile, which may be of another family; rows that are written meanwhile may be in files, too.
// `errors` listens to the database. ColumnFamilyDropped: DropFamily was called for it, before or
// meanwhile, so that RocksDB flushes it no more. Thread-safe.
rocksdb::Status FlushFamily(rocksdb::DB* db,
                            rocksdb::ColumnFamilyHandle* family,
                            const RocksErrorWatch& errors);

// DB::DropColumnFamily; callers that wait for a flush of the family return.
rocksdb::Status DropFamily(rocksdb::DB* db,
                           rocksdb::ColumnFamilyHandle* family,
                           RocksErrorWatch* errors);

}  // namespace hourcell
