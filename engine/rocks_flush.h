// FlushFamily: what is in memory of a column family becomes files.
//
// DB::Flush does not wait any more, and says OK at once, after a database that an error had stopped
// was resumed (RocksDB 7.8.3: ErrorHandler::ClearBGError leaves is_db_stopped_ set, and
// WaitForFlushMemTables goes by it). Whoever trims a journal, or splits a region, by that OK loses
// data. So we look whether it is done.

#pragma once

#include <rocksdb/db.h>

namespace hourcell {

// Returns when all that was in memory before the call is in files; rows that are written meanwhile
// may be, too. Thread-safe.
rocksdb::Status FlushFamily(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family);

}  // namespace hourcell
