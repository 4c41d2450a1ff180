// RocksTableStore: TableStore on one RocksDB database. Each region of a table is a column family:
// "data.1" is the first one of `data`, and `uid` the only one of `uid`. Groups are applied in one
// WriteBatch, so a group is atomic. Apply writes RocksDB's write-ahead log, which reaches the
// operating system before it returns; ApplyUnlogged does not.

#pragma once

#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "engine/options.h"
#include "engine/rocks/files/store_lock.h"
#include "engine/table/table_store.h"

namespace hourcell {

// Opens or creates the database in `directory`, and releases `lock`, which may be null, once it is
// closed. kNotFound: it is missing and may not be created; kDataLoss: its files are damaged;
// kFailedPrecondition: it is not a Hourcell store.
absl::StatusOr<std::unique_ptr<TableStore>> OpenRocksTableStore(
    const std::string& directory,
    const Options& options,
    std::unique_ptr<StoreLock> lock = nullptr);

}  // namespace hourcell
