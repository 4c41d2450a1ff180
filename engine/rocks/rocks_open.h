// Opens the database of a store: all its column families, with the regions of the catalogue.
//
//   the format in the system table, read before anything is written -> refused if it is a newer one
//     -> existing families, and missing ones of a new store -> open
//     -> read the catalogue in the system table
//     -> a table without a row: one region, of all keys
//     -> families that no row names: dropped; transitions: forgotten
//     -> links to files on their way from region to region: removed
//
// With Options::follow the database is opened to read only, and nothing is dropped, forgotten or
// removed.
//
// A split or merge adds its new regions to the catalogue only once they are complete, so recovery
// from a crash only drops the other families.

#pragma once

#include <memory>
#include <string>

#include <absl/status/statusor.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include "engine/options.h"
#include "engine/rocks/files/rocks_file_system.h"
#include "engine/rocks/regions/rocks_flush_watch.h"
#include "engine/rocks/regions/rocks_region.h"
#include "engine/rocks/rocks_retention.h"
#include "engine/table/table.h"

namespace hourcell {

// The options of the families of a store. Thread-safe.
class RocksFamilies {
 public:
  RocksFamilies(const Options& options, const RocksRetention* retention);

  // The options of a region's family; its filter uses `bounds`.
  rocksdb::ColumnFamilyOptions OptionsOf(TableId table,
                                         std::shared_ptr<const RegionBounds> bounds) const;

 private:
  const Options options_;
  const RocksRetention& retention_;
  const std::shared_ptr<rocksdb::Cache> cache_;
};

struct OpenedRocks {
  RocksEnvironment environment;                  // the database's
  std::shared_ptr<RocksFlushWatch> flush_watch;  // the database's; not started
  std::unique_ptr<rocksdb::DB> db;
  RegionSets sets;
};

// kFailedPrecondition: not a Hourcell store. kNotFound: the store is missing and may not be
// created. kDataLoss: the catalogue does not decode, its regions do not tile a table, or lack a
// family.
absl::StatusOr<OpenedRocks> OpenRocks(const std::string& directory,
                                      const Options& options,
                                      const RocksFamilies& families);

}  // namespace hourcell
