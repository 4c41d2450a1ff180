// SST files on their way into a column family: links in the directory `<database>.split`.
//
// RocksDB 7.8.3 asks for the first and the last key of a file that it imports without a look at
// whether they could be read (GetIngestedFileInfo of db/import_column_family_job.cc): a read that
// fails there, or a damaged block, ends a process built with assertions, as Debian's library is. So
// each file is read at both ends before it is imported, and what was read of a staged file is kept
// until its link is deleted: the import is given the same bytes again.

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

// Where files are linked to on their way.
std::string StagingDirectory(const std::string& db_path);

// Reads the first and the last row of an SST file, past the block cache. kDataLoss: one is
// damaged. Others: the file system's.
absl::Status ReadEnds(rocksdb::Env* env,
                      const rocksdb::ColumnFamilyOptions& options,
                      const std::string& path);

// What was read of the staged files of a database. Thread-safe.
class RocksStagedFiles {
 public:
  explicit RocksStagedFiles(const std::string& db_path);

  // `file`, whose reads are kept if it is a staged one.
  std::unique_ptr<rocksdb::FSRandomAccessFile> Keep(
      const std::string& path, std::unique_ptr<rocksdb::FSRandomAccessFile> file);
  // The link is gone.
  void Forget(const std::string& path);

 private:
  class Pieces;
  class File;

  const std::string prefix_;  // of paths
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Pieces>> pieces_ ABSL_GUARDED_BY(mutex_);  // by path
};

}  // namespace hourcell
