// RocksTableStore: TableStore on one RocksDB database. Each table is a column family; `data` has
// one region so far, the family "data.1". Groups are applied in one WriteBatch, so a group is
// atomic. Writes go through RocksDB's write-ahead log, which reaches the operating system before
// Apply returns.

#pragma once

#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "engine/options.h"
#include "engine/table/table_store.h"

namespace hourcell {

// Opens or creates the database in `directory`. kNotFound: none there and it may not be created;
// kDataLoss: its files are damaged; kFailedPrecondition: it is not one of ours.
absl::StatusOr<std::unique_ptr<TableStore>> OpenRocksTableStore(const std::string& directory,
                                                                const Options& options);

}  // namespace hourcell
