// FileIo: copies, checks and publishes whole files through the file system of an Env, which tests
// can replace. Contents are synced before a file gets its final name.
//
// Errors: kNotFound: no such file or directory; kUnavailable: the file system refuses a write;
// kDataLoss: a file is shorter than expected; others are those of reading. Thread-safe.

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

// A lock on a file. The destructor, or the end of the process, releases it. Thread-compatible.
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
  // `env` is borrowed; null = the operating system's.
  explicit FileIo(rocksdb::Env* env);

  rocksdb::Env* env() const { return env_; }

  absl::StatusOr<bool> Exists(const std::string& path) const;
  absl::StatusOr<uint64_t> Bytes(const std::string& path) const;
  // The names in a directory, ascending, without "." and "..".
  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) const;
  // Makes a directory and its missing parents, and syncs the parent of each new one. OK if it
  // exists.
  absl::Status MakeDirectories(const std::string& path) const;
  absl::Status SyncDirectory(const std::string& path) const;
  absl::Status Rename(const std::string& from, const std::string& to) const;
  absl::Status Delete(const std::string& path) const;
  // kFailedPrecondition: it is not empty.
  absl::Status DeleteDirectory(const std::string& path) const;
  // kUnavailable: another process, or this one, holds the lock.
  absl::StatusOr<std::unique_ptr<HeldFileLock>> Lock(const std::string& path) const;

  // The first `bytes` bytes of a file; by default the whole file.
  absl::StatusOr<std::string> Read(const std::string& path,
                                   std::optional<uint64_t> bytes = {}) const;
  // The CRC-32C of the first `bytes` bytes of a file. kDataLoss: it has fewer.
  absl::StatusOr<uint32_t> Crc(const std::string& path, uint64_t bytes) const;

  // Writes a new file and syncs it, but not its name. Replaces an existing file.
  absl::Status Write(const std::string& path, std::string_view content) const;
  // Copies the first `bytes` bytes of a file to a new one, which is synced as in Write. Returns
  // their CRC-32C.
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
