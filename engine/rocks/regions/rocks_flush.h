// Flushes: write the memtables of a column family to files.
//
// DB::Flush never returns if a flush fails, since RocksDB does not see the failure
// (rocks_error_watch.h). So these functions begin a flush without waiting, and poll for its end or
// a failure.

#pragma once

#include <rocksdb/db.h>

#include "engine/rocks/files/rocks_error_watch.h"

namespace hourcell {

// Begins a flush and returns. Thread-safe.
rocksdb::Status BeginFlush(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family);

// Returns when all rows that were in memory before the call are in files, or with a failure during
// the call, which may be another family's; later rows may be in files, too. `errors` listens to the
// database. ColumnFamilyDropped: DropFamily was called for the family, before or during the call,
// so RocksDB no longer flushes it. Thread-safe.
rocksdb::Status FlushFamily(rocksdb::DB* db,
                            rocksdb::ColumnFamilyHandle* family,
                            const RocksErrorWatch& errors);

// DB::DropColumnFamily; waiting FlushFamily calls for the family return. Writers do not wait for
// the sync of the manifest. After an error, the family may be dropped or not.
rocksdb::Status DropFamily(rocksdb::DB* db,
                           rocksdb::ColumnFamilyHandle* family,
                           RocksErrorWatch* errors);

}  // namespace hourcell
