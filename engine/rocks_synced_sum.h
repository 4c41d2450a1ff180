// What a manifest of RocksDB had in it when it was synced last, in a file beside it, and the check
// of it before a database is opened.
//
// RocksDB 7.8.3 takes a manifest that is cut, and some that have a flipped bit (in the length or the
// type of a record), for one whose last records were never written: it opens an older state, and
// removes the table files which that does not name. So before it reads one, here is looked.
//
//   MANIFEST-000012.sum: records of 16 bytes, integers big-endian
//   0   4  CRC32C of the manifest's number, 8 bytes, and of what follows
//   4   4  CRC32C of the manifest's first bytes
//   8   8  how many bytes
//
// The last record that checks counts. One is appended each time the manifest was synced, so that
// none says more than is on disk; it is not synced itself. Without one, after a power loss say, or
// in a store that was restored, the manifest is taken as it is. RocksDB begins a new manifest with
// each open, and deletes the old one; its sums go with it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <rocksdb/file_system.h>

namespace hourcell {

// The file of a manifest's sums.
std::string ManifestSumPath(std::string_view manifest_path);

// Keeps the sums of one manifest while it is written. What cannot be written is left out.
// Thread-compatible. `files` is borrowed.
class ManifestSum {
 public:
  ManifestSum(rocksdb::FileSystem* files, std::string manifest_path);

  // That was appended to the manifest.
  void Add(std::string_view bytes);
  // All of it was synced.
  void Synced();
  // What is in the manifest is not known any more: from now on nothing is said of it.
  void Stop() { is_stopped_ = true; }

 private:
  rocksdb::FileSystem& files_;
  const std::string manifest_path_;
  uint64_t bytes_ = 0;
  uint64_t said_bytes_ = 0;  // of them, in the last record
  uint32_t crc_ = 0;
  bool is_stopped_ = false;
  std::unique_ptr<rocksdb::FSWritableFile> file_;  // null: no record yet
};

// Looks at CURRENT and the manifest it names. OK where there is no database, or one that was being
// made.
// kDataLoss, with the file: CURRENT is missing beside files of a database, or names no manifest that
// is there; the manifest is shorter than it was, or its bytes do not check. Others: the file
// system's.
absl::Status CheckManifest(rocksdb::FileSystem* files, const std::string& directory);

}  // namespace hourcell
