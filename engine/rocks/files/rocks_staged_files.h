// SST files on their way into a column family: links in the directory `<database>.split`.
//
// When RocksDB 7.8.3 imports a file, it uses the first and the last key without checking the status
// of the read (GetIngestedFileInfo of db/import_column_family_job.cc): a failed read or a damaged
// block ends a process built with assertions, as Debian's library is. So both ends of each file are
// read before the import, and the bytes read from a staged file are kept until its link is deleted:
// the import gets the same bytes again.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <absl/status/status.h>
#include <rocksdb/file_system.h>
#include <rocksdb/options.h>

#include "codec/base/mutex.h"

namespace hourcell {

// The directory of the links.
std::string StagingDirectory(const std::string& db_path);

// Reads the first and the last row of an SST file, without the block cache. kDataLoss: one is
// damaged. Others: the file system's.
absl::Status ReadEnds(rocksdb::Env* env,
                      const rocksdb::ColumnFamilyOptions& options,
                      const std::string& path);

// The bytes read from the staged files of a database. Thread-safe.
class RocksStagedFiles {
 public:
  explicit RocksStagedFiles(const std::string& db_path);

  bool IsStaged(const std::string& path) const;
  // Returns `file`; if it is staged, wrapped so that its reads are kept.
  std::unique_ptr<rocksdb::FSRandomAccessFile> Keep(
      const std::string& path, std::unique_ptr<rocksdb::FSRandomAccessFile> file);
  // The link was deleted.
  void Forget(const std::string& path);

 private:
  class Pieces;
  class File;

  const std::string prefix_;  // of paths
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Pieces>> pieces_ ABSL_GUARDED_BY(mutex_);  // by path
};

}  // namespace hourcell
