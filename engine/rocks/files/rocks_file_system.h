// RocksFileSystem: differences between RocksDB's use of files and ours.
//
//   OPTIONS files   are not written. RocksDB writes, reads and checks one each time a
//                   column family is created or dropped, while all writers wait: 50 ms with 256
//                   families. Hourcell never reads them: options come from the store's settings.
//   hard links      are durable before the manifest names them: directories with new links are
//                   synced before the manifest is written, and before it is synced
//                   (rocks_manifest.h). RocksDB does not sync them after an import, and refuses a
//                   store with one missing file. Links of staged files are not synced.
//   column families are created and dropped without a sync for which all writers wait:
//                   RocksFamilyChange of rocks_manifest.h.
//   SST files       stay after a failed write of a manifest until there is a new manifest. RocksDB
//                   removes the links of an import that failed so, although the manifest may
//                   name them by then, and refuses the whole store at the next open. That open
//                   removes files that stayed needlessly.
//   manifests, WALs have checksums in .sum files: rocks_file_checksums.h.
//   SST files       are opened only if they end as ours do, with no flipped bit in the parts that
//                   RocksDB reads before it checks: sst_footer.h.
//   staged files    return the same bytes for each read of a range: rocks_staged_files.h.
//   manifest, WAL   are read whole or not at all: a read with fewer bytes than the file has is
//                   repeated, and then fails. RocksDB takes a short read for the end of the file,
//                   and ignores the rest.
//   WAL files       hide their failures from RocksDB: rocks_wal.h. So does the sync of a new
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
  // Counts failures of the WALs. The caller must make it a listener of the database.
  std::shared_ptr<RocksErrorWatch> errors;
};

// Wraps the file system of `base` (borrowed) for the database in `directory`.
RocksEnvironment MakeRocksEnvironment(rocksdb::Env* base, const std::string& directory);

}  // namespace hourcell
