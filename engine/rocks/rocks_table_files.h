// RocksTableFiles: TableFiles of a RocksDB database: its table files, its manifest as far as it was
// written, CURRENT, and the logs of what is not in table files yet. Nothing is flushed for it.
//
// RocksDB deletes no file while one lives. Where it ends a fault of its own meanwhile it may do so
// all the same: then reading a file fails, and so does the backup.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>

#include "engine/table/table_files.h"

namespace hourcell {

class RocksTableFiles : public TableFiles {
 public:
  // The database outlives the result. kUnavailable and others: RocksDB's.
  static absl::StatusOr<std::unique_ptr<TableFiles>> Pin(rocksdb::DB* db);
  // For Pin: the database deletes no file already.
  explicit RocksTableFiles(rocksdb::DB* db) : db_(*db) {}
  ~RocksTableFiles() override;
  RocksTableFiles(const RocksTableFiles&) = delete;
  RocksTableFiles& operator=(const RocksTableFiles&) = delete;

  const std::vector<TableFile>& files() const override { return files_; }

 private:
  rocksdb::DB& db_;
  std::vector<TableFile> files_;
};

// Checks the tail of a table file, and its blocks against their checksums. kDataLoss: one is
// damaged.
absl::Status CheckTableFile(rocksdb::Env* env, const std::string& path);

}  // namespace hourcell
