// FileIo: files copied, checked and published whole, on the file system of an Env, so that the one
// of the tests covers it. What a name leads to was synced before it got the name.
//
// Errors: kNotFound: no such file or directory; kUnavailable: the file system refuses a write;
// kDataLoss: a file is not what it should be; others are those of reading. Thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace rocksdb {
class Env;
class FileLock;
class FileSystem;
class FSWritableFile;
}  // namespace rocksdb

namespace hourcell {

// A lock on a file, given back when it goes, or the process. Thread-compatible.
class HeldFileLock {
 public:
  HeldFileLock(rocksdb::FileSystem* fs, rocksdb::FileLock* lock) : fs_(*fs), lock_(lock) {}
  ~HeldFileLock();
  HeldFileLock(const HeldFileLock&) = delete;
  HeldFileLock& operator=(const HeldFileLock&) = delete;

 private:
  rocksdb::FileSystem& fs_;
  rocksdb::FileLock* const lock_;
};

class FileIo {
 public:
  // Borrowed; null = the operating system's.
  explicit FileIo(rocksdb::Env* env);

  rocksdb::Env* env() const { return env_; }

  absl::StatusOr<bool> Exists(const std::string& path) const;
  absl::StatusOr<uint64_t> Bytes(const std::string& path) const;
  // The names in a directory, ascending, without "." and "..".
  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) const;
  // Makes a directory, and those it is in, and syncs the one that each is made in. No error if it
  // is there.
  absl::Status MakeDirectories(const std::string& path) const;
  absl::Status SyncDirectory(const std::string& path) const;
  absl::Status Rename(const std::string& from, const std::string& to) const;
  absl::Status Delete(const std::string& path) const;
  // kFailedPrecondition: it is not empty.
  absl::Status DeleteDirectory(const std::string& path) const;
  // kUnavailable: somebody else holds it, another thread of this process also.
  absl::StatusOr<std::unique_ptr<HeldFileLock>> Lock(const std::string& path) const;

  // The first `bytes` bytes of a file; all of it if nothing is said.
  absl::StatusOr<std::string> Read(const std::string& path,
                                   std::optional<uint64_t> bytes = {}) const;
  // The CRC-32C of the first `bytes` bytes of a file. kDataLoss: it has fewer.
  absl::StatusOr<uint32_t> Crc(const std::string& path, uint64_t bytes) const;

  // Writes a new file and syncs it; its name is not synced. One of that name is replaced.
  absl::Status Write(const std::string& path, std::string_view content) const;
  // Copies the first `bytes` bytes of a file to a new one, which is synced, as Write. Returns their
  // CRC-32C.
  absl::StatusOr<uint32_t> Copy(const std::string& from,
                                const std::string& to,
                                uint64_t bytes) const;

 private:
  template <typename Take>
  absl::StatusOr<uint32_t> ReadPieces(const std::string& path,
                                      uint64_t bytes,
                                      const Take& take) const;
  absl::StatusOr<std::unique_ptr<rocksdb::FSWritableFile>> Create(const std::string& path) const;
  static absl::Status Finish(rocksdb::FSWritableFile* file, const std::string& path);

  rocksdb::Env* const env_;
  rocksdb::FileSystem& fs_;
};

}  // namespace hourcell
