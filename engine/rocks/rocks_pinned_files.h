// RocksPinnedFiles: PinnedFiles of a RocksDB database: its SST files, its manifest as far as it was
// written, CURRENT, and the logs of what is not in SST files yet. Nothing is flushed for it.
//
// RocksDB deletes no file while an object lives. If RocksDB recovers from a fault meanwhile, it may
// delete files all the same; reading one then fails, and so does the backup.

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
  // The database outlives the result. kUnavailable and others: RocksDB's.
  static absl::StatusOr<std::unique_ptr<PinnedFiles>> Pin(rocksdb::DB* db);
  // For Pin: the database deletes no file already.
  explicit RocksPinnedFiles(rocksdb::DB* db) : db_(*db) {}
  ~RocksPinnedFiles() override;
  RocksPinnedFiles(const RocksPinnedFiles&) = delete;
  RocksPinnedFiles& operator=(const RocksPinnedFiles&) = delete;

  const std::vector<PinnedFile>& files() const override { return files_; }

 private:
  rocksdb::DB& db_;
  std::vector<PinnedFile> files_;
};

// Checks the tail of an SST file, and its blocks against their checksums. kDataLoss: one is
// damaged.
absl::Status CheckSstFile(rocksdb::Env* env, const std::string& path);

}  // namespace hourcell
