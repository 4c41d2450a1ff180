// Checksums of RocksDB's manifest and WALs as last synced, in a .sum file for each, and their check
// before a database is opened.
//
// RocksDB 7.8.3 treats a manifest that is cut off, and some with a flipped bit (in the length or
// the type of a record), as one whose last records were never written: it opens an older state, and
// removes the SST files that are not in it. It reads a WAL up to the first record with a wrong
// checksum. So this check runs before RocksDB reads either.
//
//   MANIFEST-000012.sum, 000013.log.sum: records of 16 bytes, integers big-endian
//   0   4  CRC32C of the file's number, 8 bytes, and of bytes 4 to 15
//   4   4  CRC32C of the file's first bytes
//   8   8  the number of these bytes
//
// The last record with a correct checksum counts. One is appended after each sync of the file, so
// that no record covers more than is on disk; the record itself is not synced. Without one, as
// after a power loss or in a restored store, the file is not checked. The .sum file is deleted
// before its file.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <rocksdb/file_system.h>

namespace hourcell {

// The path of a file's .sum file.
std::string SyncedSumPath(std::string_view path);

// Records the checksums of one file while it is written. Skips records that cannot be written.
// Thread-compatible. `files` is borrowed.
class SyncedSum {
 public:
  // The first bytes of the file.
  struct Part {
    uint64_t bytes = 0;
    uint32_t crc = 0;
  };

  SyncedSum(rocksdb::FileSystem* files, std::string path);

  // `bytes` were appended to the file.
  void Add(std::string_view bytes);
  // All bytes appended so far.
  const Part& part() const { return part_; }
  // The file was synced up to `part`. Appends a record.
  void Synced(const Part& part);
  // The contents of the file are uncertain from now on: appends no more records.
  void Stop() { is_stopped_ = true; }

 private:
  rocksdb::FileSystem& files_;
  const std::string path_;
  Part part_;
  uint64_t said_bytes_ = 0;  // in the last record
  bool is_stopped_ = false;
  std::unique_ptr<rocksdb::FSWritableFile> file_;  // null: no record yet
};

// Checks CURRENT, the manifest in it, and the WALs. OK without a database, or if its creation was
// interrupted. kDataLoss, with the file: CURRENT is missing although the database has files, or
// does not contain the name of an existing manifest; the manifest or a WAL is shorter than it was,
// or its checksum is wrong. Others: the file system's.
absl::Status CheckSyncedFiles(rocksdb::FileSystem* files, const std::string& directory);

}  // namespace hourcell
