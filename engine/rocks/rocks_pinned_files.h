// RocksPinnedFiles: the PinnedFiles of a RocksDB database: its SST files, the written part of its
// manifest, CURRENT, and the logs of rows that are not yet in SST files. Pin does not flush.
//
// RocksDB deletes no files while an object lives, except if it recovers from a fault at that time.
// Then the read of a deleted file fails, and so does the backup.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>

#include "engine/table/pinned_files.h"

namespace hourcell {

class RocksPinnedFiles : public PinnedFiles {
 public:
  // The database outlives the result. Errors are RocksDB's, such as kUnavailable.
  static absl::StatusOr<std::unique_ptr<PinnedFiles>> Pin(rocksdb::DB* db);
  // For Pin. REQUIRES: file deletions are disabled.
  explicit RocksPinnedFiles(rocksdb::DB* db) : db_(*db) {}
  ~RocksPinnedFiles() override;
  RocksPinnedFiles(const RocksPinnedFiles&) = delete;
  RocksPinnedFiles& operator=(const RocksPinnedFiles&) = delete;

  const std::vector<PinnedFile>& files() const override { return files_; }

 private:
  rocksdb::DB& db_;
  std::vector<PinnedFile> files_;
};

// Checks the footer of an SST file, and the checksums of its blocks. kDataLoss: damaged.
absl::Status CheckSstFile(rocksdb::Env* env, const std::string& path);

}  // namespace hourcell
