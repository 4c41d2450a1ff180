// How the files of regions come into other column families: as hard links, with their sequence
// numbers, so that views of before see in the new family what they saw in the old one.
//
//   region's family -> RocksExport: flush, links in a staging directory -> files by key range
//                   -> ImportFiles: a family of them, for each daughter or for a merged region
//
// A file that two daughters have keys of is linked once for each.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include "engine/regions/region_info.h"
#include "engine/rocks/files/rocks_error_watch.h"

namespace hourcell {

using RocksFiles = std::vector<rocksdb::LiveFileMetaData>;

// Removes what a split or merge that was cut short has left beside the database.
absl::Status EmptyStaging(rocksdb::Env* env, const std::string& db_path);

// The files of a region at one moment, linked into a directory of their own, which goes with it.
// Thread-compatible.
class RocksExport {
 public:
  // REQUIRES: nobody writes to the family until the export is imported.
  static absl::StatusOr<std::unique_ptr<RocksExport>> Make(rocksdb::DB* db,
                                                           rocksdb::ColumnFamilyHandle* family,
                                                           const RocksErrorWatch& errors);
  ~RocksExport();
  RocksExport(const RocksExport&) = delete;
  RocksExport& operator=(const RocksExport&) = delete;

  const RocksFiles& files() const { return files_; }

  // For each range the files with keys of it. To be imported once.
  absl::StatusOr<std::vector<RocksFiles>> Share(std::span<const RegionRange> ranges);

 private:
  RocksExport(rocksdb::DB* db, std::string directory)
      : db_(*db), directory_(std::move(directory)) {}

  rocksdb::DB& db_;
  const std::string directory_;
  RocksFiles files_;
  std::vector<std::string> further_;  // directories with second links
};

// Makes the sequence numbers that files of level 0 say they have follow one another, as RocksDB
// wants of one family. Of files of several families, in which no key is in two of them.
void SeparateYoungFiles(RocksFiles* files);

// Makes a family of exported files; an empty one if there are none.
absl::StatusOr<rocksdb::ColumnFamilyHandle*> ImportFiles(
    rocksdb::DB* db,
    const rocksdb::ColumnFamilyOptions& options,
    const std::string& name,
    RocksFiles files);

// Takes rows outside of a range out of a family's files. True if none has any left; what an LSM
// compaction is busy with is left for next time.
absl::StatusOr<bool> TrimFiles(rocksdb::DB* db,
                               rocksdb::ColumnFamilyHandle* family,
                               const RegionRange& range);

}  // namespace hourcell
