// Moves the files of regions into other column families: as hard links, with their sequence
// numbers, so that earlier views read the same rows from the new family.
//
//   region's family -> RocksExport: flush, links in a staging directory -> files by key range
//                   -> ImportFiles: a new family for each daughter or for a merged region
//
// A file with keys of two daughters is linked once for each.

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

// Removes the links that an interrupted split or merge left in the staging directory.
absl::Status EmptyStaging(rocksdb::Env* env, const std::string& db_path);

// The files of a region at one moment, linked into a directory that the destructor removes.
// Thread-compatible.
class RocksExport {
 public:
  // REQUIRES: no writes to the family until the export is imported.
  static absl::StatusOr<std::unique_ptr<RocksExport>> Make(rocksdb::DB* db,
                                                           rocksdb::ColumnFamilyHandle* family,
                                                           const RocksErrorWatch& errors);
  ~RocksExport();
  RocksExport(const RocksExport&) = delete;
  RocksExport& operator=(const RocksExport&) = delete;

  const RocksFiles& files() const { return files_; }

  // Returns, for each range, the files with keys in it. They can be imported once.
  absl::StatusOr<std::vector<RocksFiles>> Share(std::span<const RegionRange> ranges);

 private:
  RocksExport(rocksdb::DB* db, std::string directory)
      : db_(*db), directory_(std::move(directory)) {}

  rocksdb::DB& db_;
  const std::string directory_;
  RocksFiles files_;
  std::vector<std::string> further_;  // directories with second links
};

// Changes the recorded sequence numbers of level-0 files so that they follow one another, as
// RocksDB requires of one family. For files of several families without a common key.
void SeparateYoungFiles(RocksFiles* files);

// Makes a family from exported files; an empty one without files.
absl::StatusOr<rocksdb::ColumnFamilyHandle*> ImportFiles(
    rocksdb::DB* db,
    const rocksdb::ColumnFamilyOptions& options,
    const std::string& name,
    RocksFiles files);

// Rewrites a family's files without the rows outside of `range`. True if it found no file with such
// rows. Skips files that an LSM compaction is using.
absl::StatusOr<bool> TrimFiles(rocksdb::DB* db,
                               rocksdb::ColumnFamilyHandle* family,
                               const RegionRange& range);

}  // namespace hourcell
