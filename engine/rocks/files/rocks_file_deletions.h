// Differences between RocksDB's releases in the deletion of files. Thread-safe, as RocksDB is.

#pragma once

#include <rocksdb/db.h>
#include <rocksdb/version.h>

namespace hourcell {

// Undoes one DisableFileDeletions, or one failed write of a manifest. From release 9 on,
// EnableFileDeletions always does this.
inline rocksdb::Status EnableFileDeletionsOnce(rocksdb::DB* db) {
#if ROCKSDB_MAJOR >= 9
  return db->EnableFileDeletions();
#else
  return db->EnableFileDeletions(/*force=*/false);
#endif
}

}  // namespace hourcell
