// RocksFileSystem: what our RocksDB does differently with files.
//
//   OPTIONS files   are not written. RocksDB writes, reads and checks one each time a column
//                   family comes or goes, with all writers waiting: 50 ms with 256 of them. Nothing
//                   of ours reads them: options come from the store's settings.
//   hard links      last before the manifest names them: with the sync of a manifest goes, first,
//                   that of the directories that were linked into. RocksDB does not sync them when
//                   it imports files, and refuses a whole store of which one file is missing.
//   table files     stay from a failed write of a manifest until there is a new one. RocksDB
//                   removes what an import that failed so had linked, although the manifest may
//                   name it by then, and refuses the whole store at the next open. What stays
//                   needlessly is removed by that.
//
// Thread-safe.

#pragma once

#include <memory>

#include <rocksdb/env.h>

namespace hourcell {

// `base` with such a file system on top of its own. Borrowed.
std::unique_ptr<rocksdb::Env> NewRocksEnv(rocksdb::Env* base);

}  // namespace hourcell
