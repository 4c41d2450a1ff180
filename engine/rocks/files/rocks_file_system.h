// RocksFileSystem: what our RocksDB does differently with files.
//
//   OPTIONS files   are not written. RocksDB writes, reads and checks one each time a
//                   column family comes or goes, with all writers waiting: 50 ms with 256 of
//                   them. Nothing of ours reads them: options come from the store's settings.
//   hard links      last before the manifest names them: before it is written, and synced, the
//                   directories are that were linked into. RocksDB does not sync them when
//                   it imports files, and refuses a whole store of which one file is missing.
//   SST files       stay from a failed write of a manifest until there is a new one. RocksDB
//                   removes what an import that failed so had linked, although the manifest may
//                   name it by then, and refuses the whole store at the next open. What stays
//                   needlessly is removed by that.
//   manifests, WALs have their sums beside them: rocks_file_checksums.h.
//   SST files       are opened only if they end as ours do, with nothing flipped that RocksDB
//                   reads before it checks: sst_footer.h.
//   staged files    give the bytes that were read of them once again: rocks_staged_files.h.
//   manifest, WAL   are read whole or not at all: where a read gives fewer bytes than the file has
//                   it is tried again, and then fails. RocksDB takes it for the file's end, and
//                   what follows it for never written.
//   WAL files       do not fail, as RocksDB sees them: rocks_wal.h. Nor does the sync of a new
//                   one's name.
//
// Thread-safe.

#pragma once

#include <memory>
#include <string>

#include <rocksdb/env.h>

#include "engine/rocks/files/rocks_error_watch.h"

namespace hourcell {

struct RocksEnvironment {
  std::unique_ptr<rocksdb::Env> env;
  // What fails in its WALs is counted there. To be the database's listener.
  std::shared_ptr<RocksErrorWatch> errors;
};

// `base`, borrowed, with such a file system on top of its own, for the database in `directory`.
RocksEnvironment MakeRocksEnvironment(rocksdb::Env* base, const std::string& directory);

}  // namespace hourcell
