// What differs between the releases of RocksDB about deleting files. Thread-safe, as RocksDB is.

#pragma once

#include <rocksdb/db.h>
#include <rocksdb/version.h>

namespace hourcell {

// Takes back one DisableFileDeletions, or one of a manifest that could not be written. From release
// 9 on that is what EnableFileDeletions always does.
inline rocksdb::Status EnableFileDeletionsOnce(rocksdb::DB* db) {
#if ROCKSDB_MAJOR >= 9
  return db->EnableFileDeletions();
#else
  return db->EnableFileDeletions(/*force=*/false);
#endif
}

}  // namespace hourcell
