// An Env for stores that are to fail: RocksDB takes a rest of a second after a failed flush, and so
// a store that is being killed would; here it is a millisecond. Not under
// ThreadSanitizer: it does not see the locking of a wrapped Env's mutexes, only their unlocking.

#pragma once

#include <memory>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace hourcell {

std::unique_ptr<rocksdb::Env> NewRestlessEnv(const std::shared_ptr<rocksdb::FileSystem>& fs);

}  // namespace hourcell
