// What RocksDB's manifest and WALs had in them when they were synced last, in a file beside each,
// and the check of them before a database is opened.
//
// RocksDB 7.8.3 takes a manifest that is cut, and some that have a flipped bit (in the length or
// the type of a record), for one whose last records were never written: it opens an older state,
// and removes the SST files which that does not name. A WAL it reads up to what does not check.
// So before it reads one, here is looked.
//
//   MANIFEST-000012.sum, 000013.log.sum: records of 16 bytes, integers big-endian
//   0   4  CRC32C of the file's number, 8 bytes, and of what follows
//   4   4  CRC32C of the file's first bytes
//   8   8  how many bytes
//
// The last record that checks counts. One is appended each time the file was synced, so that none
// says more than is on disk; it is not synced itself. Without one, after a power loss say, or in a
// store that was restored, the file is taken as it is. Sums go before their file is deleted.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <rocksdb/file_system.h>

namespace hourcell {

// The file of a file's sums.
std::string SyncedSumPath(std::string_view path);

// Keeps the sums of one file while it is written. What cannot be written is left out.
// Thread-compatible. `files` is borrowed.
class SyncedSum {
 public:
  // The first bytes of the file.
  struct Part {
    uint64_t bytes = 0;
    uint32_t crc = 0;
  };

  SyncedSum(rocksdb::FileSystem* files, std::string path);

  // That was appended to the file.
  void Add(std::string_view bytes);
  // All that was.
  const Part& part() const { return part_; }
  // So much was synced.
  void Synced(const Part& part);
  // What is in the file is not known any more: from now on nothing is said of it.
  void Stop() { is_stopped_ = true; }

 private:
  rocksdb::FileSystem& files_;
  const std::string path_;
  Part part_;
  uint64_t said_bytes_ = 0;  // in the last record
  bool is_stopped_ = false;
  std::unique_ptr<rocksdb::FSWritableFile> file_;  // null: no record yet
};

// Looks at CURRENT, the manifest it names, and the WALs. OK where there is no database, or one that
// was being made.
// kDataLoss, with the file: CURRENT is missing beside files of a database, or names no manifest
// that is there; the manifest or a WAL is shorter than it was, or its bytes do not check. Others:
// the file system's.
absl::Status CheckSyncedFiles(rocksdb::FileSystem* files, const std::string& directory);

}  // namespace hourcell
